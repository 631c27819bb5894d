package io.gauss.compute.cluster.clock;

import io.gauss.common.explore.Exploration;
import io.gauss.common.explore.Exploration.Steps;
import io.gauss.common.explore.Mixing;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/**
 * Compute nodes that call each other and commit, around the real {@link ClockView}; a network that
 * delays and loses; an arbiter whose decisions arrive late. Whatever was acknowledged, no node may
 * take a snapshot below it.
 *
 * <p>Node 0 commits. A node that is paused is one that takes no step while time passes: nothing
 * else has to be modelled for that. Whether a node may take a snapshot is looked at in every state.
 * Time is relative to now; a lease lasts one tick, and a holder's clock may lose one tick
 * meanwhile. The arbiter suspends anybody at any time: who asked for it, and how long somebody was
 * silent, only matters for how soon others continue.
 */
final class ClockModel implements Exploration.Model<ClockModel.State> {
  private static final int LEASE = 1;
  private static final int DRIFT = 1;

  /** What may be left out, to see that it is needed. */
  enum Rule {
    /** A commit is visible only when all who are waited for have advanced (rule 4). */
    VISIBLE_MEANS_ADVANCED,
    /** A node without leases takes no snapshot. */
    NO_LEASE_NO_SNAPSHOT,
    /** The holder counts from when it sent the call. */
    HOLDER_COUNTS_FROM_SENDING,
    /** The granter waits a margin longer. */
    MARGIN,
    /** Commits wait for a suspended node until its lease has ended. */
    LEASE_IS_WAITED_FOR,
    /** Nobody continues without another by its own decision. */
    ARBITER_DECIDES,
    /** Who is suspended itself continues without nobody. */
    SUSPENDED_WAIT_FOR_ALL,
    /** A suspension is taken back when all others have been reached. */
    RESUMES_WHEN_ALL_ARE_REACHED,
    /** A call names the suspension that it ends. */
    CALLS_NAME_SUSPENSIONS,
    /** A dead node is missed until the own clock is above the end of its sealed stream. */
    CLOCK_ABOVE_THE_DEAD,
    /** Whoever grants a lease reads its clock after that. */
    CLOCK_READ_AFTER_GRANT
  }

  /** A commit; it is visible before it is answered. */
  enum Commit {
    NONE,
    RESERVED,
    VISIBLE
  }

  /**
   * A node.
   *
   * @param seen version of the arbiter's decisions that it knows
   * @param csn of its commit under way
   */
  record Node(ClockView view, long clock, int seen, Commit commit, long csn, boolean crashed) {
    Node with(ClockView changed) {
      return new Node(changed, clock, seen, commit, csn, crashed);
    }

    Node withClock(long raised) {
      return new Node(view, Math.max(clock, raised), seen, commit, csn, crashed);
    }

    Node with(Commit state, long newCsn) {
      return new Node(view, clock, seen, state, newCsn, crashed);
    }
  }

  /**
   * A call, or its answer.
   *
   * @param age ticks since the call was sent
   * @param resumes suspension that the call named
   * @param noted clock that an answer is going to carry, read too early; -1 = none
   */
  record Message(int from, int to, boolean answer, int age, long clock, long resumes, long noted) {}

  /** What the arbiter has decided: numbers of suspensions by node, 0 = none. */
  record Decision(List<Long> numbers) {
    Decision with(int node, long number) {
      List<Long> changed = new ArrayList<>(numbers);
      changed.set(node, number);
      return new Decision(changed);
    }
  }

  /**
   * A request to the arbiter that is on its way.
   *
   * @param number of the suspension that is to be taken back
   */
  record Resume(int node, long number) {}

