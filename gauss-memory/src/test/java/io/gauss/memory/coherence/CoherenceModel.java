package io.gauss.memory.coherence;

import io.gauss.common.explore.Exploration;
import io.gauss.common.explore.Exploration.Steps;
import io.gauss.memory.coherence.HolderPage.Goal;
import io.gauss.memory.coherence.HolderPage.Right;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * One page, its home, some compute nodes, and a page store, with the real transition functions.
 * Between each two nodes messages wait in a queue of their own, so that those of different senders
 * come in every order.
 *
 * <p>A page's content is its LSN. A write gets an LSN from the writer's clock, which messages
 * carry; {@code newest} is the last write that is not lost with a dead node. The page store has
 * what is durable. A snapshot is a reading of the clock of a node that may read the page then.
 *
 * <p>Bounds: so many requests, writes, evictions, ticks of clocks, deaths and losses of the home.
 */
final class CoherenceModel implements Exploration.Model<CoherenceModel.State> {
  private static final int HOME = 0;
  private static final long BASE_OF_EPOCH = 1000;

  /** What may be left out, to see that it is needed. */
  enum Rule {
    /** Bytes do not overtake other messages between the same two nodes (14). */
    IN_ORDER,
    /** An owner revokes all readers before it gives the page back (15). */
    RELEASE_REVOKES,
    /** A giver keeps the page until the taker is known to have it (16). */
    LEAVING_IS_KEPT,
    /** What was ordered under an older number is known to be out of date (17). */
    NUMBERS,
    /** The clock of an acknowledgement is read after the frame was given up (3). */
    STAMP_AFTER_FLIP,
    /** All live nodes have installed a death before the dead node's page is given away (10). */
    BARRIER_ON_DEATH,
    /** A page leaves only when its log is durable (law 3). */
    LOG_BEFORE_LEAVE
  }

  /** How much may happen; {@code writes} of -1 say that one has been missed by a snapshot. */
  record Bounds(
      int nodes, int needs, int writes, int evictions, int ticks, int deaths, int losses) {}

  /**
   * A message.
   *
   * @param what an event of the receiver
   * @param lsn of the page that comes with it; -1 = none does
   * @param homeEpoch of the home that sent it or is to get it; 0 when neither did
   */
  record Message(Object what, int clock, int lsn, int homeEpoch) {}

