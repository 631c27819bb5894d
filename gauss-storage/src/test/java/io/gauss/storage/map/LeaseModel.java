package io.gauss.storage.map;

import io.gauss.common.explore.Exploration;
import io.gauss.common.explore.Exploration.Steps;
import io.gauss.common.explore.Mixing;
import io.gauss.storage.map.MapTable.Outcome;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.map.command.MapResult.RenewalAnswer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Two processes that are the same compute node after each other (or at once, if the rules do not
 * prevent it), successive leaders of the map's group, and a network that delays, repeats and loses
 * messages. The map changes by the real transitions.
 *
 * <p>A process whose lease ran out continues to send renewals, and considers it valid again when
 * one is granted.
 *
 * <p>Time passes in ticks of a global clock that no process can read. A lease lasts two ticks.
 * Holders' clocks are slow and granters' fast, by one tick over a lease: a holder that counts two
 * of its own ticks stops after three, a granter that counts n of its own has waited n - 1. Messages
 * stay for ever, so they may arrive late, twice or never; so do the leaders' proposals. That is
 * also why one leader at a time is enough: a late proposal of a deposed leader could have been made
 * before.
 */
final class LeaseModel implements Exploration.Model<LeaseModel.State> {
  private static final int LEASE = 2;
  private static final int DRIFT = 1;
  private static final int MARGIN = 2 * DRIFT;
  private static final int HOLDS = LEASE + DRIFT;

  /** Rules that can be left out, to show that they are needed. */
  enum Rule {
    /** The end of a lease names the last renewal that the leader knew. */
    EXPIRY_NAMES_RENEWAL,
    /** The holder counts from when it sent the renewal, not from the answer. */
    HOLDER_COUNTS_FROM_SENDING,
    /** The granter waits for a margin beyond the lease. */
    MARGIN,
    /** A new leader waits a full lease. */
    NEW_LEADER_WAITS,
    /** A broken connection is no proof of exit. */
    PROOF_IS_PROOF,
    /** A lease that is still held keeps others from registering as the node. */
    ONE_AT_A_TIME
  }

  enum Life {
    NEW,
    REGISTERING,
    HOLDING,
    EXITED
  }

  /**
   * A process.
   *
   * @param left ticks for which it still considers its lease valid
   * @param sent renewals sent
   */
  record Process(Life life, int epoch, int left, int sent) {
    boolean believes() {
      return life == Life.HOLDING && left > 0;
    }

    Process with(Life newLife, int newLeft) {
      return new Process(newLife, epoch, newLeft, sent);
    }
  }

  enum Kind {
    REGISTER,
    RENEW,
    EXPIRE
  }

  /**
   * A sent message, and its outcome.
   *
   * @param process the sender; 0 for EXPIRE
   * @param number of the renewal; of a registration the epoch that it follows
   * @param age ticks since it was sent
   * @param granted epoch that a registration got, 1 for a renewal that was committed
   */
  record Message(Kind kind, int process, int epoch, int number, int age, int granted)
      implements Comparable<Message> {
    @Override
    public int compareTo(Message other) {
      return Integer.compare(order(), other.order());
    }

    private int order() {
      return ((((kind.ordinal() * 4 + process) * 16 + epoch) * 8 + number) * 8 + age) * 16
          + granted;
    }

    Message granted(int what) {
      return new Message(kind, process, epoch, number, age, what);
    }
  }

  /** The leader, and the renewal from which it counts. */
  record Leader(int epoch, long renewal, int left) {
    static final Leader IDLE = new Leader(0, 0, 0);
  }

  record State(
      int map, List<Process> processes, List<Message> messages, Leader leader, String broken) {
    @Override
    public int hashCode() {
      Mixing mixing = new Mixing().add(map);
      for (Process p : processes) {
        mixing.add(p.life().ordinal()).add(p.epoch()).add(p.left()).add(p.sent());
      }
      for (Message m : messages) {
        mixing.add(m.order());
      }
      return mixing.add(leader.epoch()).add(leader.renewal()).add(leader.left()).hash();
    }

    State with(int process, Process changed) {
      List<Process> all = new ArrayList<>(processes);
      all.set(process, changed);
      return new State(map, all, messages, leader, broken);
    }

    State with(Message message) {
      List<Message> all = new ArrayList<>(messages);
      if (!all.contains(message)) {
        all.add(message);
      }
      return new State(map, processes, all, leader, broken);
    }

    State replacing(Message old, Message changed) {
      List<Message> all = new ArrayList<>(messages);
      all.remove(old);
      if (!all.contains(changed)) {
        all.add(changed);
      }
      return new State(map, processes, all, leader, broken);
    }

    State with(Leader changed) {
      return new State(map, processes, messages, changed, broken);
    }
  }

  private static final int NODE = 2;

  private final MapTable maps = new MapTable();
  private final Set<Rule> rules;

  /** Maximum number of renewals of the first process. */
  private final int renewals;