  record State(
      List<Node> nodes,
      List<Message> messages,
      List<Decision> decisions,
      List<Resume> resumes,
      int begun,
      int suspensions,
      long acknowledged) {
    @Override
    public int hashCode() {
      Mixing mixing = new Mixing().add(begun).add(suspensions).add(acknowledged);
      for (Node n : nodes) {
        mixing.add(n.clock()).add(n.seen()).add(n.commit().ordinal()).add(n.csn());
        mixing.add(n.crashed()).add(n.view().suspended());
        for (PeerClock p : n.view().peers().values()) {
          mixing.add(p.clock()).add(p.grantedUntil()).add(p.heldUntil());
          mixing.add(p.suspension()).add(p.revoked()).add(p.accepted());
        }
      }
      for (Message m : messages) {
        mixing.add(m.from()).add(m.to()).add(m.answer()).add(m.age());
        mixing.add(m.clock()).add(m.resumes()).add(m.noted());
      }
      decisions.forEach(d -> d.numbers().forEach(mixing::add));
      resumes.forEach(r -> mixing.add(r.node()).add(r.number()));
      return mixing.hash();
    }

    State with(int node, Node changed) {
      List<Node> all = new ArrayList<>(nodes);
      all.set(node, changed);
      return new State(all, messages, decisions, resumes, begun, suspensions, acknowledged);
    }

    State withMessages(List<Message> changed) {
      return new State(nodes, changed, decisions, resumes, begun, suspensions, acknowledged);
    }

    State replacing(Message old, Message by) {
      List<Message> all = new ArrayList<>(messages);
      all.remove(old);
      if (by != null) {
        all.add(by);
      }
      all.sort(
          (a, b) ->
              a.from() != b.from()
                  ? Integer.compare(a.from(), b.from())
                  : Integer.compare(a.to(), b.to()));
      return withMessages(all);
    }

    State decided(Decision decision, int newSuspensions) {
      List<Decision> all = new ArrayList<>(decisions);
      all.add(decision);
      return new State(nodes, messages, all, resumes, begun, newSuspensions, acknowledged);
    }

    State withResumes(List<Resume> changed) {
      return new State(nodes, messages, decisions, changed, begun, suspensions, acknowledged);
    }
  }

  private final Set<Rule> rules;
  private final int nodes;
  private final int maxCommits;
  private final int maxSuspensions;
  private final boolean crashes;
  private final ClockTimes times;

  ClockModel(Set<Rule> rules, int nodes, int maxCommits, int maxSuspensions, boolean crashes) {
    this.rules = rules;
    this.nodes = nodes;
    this.maxCommits = maxCommits;
    this.maxSuspensions = maxSuspensions;
    this.crashes = crashes;
    this.times = new ClockTimes(LEASE, LEASE, on(Rule.MARGIN) ? DRIFT : 0, 1, 1);
  }

  static ClockModel withAllRules(int nodes, int commits, int suspensions) {
    return new ClockModel(EnumSet.allOf(Rule.class), nodes, commits, suspensions, false);
  }

  /** One that may lose a node, too. */
  static ClockModel withCrashes(int nodes, int commits, int suspensions) {
    return new ClockModel(EnumSet.allOf(Rule.class), nodes, commits, suspensions, true);
  }

  /** The smallest one that shows what the rule is for. */
  static ClockModel without(Rule rule) {
    int suspensions =
        switch (rule) {
          case VISIBLE_MEANS_ADVANCED,
              NO_LEASE_NO_SNAPSHOT,
              HOLDER_COUNTS_FROM_SENDING,
              MARGIN,
              LEASE_IS_WAITED_FOR,
              CLOCK_READ_AFTER_GRANT,
              CLOCK_ABOVE_THE_DEAD ->
              1;
          case ARBITER_DECIDES -> 0;
          case SUSPENDED_WAIT_FOR_ALL, RESUMES_WHEN_ALL_ARE_REACHED, CALLS_NAME_SUSPENSIONS -> 2;
        };
    boolean crashes = rule == Rule.CLOCK_ABOVE_THE_DEAD;
    return new ClockModel(EnumSet.complementOf(EnumSet.of(rule)), 2, 1, suspensions, crashes);
  }

  private boolean on(Rule rule) {
    return rules.contains(rule);
  }

