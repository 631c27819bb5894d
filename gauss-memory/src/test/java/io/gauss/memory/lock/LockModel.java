package io.gauss.memory.lock;

import io.gauss.common.explore.Exploration;
import io.gauss.common.explore.Mixing;
import io.gauss.memory.lock.NodeLock.Held;
import io.gauss.memory.lock.NodeLockTransitions.Message;
import java.util.ArrayList;
import java.util.List;

/**
 * One lock, its home and the nodes that use it, with messages under way: the production
 * transitions, in every order. Node {@code i} has epoch {@code i + 1}.
 */
final class LockModel implements Exploration.Model<LockModel.State> {
  /** Rules that are left out, to show that they are needed. */
  enum Flaw {
    NONE,
    /** A release ends any lease. */
    RELEASE_WITHOUT_NUMBER,
    /** Messages to a node overtake each other. */
    NO_ORDER,
    /** The home recalls no lease. */
    NO_RECALL,
    /** Leases of a dead node end with it. */
    DEATH_ENDS_LEASES,
    /** What a node has sent before its death is processed after it. */
    HEARS_THE_DEAD,
    /** A recall that is no longer needed is not cancelled. */
    NO_KEEP,
    /** A new home serves before all nodes have reported. */
    NO_WAITING_FOR_REPORTS,
    /** A new home does not make nodes repeat their requests. */
    NO_ASKING_AGAIN,
    /** A request for now is denied because of any lease, whether or not it is used. */
    NO_PROBES
  }

  record Node(NodeLock lock, List<Message> up, List<LockAction> down, int budget, boolean dead) {
    Node {
      up = List.copyOf(up);
      down = List.copyOf(down);
    }

    int users() {
      return lock.leases().stream().mapToInt(Held::users).sum();
    }
  }

  /**
   * @param missing bits of the nodes that have not reported to a new home
   * @param losses of homes that may still happen
   * @param tried the request for now; null = there is none
   */
  record State(
      GlobalLock home,
      List<Node> nodes,
      int withdrawals,
      int recovery,
      int missing,
      int losses,
      Tried tried) {
    State {
      nodes = List.copyOf(nodes);
    }

    State(
        GlobalLock home, List<Node> nodes, int withdrawals, int recovery, int missing, int losses) {
      this(home, nodes, withdrawals, recovery, missing, losses, null);
    }

    State with(Tried next) {
      return new State(home, nodes, withdrawals, recovery, missing, losses, next);
    }

    @Override
    public int hashCode() {
      Mixing mixing =
          new Mixing()
              .add(home.hashCode())
              .add(withdrawals)
              .add(recovery)
              .add(missing)
              .add(losses)
              .add(tried == null ? 0 : tried.hashCode());
      nodes.forEach(n -> mixing.add(n.hashCode()));
      return mixing.hash();
    }
  }

  /**
   * The request for now of a node.
   *
   * @param justified whether others have had the lock, or waited for it, at any moment since
   * @param denied whether the node has been told so
   */
  record Tried(int at, LockMode mode, boolean justified, boolean denied) {
    /** The same in each run, which an enum's own is not. */
    @Override
    public int hashCode() {
      return (at * 31 + mode.id()) * 4 + (justified ? 2 : 0) + (denied ? 1 : 0);
    }
  }

  /** Number of the request for now, which is no other's. */
  private static final long TRIED = 99;

  private final int nodes;
  private final int requests;
  private final int withdrawals;
  private final boolean deaths;
  private final int losses;
  private final List<LockMode> modes;
  private final Flaw flaw;
  private final boolean tries;

  /** Stands for the report of the bucket, after those of the leases. */
  private static final Message REPORTED = new Message.Withdraw(0);

  LockModel(
      int nodes, int requests, int withdrawals, boolean deaths, List<LockMode> modes, Flaw flaw) {
    this(nodes, requests, withdrawals, deaths, 0, modes, flaw, false);
  }

  LockModel(
      int nodes,
      int requests,
      int withdrawals,
      boolean deaths,
      int losses,
      List<LockMode> modes,
      Flaw flaw) {
    this(nodes, requests, withdrawals, deaths, losses, modes, flaw, false);
  }

  /**
   * @param losses how many times the home may be lost
   * @param tries whether one node requests the lock for now
   */
  LockModel(
      int nodes,
      int requests,
      int withdrawals,
      boolean deaths,
      int losses,
      List<LockMode> modes,
      Flaw flaw,
      boolean tries) {
    this.nodes = nodes;
    this.requests = requests;
    this.withdrawals = withdrawals;
    this.deaths = deaths;
    this.losses = losses;
    this.modes = modes;
    this.flaw = flaw;
    this.tries = tries;
  }