  private LeaseModel(Set<Rule> rules, int renewals) {
    this.rules = rules;
    this.renewals = renewals;
  }

  static LeaseModel withAllRules(int renewals) {
    return new LeaseModel(EnumSet.allOf(Rule.class), renewals);
  }

  static LeaseModel without(Rule rule) {
    return new LeaseModel(EnumSet.complementOf(EnumSet.of(rule)), 1);
  }

  private boolean on(Rule rule) {
    return rules.contains(rule);
  }

  private int granterWaits() {
    return LEASE + (on(Rule.MARGIN) ? MARGIN : 0) - DRIFT;
  }

  @Override
  public State initial() {
    Process none = new Process(Life.NEW, 0, 0, 0);
    return new State(
        maps.number(MapRun.withStorage(1).map()),
        List.of(none, none),
        new ArrayList<>(),
        Leader.IDLE,
        null);
  }

  @Override
  public String violation(State state) {
    if (state.broken() != null) {
      return state.broken();
    }
    int believing = 0;
    for (Process process : state.processes()) {
      if (process.believes()) {
        believing++;
        if (map(state).isDead(NODE, process.epoch())) {
          return "epoch " + process.epoch() + " was declared dead and believes in its lease";
        }
      }
    }
    return believing > 1 ? "two processes believe to be node " + NODE : null;
  }

  @Override
  public void steps(State state, Steps<State> to) {
    Steps<State> steps = (name, next) -> to.add(name, () -> normal(next.get()));
    steps.add("a tick passes", () -> tick(state));
    for (int i = 0; i < state.processes().size(); i++) {
      process(state, i, steps);
    }
    for (Message message : state.messages()) {
      steps.add("committed: " + message, () -> commit(state, message));
      steps.addIf(message.granted() != 0, "answered: " + message, () -> answer(state, message));
    }
    leader(state, steps);
  }

  private ClusterMap map(State state) {
    return maps.map(state.map());
  }

  /** Removes details that have no effect any more, so that fewer states differ. */
  private State normal(State state) {
    if (state == null) {
      return null;
    }
    List<Process> processes = new ArrayList<>();
    for (Process p : state.processes()) {
      // Its lease is over, and all its requests are refused.
      boolean over =
          p.life() == Life.HOLDING && p.left() == 0 && map(state).isDead(NODE, p.epoch());
      processes.add(over ? p.with(Life.EXITED, 0) : p);
    }
    List<Message> messages = new ArrayList<>();
    for (Message m : state.messages()) {
      Process sender = processes.get(m.process());
      boolean matters =
          switch (m.kind()) {
            case REGISTER -> m.granted() == 0 || sender.life() == Life.REGISTERING;
            case RENEW ->
                map(state).isLive(NODE, m.epoch())
                    && (m.granted() == 0
                        || (sender.life() == Life.HOLDING && HOLDS - m.age() > sender.left()));
            case EXPIRE -> map(state).isLive(NODE, m.epoch());
          };
      boolean awaited =
          switch (m.kind()) {
            case REGISTER -> sender.life() == Life.REGISTERING;
            case RENEW -> sender.life() == Life.HOLDING;
            case EXPIRE -> false;
          };
      if (matters) {
        int age = awaited ? m.age() : 0;
        messages.add(new Message(m.kind(), m.process(), m.epoch(), m.number(), age, m.granted()));
      }
    }
    messages.sort(null);
    Leader leader = state.leader();
    boolean idle =
        !map(state).isLive(NODE, leader.epoch())
            || messages.stream()
                .anyMatch(
                    m ->
                        m.kind() == Kind.EXPIRE
                            && m.epoch() == leader.epoch()
                            && m.number() == leader.renewal());
    return new State(state.map(), processes, messages, idle ? Leader.IDLE : leader, state.broken());
  }

  private int epoch(State state) {
    MapNode node = map(state).nodes().get(NODE);
    return node == null ? 0 : node.epoch();
  }

  private State tick(State state) {
    List<Process> processes = new ArrayList<>();
    for (Process p : state.processes()) {
      processes.add(p.with(p.life(), Math.max(0, p.left() - 1)));
    }
    List<Message> messages = new ArrayList<>();
    for (Message m : state.messages()) {
      boolean ages = m.kind() == Kind.REGISTER || m.kind() == Kind.RENEW;
      int age = ages ? Math.min(HOLDS, m.age() + 1) : 0;
      messages.add(new Message(m.kind(), m.process(), m.epoch(), m.number(), age, m.granted()));
    }
    Leader l = state.leader();
    Leader leader = new Leader(l.epoch(), l.renewal(), Math.max(0, l.left() - 1));
    return new State(state.map(), processes, messages, leader, state.broken());
  }

