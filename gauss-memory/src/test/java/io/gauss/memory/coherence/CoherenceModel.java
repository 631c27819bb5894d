package io.gauss.memory.coherence;

import io.gauss.common.explore.Exploration;
import io.gauss.common.explore.Exploration.Steps;
import io.gauss.memory.coherence.HolderPage.Goal;
import io.gauss.memory.coherence.HolderPage.Right;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * One page, its home, some compute nodes, and a page store, with the real transition functions.
 * Each pair of nodes has its own queue of messages, so that messages of different senders arrive in
 * every order.
 *
 * <p>A page's content is its LSN. A write gets an LSN from the writer's clock, which messages
 * carry; {@code newest} is the last write that is not lost with a dead node. A snapshot is a
 * reading of the clock of a node that may read the page at that time.
 *
 * <p>The page store is as far behind as it may be: it answers with the oldest durable version that
 * the LSN and the floors of a grant allow. The home drops the page's bytes, and its entry, whenever
 * it may. What arrives at a home that is being rebuilt is kept or dropped as {@link
 * DirectoryRebuild#isKept} says, as at the home that serves.
 *
 * <p>The numbers of requests, writes, evictions, clock ticks, deaths, losses of the home and errors
 * of threads, whose page was spoiled or came too late, are bounded.
 */
final class CoherenceModel implements Exploration.Model<CoherenceModel.State> {
  static final int HOME = 0;

  /** Rules that can be left out, to show that they are needed. */
  enum Rule {
    /** Bytes do not overtake other messages between the same two nodes (14). */
    IN_ORDER,
    /** An owner revokes all readers before it gives the page back (15). */
    RELEASE_REVOKES,
    /** A giver keeps the page until the taker is known to have it (16). */
    LEAVING_IS_KEPT,
    /** Orders with an older number are recognized as out of date (17). */
    NUMBERS,
    /** The clock of an acknowledgement is read after the frame was given up (3). */
    STAMP_AFTER_FLIP,
    /** All live nodes have installed a death before the dead node's page is given away (10). */
    BARRIER_ON_DEATH,
    /** A page leaves only when its log is durable (law 3, log before leave). */
    LOG_BEFORE_LEAVE,
    /** A confirmation carries the page's LSN, which the home keeps while the page is owned (17). */
    CONFIRM_CARRIES_LSN,
    /** Page stores answer only when they have applied the streams up to the floors (18). */
    READ_FLOOR,
    /**
     * A taker is heard although the home is being rebuilt, or does not know yet that it has the
     * page (33).
     */
    TAKER_IS_HEARD,
    /** A taker whose death the giver has installed is dead when all have (10). */
    DEAD_FOR_ALL,
    /** A page whose bytes are spoiled goes to its home all the same (33). */
    SPOILED_IS_RETURNED
  }

  /**
   * Bounds of the events; {@code writes} of -1 means that a snapshot has missed one, {@code ticks}
   * of -1 that there are no snapshots at all, which leaves room for other events.
   */
  record Bounds(
      int nodes,
      int needs,
      int writes,
      int evictions,
      int ticks,
      int deaths,
      int losses,
      int spoils) {
    Bounds writes(int next) {
      return new Bounds(nodes, needs, next, evictions, ticks, deaths, losses, spoils);
    }
  }

  /**
   * A message.
   *
   * @param what an event of the receiver
   * @param lsn of the page that is included; -1 = none
   * @param homeEpoch of the home that sends or receives it; 0 for other messages
   * @param travels whether the page's bytes are in the message, and not to be read from a page
   *     store
   */
  record Message(Object what, int clock, int lsn, int homeEpoch, boolean travels) {
    Message(Object what, int clock, int homeEpoch) {
      this(what, clock, -1, homeEpoch, false);
    }
  }

  /** A version of the page that is durable, and the node whose stream has it. */
  record Version(int lsn, int writer) {}

  /**
   * A compute node.
   *
   * @param lsn of the page in its frame
   * @param stamp clock read too early for an acknowledgement that is not sent yet; -1 = none
   * @param late the acknowledgement to be sent with it
   * @param needed mode that a thread waits for; null = none
   */
  record Node(
      boolean alive,
      HolderPage page,
      int lsn,
      int clock,
      int highestSnapshot,
      int homeEpoch,
      boolean installed,
      int stamp,
      HolderEvent late,
      Mode needed) {

    static final Node DEAD = new Node(false, HolderPage.ABSENT, 0, 0, 0, 0, false, -1, null, null);

    static final Node NEW = new Node(true, HolderPage.ABSENT, 0, 1, 0, 0, false, -1, null, null);

    /** Sets the mode that a thread waits for, unless the page allows it. */
    Node waiting(Mode mode) {
      boolean has = mode == null || (mode == Mode.READ ? page.mayRead() : page.mayWrite());
      return needed(has ? null : mode);
    }

    /** Without a right there are no bytes. */
    Node page(HolderPage next) {
      return new Node(
          alive,
          next,
          next.right() == Right.NONE ? 0 : lsn,
          clock,
          highestSnapshot,
          homeEpoch,
          installed,
          stamp,
          late,
          needed);
    }

    Node lsn(int next) {
      return new Node(
          alive, page, next, clock, highestSnapshot, homeEpoch, installed, stamp, late, needed);
    }

    Node clock(int next) {
      return new Node(
          alive, page, lsn, next, highestSnapshot, homeEpoch, installed, stamp, late, needed);
    }

    Node snapshot() {
      return new Node(alive, page, lsn, clock, clock, homeEpoch, installed, stamp, late, needed);
    }

    Node homeEpoch(int next) {
      return new Node(
          alive, page, lsn, clock, highestSnapshot, next, installed, stamp, late, needed);
    }

    Node deathInstalled() {
      return new Node(
          alive, page, lsn, clock, highestSnapshot, homeEpoch, true, stamp, late, needed);
    }

    Node late(int readAt, HolderEvent event) {
      return new Node(
          alive, page, lsn, clock, highestSnapshot, homeEpoch, installed, readAt, event, needed);
    }

    Node needed(Mode mode) {
      return new Node(
          alive, page, lsn, clock, highestSnapshot, homeEpoch, installed, stamp, late, mode);
    }
  }

  record State(
      DirectoryPage home,
      int homeClock,
      int homeEpoch,
      boolean rebuilding,
      int reported,
      List<HolderReport> reports,
      List<DirectoryEvent> early,
      List<Integer> floors,
      int buried,
      List<Node> nodes,
      List<List<Message>> queues,
      int newest,
      List<Version> durable,
      Bounds left) {
    @Override
    public int hashCode() {
      return Objects.hash(
                  home, homeClock, nodes, queues, newest, durable, left, reported, floors, early)
              * 31
          + homeEpoch;
    }
  }

  private final Bounds bounds;
  private final Set<Rule> rules;

  CoherenceModel(Bounds bounds, Set<Rule> rules) {
    this.bounds = bounds;
    this.rules = rules;
  }

  static CoherenceModel withAllRules(Bounds bounds) {
    return new CoherenceModel(bounds, EnumSet.allOf(Rule.class));
  }

  static CoherenceModel without(Rule rule, Bounds bounds) {
    return new CoherenceModel(bounds, EnumSet.complementOf(EnumSet.of(rule)));
  }

  @Override
  public State initial() {
    List<Node> nodes = new ArrayList<>();
    nodes.add(null); // in the home's place
    for (int slot = 1; slot <= bounds.nodes; slot++) {
      nodes.add(Node.NEW);
    }
    int all = bounds.nodes + 1;
    List<List<Message>> queues = new ArrayList<>();
    for (int i = 0; i < all * all; i++) {
      queues.add(List.of());
    }
    return new State(
        DirectoryPage.UNKNOWN,
        1,
        0,
        false,
        0,
        List.of(),
        List.of(),
        Collections.nCopies(all, 0),
        0,
        nodes,
        queues,
        0,
        List.of(),
        bounds);
  }

  private CoherenceRun run(State state) {
    return new CoherenceRun(state, rules);
  }

  // ---- possible steps

  @Override
  public void steps(State state, Steps<State> steps) {
    driven(state, steps);
    chosen(state, steps);
  }

  /** Steps that happen by themselves. */
  private void driven(State state, Steps<State> steps) {
    for (int slot = 1; slot <= bounds.nodes; slot++) {
      int at = slot;
      Node node = state.nodes.get(at);
      if (!node.alive) {
        continue;
      }
      steps.addIf(
          node.needed == Mode.WRITE
              && node.page.mayRead()
              && node.page.want() == null
              && node.page.goal() == Goal.KEEP,
          "node " + at + ": still needs to write",
          () -> run(state).need(at, Mode.WRITE).state());
      steps.addIf(
          node.page.goal() == Goal.TURN,
          "node " + at + ": turn over",
          () -> run(state).holder(at, new HolderEvent.TurnOver()).state());
      steps.addIf(
          isForcing(node), "node " + at + ": durable", () -> run(state).durable(at).state());
      steps.addIf(
          node.late != null, "node " + at + ": gives up late", () -> run(state).late(at).state());
      steps.addIf(
          hasDead(state) && !node.installed,
          "node " + at + ": installs the death",
          () -> run(state).install(at).state());
      steps.addIf(
          state.rebuilding
              && node.homeEpoch < state.homeEpoch
              && (!hasDead(state) || node.installed),
          "node " + at + ": reports",
          () -> run(state).report(at).state());
    }
    deliveries(state, steps);
    steps.addIf(
        hasDead(state) && state.buried == 0 && mayBury(state),
        "home: the dead node is gone",
        () -> run(state).bury().state());
    steps.addIf(
        state.rebuilding && allHaveReported(state),
        "home: rebuilt",
        () -> run(state).rebuild().state());
  }

  private void deliveries(State state, Steps<State> steps) {
    int all = bounds.nodes + 1;
    for (int from = 0; from < all; from++) {
      for (int to = 0; to < all; to++) {
        List<Message> queue = state.queues.get(from * all + to);
        boolean takes = to == HOME || state.nodes.get(to).alive;
        int choices = rules.contains(Rule.IN_ORDER) ? Math.min(1, queue.size()) : queue.size();
        for (int i = 0; i < choices && takes; i++) {
          int index = i;
          int sender = from;
          int receiver = to;
          steps.add(
              sender + " -> " + receiver + ": " + queue.get(i).what,
              () -> run(state).deliver(sender, receiver, index).state());
          steps.addIf(
              state.left.spoils > 0 && to != HOME && queue.get(i).travels,
              sender + " -> " + receiver + ", spoiled: " + queue.get(i).what,
              () -> run(state).deliverSpoiled(sender, receiver, index).state());
        }
      }
    }
  }

  /** Requests and failures. */
  private void chosen(State state, Steps<State> steps) {
    for (int slot = 1; slot <= bounds.nodes; slot++) {
      int at = slot;
      Node node = state.nodes.get(at);
      if (!node.alive) {
        continue;
      }
      steps.addIf(
          state.left.needs > 0 && !node.page.mayRead() && node.needed == null,
          "node " + at + ": needs to read",
          () -> run(state).need(at, Mode.READ).state());
      steps.addIf(
          state.left.needs > 0 && !node.page.mayWrite() && node.needed == null,
          "node " + at + ": needs to write",
          () -> run(state).need(at, Mode.WRITE).state());
      steps.addIf(
          state.left.needs > 0 && node.page.mayWrite() && node.page.goal() == Goal.KEEP,
          "node " + at + ": keeps it for a turn",
          () -> run(state).retain(at).state());
      steps.addIf(
          state.left.writes > 0 && node.page.mayWrite(),
          "node " + at + ": writes",
          () -> run(state).write(at).state());
      steps.addIf(
          state.left.ticks >= 0 && node.page.mayRead() && node.clock > node.highestSnapshot,
          "node " + at + ": reads at " + node.clock,
          () -> run(state).read(at).state());
      steps.addIf(
          state.left.evictions > 0
              && (node.page.right() == Right.SHARED || node.page.right() == Right.OWNED),
          "node " + at + ": evicts",
          () -> run(state).evict(at).state());
      steps.addIf(
          state.left.spoils > 0 && node.needed != null && node.page.want() != null,
          "node " + at + ": has waited for too long",
          () -> run(state).giveUp(at).state());
      steps.addIf(
          state.left.ticks > 0, "node " + at + ": clock ticks", () -> run(state).tick(at).state());
      steps.addIf(state.left.deaths > 0, "node " + at + ": dies", () -> run(state).die(at).state());
    }
    steps.addIf(
        state.home.hasBytes() && !state.rebuilding,
        "home: drops the bytes",
        () -> run(state).dropBytes().state());
    steps.addIf(
        state.home.state() == DirectoryPage.State.FREE
            && state.home.lsn() != 0
            && !state.rebuilding,
        "home: drops the entry",
        () -> run(state).dropEntry().state());
    steps.addIf(
        state.left.losses > 0 && !state.rebuilding,
        "home: lost",
        () -> run(state).loseHome().state());
  }

  private static boolean isForcing(Node node) {
    return node.page.right() == Right.OWNED
        && (node.page.goal() == Goal.GIVE || node.page.goal() == Goal.RELEASE)
        && (node.page.goal() == Goal.GIVE
                ? Slots.without(node.page.sharers(), node.page.taker())
                : node.page.sharers())
            == Slots.NONE;
  }

  private static boolean hasDead(State state) {
    return dead(state) != 0;
  }

  static int dead(State state) {
    for (int slot = 1; slot < state.nodes.size(); slot++) {
      if (!state.nodes.get(slot).alive) {
        return slot;
      }
    }
    return 0;
  }

  private boolean mayBury(State state) {
    return !rules.contains(Rule.BARRIER_ON_DEATH)
        || state.nodes.stream().skip(1).allMatch(node -> !node.alive || node.installed);
  }

  private static boolean allHaveReported(State state) {
    for (int slot = 1; slot < state.nodes.size(); slot++) {
      if (slot != state.buried && (state.reported >>> slot & 1) == 0) {
        return false;
      }
    }
    return true;
  }

  // ---- forbidden states

  @Override
  public String violation(State state) {
    int owners = 0;
    for (int slot = 1; slot <= bounds.nodes; slot++) {
      Node node = state.nodes.get(slot);
      if (!node.alive) {
        continue;
      }
      HolderPage page = node.page;
      owners += page.right() == Right.OWNED ? 1 : 0;
      boolean fromTheDead =
          page.right() == Right.SHARED
              && page.from() != HOME
              && !state.nodes.get(page.from()).alive;
      if (page.mayRead() && !fromTheDead && node.lsn != state.newest) {
        return "node " + slot + " may read " + node.lsn + ", but the newest is " + state.newest;
      }
    }
    if (owners > 1) {
      return "law 2: " + owners + " owners";
    }
    if (state.home.state() == DirectoryPage.State.ASKING && state.buried == 0) {
      return "rule 10: a survivor is asked before all have installed the death";
    }
    if (isStuck(state)) {
      return "nothing happens any more, but something is waited for";
    }
    return missed(state);
  }

  /** Stability: a snapshot that read the page before a write is below its LSN. */
  private static String missed(State state) {
    return state.left.writes < 0 ? "a snapshot above the LSN of a write did not see it" : null;
  }

  private boolean isStuck(State state) {
    boolean[] continues = {false};
    driven(state, (name, next) -> continues[0] = true);
    if (continues[0]) {
      return false;
    }
    boolean homeWaits = state.rebuilding || !state.home.isSettled();
    return homeWaits
        || state.nodes.stream()
            .skip(1)
            .anyMatch(
                node ->
                    node.alive
                        && (node.needed != null
                            || node.page.want() != null
                            || node.page.goal() != Goal.KEEP
                            || node.page.right() == Right.LEAVING));
  }
}