  @Override
  public State initial() {
    List<Node> all = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      all.add(new Node(NodeLock.NOTHING, List.of(), List.of(), requests, false));
    }
    return new State(GlobalLock.FREE, all, withdrawals, deaths ? 0 : 4, 0, losses);
  }

  @Override
  public void steps(State state, Exploration.Steps<State> all) {
    // What becomes of the request for now is seen from outside, after each step.
    Exploration.Steps<State> steps =
        (name, next) -> all.add(name, () -> observed(state.tried(), next.get()));
    for (int i = 0; i < nodes; i++) {
      int at = i;
      Node node = state.nodes().get(i);
      if (!node.dead()) {
        transactions(state, at, node, steps);
      }
      messages(state, at, node, steps);
    }
    deaths(state, steps);
    steps.addIf(state.losses() > 0, "the home is lost", () -> homeLost(state));
  }

  private State observed(Tried before, State next) {
    Tried tried = next.tried() == null ? before : next.tried();
    if (tried == null) {
      return next;
    }
    boolean isJustified = tried.justified() || isExcluded(next, tried);
    return next.with(new Tried(tried.at(), tried.mode(), isJustified, tried.denied()));
  }

  private boolean isExcluded(State state, Tried tried) {
    for (int i = 0; i < nodes; i++) {
      Node other = state.nodes().get(i);
      boolean has =
          other.lock().leases().stream()
              .anyMatch(held -> held.users() > 0 && held.mode().conflictsWith(tried.mode()));
      boolean waits =
          other.lock().asked().stream()
              .anyMatch(asked -> !asked.now() && asked.mode().conflictsWith(tried.mode()));
      if (i != tried.at() && has || waits) {
        return true;
      }
    }
    return state.home().leases().stream().anyMatch(lease -> lease.orphan());
  }

  private void transactions(State state, int at, Node node, Exploration.Steps<State> steps) {
    for (LockMode mode : modes) {
      steps.addIf(
          tries && state.tried() == null && node.users() == 0,
          "node %d wants %s now".formatted(at, mode),
          () ->
              with(
                      state,
                      at,
                      NodeLockTransitions.acquire(node.lock(), TRIED, mode, false, true),
                      node.budget())
                  .with(new Tried(at, mode, false, false)));
    }
    for (LockMode mode : modes) {
      boolean ahead = node.users() > 0;
      steps.addIf(
          node.budget() > 0,
          "node %d wants %s".formatted(at, mode),
          () ->
              with(
                  state,
                  at,
                  NodeLockTransitions.acquire(node.lock(), node.budget(), mode, ahead, false),
                  node.budget() - 1));
    }
    for (Held held : node.lock().leases()) {
      steps.addIf(
          held.users() > 0,
          "node %d ends with %s".formatted(at, held.mode()),
          () -> with(state, at, NodeLockTransitions.end(node.lock(), held.mode()), node.budget()));
    }
    for (NodeLock.Asked asked : node.lock().asked()) {
      steps.addIf(
          state.withdrawals() > 0,
          "node %d withdraws %s".formatted(at, asked),
          () -> {
            State next =
                with(
                    state,
                    at,
                    NodeLockTransitions.withdraw(node.lock(), asked.request()),
                    node.budget());
            return new State(
                next.home(),
                next.nodes(),
                state.withdrawals() - 1,
                state.recovery(),
                state.missing(),
                state.losses());
          });
    }
    boolean hasIdle = node.lock().leases().stream().anyMatch(h -> h.users() == 0);
    steps.addIf(
        hasIdle && state.withdrawals() > 0,
        "node %d gives back".formatted(at),
        () -> with(state, at, NodeLockTransitions.giveBack(node.lock()), node.budget()));
  }

  private void messages(State state, int at, Node node, Exploration.Steps<State> steps) {
    if (!node.up().isEmpty()) {
      Message message = node.up().getFirst();
      List<Message> rest = node.up().subList(1, node.up().size());
      steps.add(
          "home gets %s of node %d".formatted(message, at),
          () -> {
            Node without = new Node(node.lock(), rest, node.down(), node.budget(), node.dead());
            State next = replaced(state, at, without);
            return node.dead() && flaw != Flaw.HEARS_THE_DEAD ? next : arrived(next, at, message);
          });
    }
    int deliverable = flaw == Flaw.NO_ORDER ? node.down().size() : Math.min(1, node.down().size());
    for (int i = 0; i < deliverable; i++) {
      LockAction action = node.down().get(i);
      List<LockAction> rest = new ArrayList<>(node.down());
      rest.remove(i);
      steps.add(
          "node %d gets %s".formatted(at, action),
          () -> {
            Node without = new Node(node.lock(), node.up(), rest, node.budget(), false);
            State next =
                with(replaced(state, at, without), at, atNode(node.lock(), action), node.budget());
            Tried tried = state.tried();
            return action instanceof LockAction.Deny
                ? next.with(new Tried(at, tried.mode(), tried.justified(), true))
                : next;
          });
    }
  }

  /** A new home knows nothing, and messages from and to the old one are lost. */
  private State homeLost(State state) {
    List<Node> all = new ArrayList<>();
    for (Node node : state.nodes()) {
      NodeLockTransitions.Step step = NodeLockTransitions.homeLost(node.lock());
      List<Message> up = new ArrayList<>(step.messages());
      up.add(REPORTED);
      all.add(new Node(step.lock(), up, List.of(), node.budget(), false));
    }
    int missing = flaw == Flaw.NO_WAITING_FOR_REPORTS ? 0 : (1 << nodes) - 1;
    return new State(
        GlobalLock.FREE, all, state.withdrawals(), state.recovery(), missing, state.losses() - 1);
  }

  private State arrived(State state, int at, Message message) {
    if (message.equals(REPORTED)) {
      int missing = state.missing() & ~(1 << at);
      List<Node> all = new ArrayList<>(state.nodes());
      if (missing == 0 && flaw != Flaw.NO_ASKING_AGAIN) {
        for (int i = 0; i < nodes; i++) {
          Node node = all.get(i);
          List<LockAction> down = new ArrayList<>(node.down());
          down.add(askAgain(i));
          all.set(i, new Node(node.lock(), node.up(), down, node.budget(), false));
        }
      }
      return new State(
          state.home(), all, state.withdrawals(), state.recovery(), missing, state.losses());
    }
    if (message instanceof Message.Request && state.missing() != 0) {
      return state; // the request is repeated
    }
    return home(state, atHome(state.home(), at + 1, message));
  }

  /** Stands for the message that makes a node repeat its requests. */
  private static LockAction askAgain(int at) {
    return new LockAction.Keep(at + 1, 0);
  }

  private LockTransitions.Step atHome(GlobalLock lock, int epoch, Message message) {
    return switch (message) {
      case Message.Request r ->
          LockTransitions.request(lock, epoch, r.request(), r.mode(), r.ahead(), r.now());
      case Message.Withdraw w -> LockTransitions.withdraw(lock, epoch, w.request());
      case Message.Probed p -> LockTransitions.probed(lock, epoch, p.asker(), p.request());
      case Message.Report r ->
          new LockTransitions.Step(
              LockTransitions.reported(lock, epoch, r.mode(), r.number()), List.of());
      case Message.Release r ->
          LockTransitions.release(
              lock,
              epoch,
              r.modes(),
              flaw == Flaw.RELEASE_WITHOUT_NUMBER ? Long.MAX_VALUE : r.upTo());
    };
  }

  private static NodeLockTransitions.Step atNode(NodeLock lock, LockAction action) {
    return switch (action) {
      case LockAction.Grant g -> NodeLockTransitions.granted(lock, g);
      case LockAction.Recall r -> NodeLockTransitions.recalled(lock, r);
      case LockAction.Keep k when k.modes() == 0 -> NodeLockTransitions.askAgain(lock);
      case LockAction.Keep k -> NodeLockTransitions.kept(lock, k);
      case LockAction.Probe p -> NodeLockTransitions.probed(lock, p);
      case LockAction.Deny d -> NodeLockTransitions.denied(lock, d);
    };
  }

  /** Node 0 dies, node 1 becomes its recoverer, and has recovered it: 0 to 3. */
  private void deaths(State state, Exploration.Steps<State> steps) {
    switch (state.recovery()) {
      case 0 ->
          steps.add(
              "node 0 dies",
              () -> {
                List<Message> sent = state.nodes().getFirst().up();
                Node gone = new Node(NodeLock.NOTHING, sent, List.of(), 0, true);
                LockTransitions.Step step = LockTransitions.died(state.home(), 1);
                if (flaw == Flaw.DEATH_ENDS_LEASES) {
                  step = LockTransitions.recovered(step.lock(), 1);
                }
                State next = home(replaced(state, 0, gone), step);
                return new State(
                    next.home(),
                    next.nodes(),
                    next.withdrawals(),
                    1,
                    next.missing(),
                    next.losses());
              });
      case 1 ->
          steps.add(
              "node 1 is the recoverer",
              () -> {
                State next = home(state, LockTransitions.inherit(state.home(), 1, 2));
                return new State(
                    next.home(),
                    next.nodes(),
                    next.withdrawals(),
                    2,
                    next.missing(),
                    next.losses());
              });
      case 2 ->
          steps.add(
              "node 0 is recovered",
              () -> {
                State next = home(state, LockTransitions.recovered(state.home(), 1));
                return new State(
                    next.home(),
                    next.nodes(),
                    next.withdrawals(),
                    3,
                    next.missing(),
                    next.losses());
              });
      default -> {}
    }
  }

  private State home(State state, LockTransitions.Step step) {
    List<Node> all = new ArrayList<>(state.nodes());
    for (LockAction ordered : step.actions()) {
      LockAction action = ordered;
      if (action instanceof LockAction.Probe probe && flaw == Flaw.NO_PROBES) {
        action = new LockAction.Deny(probe.asker(), probe.request());
      }
      if (action instanceof LockAction.Recall && flaw == Flaw.NO_RECALL
          || action instanceof LockAction.Keep && flaw == Flaw.NO_KEEP) {
        continue;
      }
      int at = action.epoch() - 1;
      Node node = all.get(at);
      if (!node.dead()) {
        List<LockAction> down = new ArrayList<>(node.down());
        down.add(action);
        all.set(at, new Node(node.lock(), node.up(), down, node.budget(), false));
      }
    }
    GlobalLock lock = step.lock().isFree() ? GlobalLock.FREE : step.lock();
    return new State(
        lock, all, state.withdrawals(), state.recovery(), state.missing(), state.losses());
  }

  private static State with(State state, int at, NodeLockTransitions.Step step, int budget) {
    Node node = state.nodes().get(at);
    List<Message> up = new ArrayList<>(node.up());
    up.addAll(step.messages());
    return replaced(state, at, new Node(step.lock(), up, node.down(), budget, false));
  }

  private static State replaced(State state, int at, Node node) {
    List<Node> all = new ArrayList<>(state.nodes());
    all.set(at, node);
    return new State(
        state.home(), all, state.withdrawals(), state.recovery(), state.missing(), state.losses());
  }

  @Override
  public String violation(State state) {
    Tried tried = state.tried();
    // A node repeats requests to a new home that this one has granted already. It is given another
    // lease then, which it gives back at once; until then others may be denied the lock.
    if (losses == 0 && tried != null && tried.denied() && !tried.justified()) {
      return "node %d is denied what nobody has had".formatted(tried.at());
    }
    for (int i = 0; i < nodes; i++) {
      for (Held held : state.nodes().get(i).lock().leases()) {
        String conflict = held.users() == 0 ? null : conflict(state, i, held.mode());
        if (conflict != null) {
          return conflict;
        }
      }
    }
    boolean isQuiet =
        state.nodes().stream()
            .allMatch(n -> n.up().isEmpty() && n.down().isEmpty() && n.users() == 0);
    boolean isOrphaned = state.home().leases().stream().anyMatch(GlobalLock.Lease::orphan);
    boolean isWaiting =
        !state.home().waiting().isEmpty()
            || state.nodes().stream().anyMatch(n -> !n.lock().asked().isEmpty());
    if (isQuiet && isWaiting && !isOrphaned) {
      return "nobody has the lock, and somebody waits for it for ever";
    }
    boolean isStale =
        state.nodes().stream()
            .anyMatch(n -> n.lock().leases().stream().anyMatch(h -> h.recalled() != 0));
    boolean noMessages =
        state.nodes().stream().allMatch(n -> n.up().isEmpty() && n.down().isEmpty());
    return noMessages && isStale && !isWaiting
        ? "a node continues to give a lease back that nobody wants"
        : null;
  }

  private String conflict(State state, int at, LockMode mode) {
    for (int i = 0; i < nodes; i++) {
      if (i != at) {
        for (Held other : state.nodes().get(i).lock().leases()) {
          if (other.users() > 0 && other.mode().conflictsWith(mode)) {
            return "node %d has %s, node %d has %s".formatted(at, mode, i, other.mode());
          }
        }
      }
    }
    boolean isLate = state.recovery() == 1 || state.recovery() == 2;
    for (GlobalLock.Lease lease : state.home().leases()) {
      if (isLate && lease.orphan() && lease.excludes(at + 1, mode)) {
        return "node %d has %s over what node 0 has changed".formatted(at, mode);
      }
    }
    return null;
  }
}