  /**
   * A compute node.
   *
   * @param lsn of the page in its frame
   * @param stamp clock read too early for an acknowledgement that is not sent yet; -1 = none
   * @param late what is to be acknowledged with it
   * @param needed what a thread waits for; null = nothing
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

    /** What a thread waits for, unless the page allows it. */
    Node waiting(Mode mode) {
      boolean has = mode == null || (mode == Mode.READ ? page.mayRead() : page.mayWrite());
      return new Node(
          alive,
          page,
          lsn,
          clock,
          highestSnapshot,
          homeEpoch,
          installed,
          stamp,
          late,
          has ? null : mode);
    }
  }

  record State(
      HomePage home,
      int homeClock,
      int homeEpoch,
      boolean rebuilding,
      int reported,
      List<HolderReport> reports,
      int buried,
      List<Node> nodes,
      List<List<Message>> queues,
      int newest,
      int store,
      Bounds left) {
    @Override
    public int hashCode() {
      return Objects.hash(home, homeClock, nodes, queues, newest, store, left, reported) * 31
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
      nodes.add(new Node(true, HolderPage.ABSENT, 0, 1, 0, 0, false, -1, null, null));
    }
    int all = bounds.nodes + 1;
    List<List<Message>> queues = new ArrayList<>();
    for (int i = 0; i < all * all; i++) {
      queues.add(List.of());
    }
    return new State(HomePage.UNKNOWN, 1, 0, false, 0, List.of(), 0, nodes, queues, 0, 0, bounds);
  }

  // ---- what can happen

  @Override
  public void steps(State state, Steps<State> steps) {
    driven(state, steps);
    chosen(state, steps);
  }

  /** What happens by itself. */
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
          () -> new Run(state).need(at, Mode.WRITE).state());
      steps.addIf(
          node.page.goal() == Goal.TURN,
          "node " + at + ": turn over",
          () -> new Run(state).holder(at, new HolderEvent.TurnOver()).state());
      steps.addIf(
          isForcing(node), "node " + at + ": durable", () -> new Run(state).durable(at).state());
      steps.addIf(
          node.late != null,
          "node " + at + ": gives up late",
          () -> new Run(state).late(at).state());
      steps.addIf(
          hasDead(state) && !node.installed,
          "node " + at + ": installs the death",
          () -> new Run(state).install(at).state());
      steps.addIf(
          state.rebuilding
              && node.homeEpoch < state.homeEpoch
              && (!hasDead(state) || node.installed),
          "node " + at + ": reports",
          () -> new Run(state).report(at).state());
    }
    deliveries(state, steps);
    steps.addIf(
        hasDead(state) && state.buried == 0 && mayBury(state),
        "home: the dead node is gone",
        () -> new Run(state).bury().state());
    steps.addIf(
        state.rebuilding && allHaveReported(state),
        "home: rebuilt",
        () -> new Run(state).rebuild().state());
  }

  private void deliveries(State state, Steps<State> steps) {
    int all = bounds.nodes + 1;
    for (int from = 0; from < all; from++) {
      for (int to = 0; to < all; to++) {
        List<Message> queue = state.queues.get(from * all + to);
        boolean takes = to == HOME ? !state.rebuilding : state.nodes.get(to).alive;
        int choices = rules.contains(Rule.IN_ORDER) ? Math.min(1, queue.size()) : queue.size();
        for (int i = 0; i < choices && takes; i++) {
          int index = i;
          int sender = from;
          int receiver = to;
          steps.add(
              sender + " -> " + receiver + ": " + queue.get(i).what,
              () -> new Run(state).deliver(sender, receiver, index).state());
        }
      }
    }
  }

  /** What somebody wants or suffers. */
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
          () -> new Run(state).need(at, Mode.READ).state());
      steps.addIf(
          state.left.needs > 0 && !node.page.mayWrite() && node.needed == null,
          "node " + at + ": needs to write",
          () -> new Run(state).need(at, Mode.WRITE).state());
      steps.addIf(
          state.left.writes > 0 && node.page.mayWrite(),
          "node " + at + ": writes",
          () -> new Run(state).write(at).state());
      steps.addIf(
          node.page.mayRead() && node.clock > node.highestSnapshot,
          "node " + at + ": reads at " + node.clock,
          () -> new Run(state).read(at).state());
      steps.addIf(
          state.left.evictions > 0
              && (node.page.right() == Right.SHARED || node.page.right() == Right.OWNED),
          "node " + at + ": evicts",
          () -> new Run(state).evict(at).state());
      steps.addIf(
          state.left.ticks > 0,
          "node " + at + ": clock ticks",
          () -> new Run(state).tick(at).state());
      steps.addIf(
          state.left.deaths > 0, "node " + at + ": dies", () -> new Run(state).die(at).state());
    }
    steps.addIf(
        state.left.losses > 0 && !state.rebuilding,
        "home: lost",
        () -> new Run(state).loseHome().state());
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

  private static int dead(State state) {
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

  // ---- what must never be

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
    boolean[] goesOn = {false};
    driven(state, (name, next) -> goesOn[0] = true);
    if (goesOn[0]) {
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

  // ---- how it happens

  /** A state while it changes. */
  private final class Run {
    private HomePage home;
    private int homeClock;
    private int homeEpoch;
    private boolean rebuilding;
    private int reported;
    private List<HolderReport> reports;
    private int buried;
    private final Node[] nodes;
    private final List<Message>[] queues;
    private int newest;
    private int store;
    private Bounds left;

    @SuppressWarnings("unchecked")
    Run(State state) {
      home = state.home;
      homeClock = state.homeClock;
      homeEpoch = state.homeEpoch;
      rebuilding = state.rebuilding;
      reported = state.reported;
      reports = state.reports;
      buried = state.buried;
      nodes = state.nodes.toArray(Node[]::new);
      queues = state.queues.toArray(List[]::new);
      newest = state.newest;
      store = state.store;
      left = state.left;
    }

    State state() {
      return new State(
          home,
          homeClock,
          homeEpoch,
          rebuilding,
          reported,
          reports,
          buried,
          Arrays.asList(nodes),
          Arrays.asList(queues),
          newest,
          store,
          left);
    }

    Run holder(int slot, HolderEvent event) {
      Node node = nodes[slot];
      HolderTable.Step step = HolderTable.step(node.page, event, slot, node.lsn);
      HolderPage next = step.page();
      if (!rules.contains(Rule.LEAVING_IS_KEPT) && next.right() == Right.LEAVING) {
        next = HolderPage.ABSENT;
      }
      nodes[slot] = with(node, next);
      nodes[slot] = nodes[slot].waiting(nodes[slot].needed);
      step.actions().forEach(action -> perform(slot, node.lsn, action));
      return this;
    }

    private static Node with(Node node, HolderPage page) {
      return new Node(
          node.alive,
          page,
          page.right() == Right.NONE ? 0 : node.lsn,
          node.clock,
          node.highestSnapshot,
          node.homeEpoch,
          node.installed,
          node.stamp,
          node.late,
          node.needed);
    }

    private void perform(int slot, int lsn, HolderAction action) {
      Node node = nodes[slot];
      int clock = node.stamp >= 0 ? node.stamp : node.clock;
      switch (action) {
        case HolderAction.Tell tell -> {
          int bytes = tell.what() instanceof HomeEvent.Release r && r.hasBytes() ? lsn : -1;
          send(slot, HOME, new Message(tell.what(), clock, bytes, node.homeEpoch));
        }
        case HolderAction.Send page ->
            send(
                slot,
                page.to(),
                new Message(
                    page.owned()
                        ? new HolderEvent.Given(slot, page.number())
                        : new HolderEvent.Copy(slot, page.number()),
                    clock,
                    lsn,
                    0));
        case HolderAction.Revoke revoke ->
            send(
                slot,
                revoke.reader(),
                new Message(new HolderEvent.Revoke(slot, revoke.number()), clock, -1, 0));
        case HolderAction.Revoked revoked ->
            send(
                slot,
                revoked.owner(),
                new Message(new HolderEvent.Revoked(slot, revoked.number()), clock, -1, 0));
        case HolderAction.Probe probe ->
            send(
                slot,
                probe.taker(),
                new Message(new HolderEvent.Probed(probe.number()), clock, -1, node.homeEpoch));
        case HolderAction.AwaitDurable await -> {}
        case HolderAction.Report report -> {
          List<HolderReport> more = new ArrayList<>(reports);
          more.add(report.what());
          reports = List.copyOf(more);
        }
      }
    }

    private void send(int from, int to, Message message) {
      if (to != HOME && !nodes[to].alive) {
        return;
      }
      int at = from * nodes.length + to;
      List<Message> longer = new ArrayList<>(queues[at]);
      longer.add(message);
      queues[at] = List.copyOf(longer);
    }

    Run deliver(int from, int to, int index) {
      int at = from * nodes.length + to;
      List<Message> shorter = new ArrayList<>(queues[at]);
      Message message = shorter.remove(index);
      queues[at] = List.copyOf(shorter);
      if (to == HOME) {
        atHome(from, message);
      } else {
        atNode(from, to, message);
      }
      return this;
    }

    private void atHome(int from, Message message) {
      if (message.homeEpoch != homeEpoch || from == buried) {
        return;
      }
      homeClock = Math.max(homeClock, message.clock);
      homeStep(HomeTable.step(home, forgetNumber((HomeEvent) message.what)));
    }

    private HomeEvent forgetNumber(HomeEvent event) {
      if (rules.contains(Rule.NUMBERS)) {
        return event;
      }
      return switch (event) {
        case HomeEvent.Confirm c -> new HomeEvent.Confirm(c.taker(), home.number());
        case HomeEvent.Revoked r -> new HomeEvent.Revoked(r.slot(), home.number());
        default -> event;
      };
    }

    private HolderEvent forgetNumber(HolderPage page, HolderEvent event) {
      if (rules.contains(Rule.NUMBERS)) {
        return event;
      }
      return switch (event) {
        case HolderEvent.Transfer t -> new HolderEvent.Transfer(t.taker(), page.number() + 1);
        case HolderEvent.Confirmed c -> new HolderEvent.Confirmed(page.number());
        case HolderEvent.Revoked r -> new HolderEvent.Revoked(r.reader(), page.shareNumber());
        default -> event;
      };
    }

    private void homeStep(HomeTable.Step step) {
      home = step.page();
      for (HomeAction action : step.actions()) {
        int bytes = -1;
        HolderEvent event =
            switch (action) {
              case HomeAction.Grant grant -> {
                bytes = grant.fromHome() ? (int) grant.lsn() : store;
                yield new HolderEvent.Granted(grant.owned(), grant.number());
              }
              case HomeAction.Share share -> new HolderEvent.Share(share.reader(), share.number());
              case HomeAction.Transfer t -> new HolderEvent.Transfer(t.taker(), t.number());
              case HomeAction.Confirmed c -> new HolderEvent.Confirmed(c.number());
              case HomeAction.Revoke revoke ->
                  new HolderEvent.Revoke(HolderPage.HOME, revoke.number());
              case HomeAction.Trace trace -> new HolderEvent.Traced(trace.number());
              case HomeAction.Ask ask -> new HolderEvent.Asked(ask.number());
            };
        send(HOME, action.to(), new Message(event, homeClock, bytes, homeEpoch));
      }
    }

    private void atNode(int from, int slot, Message message) {
      Node node = nodes[slot];
      boolean fromTheDead = from != HOME && !nodes[from].alive && node.installed;
      boolean fromOldHome = from == HOME && message.homeEpoch != node.homeEpoch;
      boolean forTheDead =
          node.installed
              && (message.what instanceof HolderEvent.Share share && !nodes[share.reader()].alive
                  || message.what instanceof HolderEvent.Transfer transfer
                      && !nodes[transfer.taker()].alive);
      if (fromTheDead || fromOldHome || forTheDead) {
        return;
      }
      HolderEvent event = forgetNumber(node.page, (HolderEvent) message.what);
      int clock = Math.max(node.clock, Math.max(message.clock, message.lsn));
      boolean early = !rules.contains(Rule.STAMP_AFTER_FLIP) && event instanceof HolderEvent.Revoke;
      Node raised =
          new Node(
              true,
              node.page,
              node.lsn,
              clock,
              node.highestSnapshot,
              node.homeEpoch,
              node.installed,
              early ? clock : node.stamp,
              early ? event : node.late,
              node.needed);
      nodes[slot] = raised;
      if (early) {
        return;
      }
      holder(slot, event);
      Node after = nodes[slot];
      boolean took =
          message.lsn >= 0 && after.page.mayRead() && after.page.right() != node.page.right()
              || event instanceof HolderEvent.Given
              || event instanceof HolderEvent.Granted g && g.owned() && after.page.mayRead();
      if (took) {
        nodes[slot] = withLsn(after, message.lsn);
      }
    }

    private static Node withLsn(Node node, int lsn) {
      return new Node(
          node.alive,
          node.page,
          lsn,
          node.clock,
          node.highestSnapshot,
          node.homeEpoch,
          node.installed,
          node.stamp,
          node.late,
          node.needed);
    }

    Run late(int slot) {
      Node node = nodes[slot];
      holder(slot, node.late);
      Node after = nodes[slot];
      nodes[slot] =
          new Node(
              true,
              after.page,
              after.lsn,
              after.clock,
              after.highestSnapshot,
              after.homeEpoch,
              after.installed,
              -1,
              null,
              after.needed);
      return this;
    }

    Run durable(int slot) {
      if (rules.contains(Rule.LOG_BEFORE_LEAVE)) {
        store = Math.max(store, nodes[slot].lsn);
      }
      return holder(slot, new HolderEvent.Durable());
    }

    Run write(int slot) {
      Node node = nodes[slot];
      int lsn = Math.max(node.clock, node.lsn) + 1;
      boolean missed =
          Arrays.stream(nodes)
              .skip(1)
              .anyMatch(other -> other.alive && other.highestSnapshot >= lsn);
      nodes[slot] =
          new Node(
              true,
              node.page,
              lsn,
              lsn,
              node.highestSnapshot,
              node.homeEpoch,
              node.installed,
              node.stamp,
              node.late,
              node.needed);
      newest = lsn;
      left =
          new Bounds(
              left.nodes,
              left.needs,
              missed ? -1 : left.writes - 1,
              left.evictions,
              left.ticks,
              left.deaths,
              left.losses);
      return this;
    }

    Run read(int slot) {
      Node node = nodes[slot];
      nodes[slot] =
          new Node(
              true,
              node.page,
              node.lsn,
              node.clock,
              node.clock,
              node.homeEpoch,
              node.installed,
              node.stamp,
              node.late,
              node.needed);
      return this;
    }

    Run tick(int slot) {
      Node node = nodes[slot];
      nodes[slot] =
          new Node(
              true,
              node.page,
              node.lsn,
              node.clock + 1,
              node.highestSnapshot,
              node.homeEpoch,
              node.installed,
              node.stamp,
              node.late,
              node.needed);
      left = spent(0, 0, 1, 0, 0);
      return this;
    }

    Run evict(int slot) {
      left = spent(0, 1, 0, 0, 0);
      Node node = nodes[slot];
      if (!rules.contains(Rule.RELEASE_REVOKES)) {
        HolderPage page = node.page;
        nodes[slot] =
            with(
                node,
                new HolderPage(
                    page.right(),
                    page.number(),
                    page.from(),
                    Slots.NONE,
                    page.shareNumber(),
                    page.goal(),
                    page.taker(),
                    page.takeNumber(),
                    page.reads(),
                    page.want()));
      }
      return holder(slot, new HolderEvent.Evict());
    }

    /** A thread begins to wait; or goes on waiting, since it got less than it wants. */
    Run need(int slot, Mode mode) {
      if (nodes[slot].needed == null) {
        left = spent(1, 0, 0, 0, 0);
      }
      nodes[slot] = nodes[slot].waiting(mode);
      return holder(slot, new HolderEvent.Need(mode));
    }

    private Bounds spent(int needs, int evictions, int ticks, int deaths, int losses) {
      return new Bounds(
          left.nodes,
          left.needs - needs,
          left.writes,
          left.evictions - evictions,
          left.ticks - ticks,
          left.deaths - deaths,
          left.losses - losses);
    }

    Run die(int slot) {
      left = spent(0, 0, 0, 1, 0);
      Node node = nodes[slot];
      if (node.page.right() == Right.OWNED && node.lsn == newest) {
        newest = store; // what was not durable has never been told to anybody
      }
      nodes[slot] = new Node(false, HolderPage.ABSENT, 0, 0, 0, 0, false, -1, null, null);
      for (int from = 0; from < nodes.length; from++) {
        queues[from * nodes.length + slot] = List.of();
      }
      return this;
    }

    Run install(int slot) {
      Node node = nodes[slot];
      int gone = dead(state());
      nodes[slot] =
          new Node(
              true,
              node.page,
              node.lsn,
              node.clock,
              node.highestSnapshot,
              node.homeEpoch,
              true,
              node.stamp,
              node.late,
              node.needed);
      queues[gone * nodes.length + slot] = List.of();
      return holder(slot, new HolderEvent.Died(gone));
    }

    Run bury() {
      buried = dead(state());
      queues[buried * nodes.length + HOME] = List.of();
      for (Node node : nodes) {
        if (node != null && node.alive && node.installed) {
          homeClock = Math.max(homeClock, node.clock);
        }
      }
      homeClock = Math.max(homeClock, store);
      if (rebuilding) {
        startRebuild();
      } else {
        homeStep(HomeTable.step(home, new HomeEvent.Died(buried)));
        haveAllAskAgain();
      }
      return this;
    }

    Run loseHome() {
      left = spent(0, 0, 0, 0, 1);
      startRebuild();
      homeClock = 0;
      for (int from = 1; from < nodes.length; from++) {
        queues[from * nodes.length + HOME] = List.of();
      }
      return this;
    }

    private void startRebuild() {
      rebuilding = true;
      homeEpoch++;
      reported = 0;
      reports = List.of();
      home = HomePage.UNKNOWN;
    }

    Run report(int slot) {
      Node node = nodes[slot];
      nodes[slot] =
          new Node(
              true,
              node.page,
              node.lsn,
              node.clock,
              node.highestSnapshot,
              homeEpoch,
              node.installed,
              node.stamp,
              node.late,
              node.needed);
      holder(slot, new HolderEvent.HomeLost());
      reported |= 1 << slot;
      homeClock = Math.max(homeClock, nodes[slot].clock);
      return this;
    }

    Run rebuild() {
      long live = 0;
      for (int slot = 1; slot < nodes.length; slot++) {
        live = slot == buried ? live : Slots.with(live, slot);
      }
      homeStep(HomeRebuild.of(reports, homeEpoch * BASE_OF_EPOCH, live));
      rebuilding = false;
      reports = List.of();
      reported = 0;
      haveAllAskAgain();
      return this;
    }

    private void haveAllAskAgain() {
      for (int slot = 1; slot < nodes.length; slot++) {
        send(HOME, slot, new Message(new HolderEvent.AskAgain(), homeClock, -1, homeEpoch));
      }
    }
  }
}