  private void process(State state, int i, Steps<State> steps) {
    Process p = state.processes().get(i);
    switch (p.life()) {
      case NEW ->
          steps.add(
              "process " + i + " registers",
              () ->
                  state
                      .with(i, p.with(Life.REGISTERING, 0))
                      .with(new Message(Kind.REGISTER, i, 0, epoch(state), 0, 0)));
      case HOLDING ->
          steps.addIf(
              p.sent() < renewals,
              "process " + i + " sends a renewal",
              () ->
                  state
                      .with(i, new Process(p.life(), p.epoch(), p.left(), p.sent() + 1))
                      .with(new Message(Kind.RENEW, i, p.epoch(), p.sent() + 1, 0, 0)));
      case REGISTERING, EXITED -> {}
    }
    boolean lives = p.life() != Life.NEW && p.life() != Life.EXITED;
    steps.addIf(lives, "process " + i + " ends", () -> state.with(i, p.with(Life.EXITED, 0)));
    boolean proof = p.life() == Life.EXITED || (!on(Rule.PROOF_IS_PROOF) && lives);
    steps.addIf(
        proof && p.epoch() != 0,
        "the exit of process " + i + " is reported",
        () -> exited(state, i));
  }

  /** At once: late arrival adds nothing to late detection. */
  private State exited(State state, int i) {
    Outcome outcome =
        maps.apply(
            state.map(),
            new MapCommand.DeclareExited(NODE, state.processes().get(i).epoch(), i + 1));
    return outcome.isDone()
        ? new State(
            settle(outcome.map()),
            state.processes(),
            state.messages(),
            state.leader(),
            outcome.wrong())
        : null;
  }

  private State answer(State state, Message message) {
    Process p = state.processes().get(message.process());
    int left = HOLDS - (on(Rule.HOLDER_COUNTS_FROM_SENDING) ? message.age() : 0);
    if (message.kind() == Kind.REGISTER && p.life() == Life.REGISTERING) {
      return state.with(
          message.process(), new Process(Life.HOLDING, message.granted(), Math.max(left, 0), 0));
    }
    if (message.kind() == Kind.RENEW && p.life() == Life.HOLDING && left > p.left()) {
      return state.with(message.process(), p.with(Life.HOLDING, left));
    }
    return null;
  }

  private void leader(State state, Steps<State> steps) {
    Leader leader = state.leader();
    MapNode node = map(state).nodes().get(NODE);
    int epoch = node == null ? 0 : node.epoch();
    long renewal = node == null ? 0 : node.lease().renewals();
    int waits = on(Rule.NEW_LEADER_WAITS) ? granterWaits() : 0;
    steps.addIf(
        map(state).isLive(NODE, epoch),
        "another leader is elected",
        () -> state.with(new Leader(epoch, renewal, waits)));
    steps.addIf(
        map(state).isLive(NODE, epoch) && (leader.epoch() != epoch || leader.renewal() != renewal),
        "the leader sees epoch " + epoch + ", renewal " + renewal,
        () -> state.with(new Leader(epoch, renewal, granterWaits())));
    steps.addIf(
        leader.left() == 0 && leader.epoch() != 0,
        "the leader proposes the end of the lease",
        () ->
            state.with(new Message(Kind.EXPIRE, 0, leader.epoch(), (int) leader.renewal(), 0, 0)));
  }

  private State commit(State state, Message message) {
    MapCommand command =
        switch (message.kind()) {
          case REGISTER ->
              MapRun.register(NODE, message.number(), message.process() + 1, Role.COMPUTE);
          case RENEW ->
              new MapCommand.RenewLeases(
                  List.of(new MapCommand.Renewal(NODE, message.epoch(), message.number())));
          case EXPIRE -> new MapCommand.ExpireLease(NODE, message.epoch(), renewal(state, message));
        };
    boolean alone = message.kind() != Kind.REGISTER || on(Rule.ONE_AT_A_TIME);
    Outcome outcome =
        alone
            ? maps.apply(state.map(), command)
            : maps.apply(state.map(), command, "no holder", map -> Models.withoutHolder(map, NODE));
    State next =
        new State(
            settle(outcome.map()),
            state.processes(),
            state.messages(),
            state.leader(),
            outcome.wrong());
    if (outcome.result() instanceof MapResult.Registered registered) {
      return next.replacing(message, message.granted(registered.epoch()));
    }
    boolean renewed =
        outcome.result() instanceof MapResult.Renewed r
            && r.answers().get(0) == RenewalAnswer.GRANTED;
    return renewed ? next.replacing(message, message.granted(1)) : next;
  }

  private long renewal(State state, Message message) {
    MapNode node = map(state).nodes().get(NODE);
    return on(Rule.EXPIRY_NAMES_RENEWAL) ? message.number() : node.lease().renewals();
  }

  /** Steps that need no other party happen at once: a stream is sealed, a joining node is UP. */
  private int settle(int number) {
    int settled = number;
    for (Death death : maps.map(number).deaths().values()) {
      settled = maps.apply(settled, new MapCommand.StreamSealed(death.epoch(), 0, 0)).map();
    }
    for (int epoch : maps.map(number).joins().keySet()) {
      settled = maps.apply(settled, new MapCommand.FinishJoin(NODE, epoch, 0)).map();
    }
    return settled;
  }
}