  @Override
  public State initial() {
    List<Node> all = new ArrayList<>();
    List<Long> none = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      ClockView view = ClockView.alone(times);
      for (int other = 0; other < nodes; other++) {
        if (other != i) {
          view = view.install(other, other + 1, 0);
        }
      }
      // With a rule left out it begins when all leases are over: the way to what goes wrong is
      // shorter.
      ClockView begun = view.begin(0);
      boolean fresh = rules.size() == Rule.values().length;
      all.add(new Node(fresh ? begun : later(later(begun)), 0, 0, Commit.NONE, 0, false));
      none.add(0L);
    }
    return new State(all, List.of(), List.of(new Decision(none)), List.of(), 0, 0, 0);
  }

  private boolean mayTakeSnapshots(Node node) {
    long until = node.view().heldUntil();
    return !node.crashed()
        && (!on(Rule.NO_LEASE_NO_SNAPSHOT) || until == ClockView.FOREVER || until > 0);
  }

  @Override
  public String violation(State state) {
    for (int i = 0; i < nodes; i++) {
      Node node = state.nodes().get(i);
      if (mayTakeSnapshots(node) && node.clock() < state.acknowledged()) {
        return "node %d takes snapshots at %d, %d is acknowledged"
            .formatted(i, node.clock(), state.acknowledged());
      }
    }
    return null;
  }

  @Override
  public void steps(State state, Steps<State> to) {
    Steps<State> steps = (name, next) -> to.add(name, () -> normal(next.get()));
    steps.add("a tick passes", () -> tick(state));
    for (int i = 0; i < nodes; i++) {
      if (!state.nodes().get(i).crashed()) {
        node(state, i, steps);
      }
      suspend(state, i, steps);
    }
    for (Message message : state.messages()) {
      if (message.answer()) {
        steps.add("lost: " + message, () -> state.replacing(message, null));
        steps.add("arrives: " + message, () -> answered(state, message));
      } else if (!state.nodes().get(message.to()).crashed()) {
        called(state, message, steps);
      }
    }
    for (Resume resume : state.resumes()) {
      steps.add("taken back: " + resume, () -> resume(state, resume));
    }
  }

  /** Leaves out what cannot change anything any more, so that fewer states differ. */
  private State normal(State state) {
    int known =
        state.nodes().stream().filter(n -> !n.crashed()).mapToInt(Node::seen).min().orElse(0);
    List<Node> all = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      Node node = state.nodes().get(i);
      // Who commits nothing waits for nobody.
      ClockView view = i == 0 ? node.view() : withoutGrants(node.view());
      int seen = Math.max(0, node.seen() - known);
      all.add(new Node(view, node.clock(), seen, node.commit(), node.csn(), node.crashed()));
    }
    return new State(
        all,
        state.messages(),
        state.decisions().subList(known, state.decisions().size()),
        state.resumes(),
        state.begun(),
        state.suspensions(),
        state.acknowledged());
  }

  private ClockView withoutGrants(ClockView view) {
    TreeMap<Integer, PeerClock> peers = new TreeMap<>();
    for (PeerClock p : view.peers().values()) {
      peers.put(
          p.node(),
          new PeerClock(
              p.node(),
              p.epoch(),
              0,
              p.bound(),
              0,
              p.heldUntil(),
              p.suspension(),
              p.revoked(),
              p.accepted(),
              p.dead()));
    }
    return new ClockView(times, view.suspended(), peers);
  }

  private State tick(State state) {
    List<Node> passed = new ArrayList<>();
    for (Node node : state.nodes()) {
      passed.add(node.with(later(node.view())));
    }
    List<Message> messages = new ArrayList<>();
    for (Message m : state.messages()) {
      int age = Math.min(LEASE + DRIFT, m.age() + 1);
      messages.add(
          new Message(m.from(), m.to(), m.answer(), age, m.clock(), m.resumes(), m.noted()));
    }
    return new State(
        passed,
        messages,
        state.decisions(),
        state.resumes(),
        state.begun(),
        state.suspensions(),
        state.acknowledged());
  }

  private ClockView later(ClockView view) {
    TreeMap<Integer, PeerClock> peers = new TreeMap<>();
    for (PeerClock p : view.peers().values()) {
      peers.put(
          p.node(),
          new PeerClock(
              p.node(),
              p.epoch(),
              p.clock(),
              p.bound(),
              Math.max(0, p.grantedUntil() - 1),
              Math.max(0, p.heldUntil() - 1),
              p.suspension(),
              p.revoked(),
              p.accepted(),
              p.dead()));
    }
    return new ClockView(times, view.suspended(), peers);
  }

  private void node(State state, int i, Steps<State> steps) {
    Node node = state.nodes().get(i);
    for (int other : node.view().peers().keySet()) {
      boolean free = state.messages().stream().noneMatch(m -> m.from() == i && m.to() == other);
      steps.addIf(free, "node " + i + " calls node " + other, () -> call(state, i, other));
      steps.addIf(
          !on(Rule.ARBITER_DECIDES) && !node.view().peers().get(other).isSuspended(),
          "node " + i + " continues without node " + other,
          () ->
              state.with(
                  i, node.with(node.view().suspensions(0, epoch -> epoch == other + 1 ? 9 : 0))));
      Node dead = state.nodes().get(other);
      steps.addIf(
          dead.crashed(),
          "node " + i + " learns of the death of node " + other,
          () ->
              state.with(
                  i,
                  node.with(
                      on(Rule.CLOCK_ABOVE_THE_DEAD)
                          ? node.view().died(other, other + 1)
                          : node.view().remove(other, other + 1))));
      steps.addIf(
          dead.crashed(),
          "node " + i + " learns of the end of the stream of node " + other,
          () ->
              state.with(
                  i, node.withClock(dead.clock()).with(node.view().remove(other, other + 1))));
    }
    steps.addIf(
        node.seen() < state.decisions().size() - 1,
        "node " + i + " learns of a decision",
        () -> learn(state, i));
    boolean reached = node.view().mayResume();
    boolean may =
        reached || (!on(Rule.RESUMES_WHEN_ALL_ARE_REACHED) && node.view().suspended() != 0);
    Resume resume = new Resume(i, node.view().suspended());
    steps.addIf(
        may && !state.resumes().contains(resume),
        "node " + i + " asks to be suspended no more",
        () -> {
          List<Resume> all = new ArrayList<>(state.resumes());
          all.add(resume);
          all.sort((a, b) -> Long.compare(a.number(), b.number()));
          return state.withResumes(all);
        });
    steps.addIf(
        crashes && state.nodes().stream().noneMatch(Node::crashed),
        "node " + i + " crashes",
        () ->
            state.with(i, new Node(node.view(), node.clock(), node.seen(), Commit.NONE, 0, true)));
    commit(state, i, steps);
  }

  private void commit(State state, int i, Steps<State> steps) {
    Node node = state.nodes().get(i);
    switch (node.commit()) {
      case NONE ->
          steps.addIf(
              i == 0 && state.begun() < maxCommits,
              "node " + i + " reserves a CSN",
              () -> begin(state, i));
      case RESERVED ->
          steps.addIf(
              !on(Rule.VISIBLE_MEANS_ADVANCED) || through(node) >= node.csn(),
              "CSN " + node.csn() + " of node " + i + " is visible",
              () -> state.with(i, node.with(Commit.VISIBLE, node.csn())));
      case VISIBLE ->
          steps.addIf(
              mayTakeSnapshots(node),
              "CSN " + node.csn() + " of node " + i + " is acknowledged",
              () -> acknowledge(state, i));
    }
  }

  private long through(Node node) {
    // Behind the end of all leases nobody who is suspended is waited for.
    return node.view().through(on(Rule.LEASE_IS_WAITED_FOR) ? 0 : 1000);
  }

  private static State begin(State state, int i) {
    Node node = state.nodes().get(i);
    long csn = node.clock() + 1;
    State next = state.with(i, node.withClock(csn).with(Commit.RESERVED, csn));
    return new State(
        next.nodes(),
        next.messages(),
        next.decisions(),
        next.resumes(),
        next.begun() + 1,
        next.suspensions(),
        next.acknowledged());
  }

  private static State acknowledge(State state, int i) {
    Node node = state.nodes().get(i);
    State next = state.with(i, node.with(Commit.NONE, 0));
    return new State(
        next.nodes(),
        next.messages(),
        next.decisions(),
        next.resumes(),
        next.begun(),
        next.suspensions(),
        Math.max(next.acknowledged(), node.csn()));
  }

  private static State call(State state, int from, int to) {
    Node node = state.nodes().get(from);
    return state.replacing(
        null, new Message(from, to, false, 0, node.clock(), node.view().suspended(), -1));
  }

  private void called(State state, Message m, Steps<State> steps) {
    Node node = state.nodes().get(m.to());
    if (!on(Rule.CLOCK_READ_AFTER_GRANT) && m.noted() < 0) {
      steps.add(
          "node " + m.to() + " reads its clock for the answer",
          () ->
              state
                  .with(m.to(), node.withClock(m.clock()))
                  .replacing(
                      m,
                      new Message(
                          m.from(),
                          m.to(),
                          false,
                          m.age(),
                          m.clock(),
                          m.resumes(),
                          Math.max(node.clock(), m.clock()))));
      return;
    }
    steps.add(
        "arrives: " + m,
        () -> {
          Node raised = node.withClock(m.clock());
          long resumes = on(Rule.CALLS_NAME_SUSPENSIONS) ? m.resumes() : 0;
          ClockView view = raised.view().called(m.from(), m.from() + 1, m.clock(), 0, resumes, 0);
          long told = m.noted() < 0 ? raised.clock() : m.noted();
          return state
              .with(m.to(), raised.with(view))
              .replacing(m, new Message(m.from(), m.to(), true, m.age(), told, m.resumes(), -1));
        });
  }

  private State answered(State state, Message m) {
    Node node = state.nodes().get(m.from());
    if (node.crashed()) {
      return state.replacing(m, null);
    }
    Node raised = node.withClock(m.clock());
    // The holder's clock is slow: it believes that less time has passed.
    int sent = on(Rule.HOLDER_COUNTS_FROM_SENDING) ? DRIFT - m.age() : DRIFT;
    ClockView view =
        raised.view().answered(m.to(), m.to() + 1, m.clock(), 0, m.resumes(), sent + LEASE);
    return state.with(m.from(), raised.with(normal(view))).replacing(m, null);
  }

  private ClockView normal(ClockView view) {
    TreeMap<Integer, PeerClock> peers = new TreeMap<>();
    for (PeerClock p : view.peers().values()) {
      peers.put(
          p.node(),
          new PeerClock(
              p.node(),
              p.epoch(),
              p.clock(),
              p.bound(),
              Math.max(0, p.grantedUntil()),
              Math.max(0, p.heldUntil()),
              p.suspension(),
              p.revoked(),
              p.accepted(),
              p.dead()));
    }
    return new ClockView(times, view.suspended(), peers);
  }

  // ---- the arbiter

  private void suspend(State state, int target, Steps<State> steps) {
    Decision now = state.decisions().getLast();
    steps.addIf(
        state.suspensions() < maxSuspensions,
        "node " + target + " is suspended",
        () -> state.decided(now.with(target, state.suspensions() + 1), state.suspensions() + 1));
  }

  private static State resume(State state, Resume resume) {
    List<Resume> rest = new ArrayList<>(state.resumes());
    rest.remove(resume);
    Decision now = state.decisions().getLast();
    State next = state.withResumes(rest);
    return now.numbers().get(resume.node()) == resume.number()
        ? next.decided(now.with(resume.node(), 0), state.suspensions())
        : next;
  }

  private State learn(State state, int i) {
    Node node = state.nodes().get(i);
    Decision decision = state.decisions().get(node.seen() + 1);
    long own = on(Rule.SUSPENDED_WAIT_FOR_ALL) ? decision.numbers().get(i) : 0;
    ClockView view = node.view().suspensions(own, epoch -> decision.numbers().get((int) epoch - 1));
    return state.with(
        i,
        new Node(view, node.clock(), node.seen() + 1, node.commit(), node.csn(), node.crashed()));
  }
}
