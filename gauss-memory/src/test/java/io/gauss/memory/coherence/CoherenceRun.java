package io.gauss.memory.coherence;

import static io.gauss.memory.coherence.CoherenceModel.HOME;

import io.gauss.memory.coherence.CoherenceModel.Bounds;
import io.gauss.memory.coherence.CoherenceModel.Message;
import io.gauss.memory.coherence.CoherenceModel.Node;
import io.gauss.memory.coherence.CoherenceModel.Rule;
import io.gauss.memory.coherence.CoherenceModel.State;
import io.gauss.memory.coherence.CoherenceModel.Version;
import io.gauss.memory.coherence.HolderPage.Right;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** A state while it changes. */
final class CoherenceRun {
  private static final long BASE_OF_EPOCH = 1000;

  private final Set<Rule> rules;
  private DirectoryPage home;
  private int homeClock;
  private int homeEpoch;
  private boolean rebuilding;
  private int reported;
  private List<HolderReport> reports;
  private List<DirectoryEvent> early;
  private final int[] floors;
  private int buried;
  private final Node[] nodes;
  private final List<Message>[] queues;
  private int newest;
  private List<Version> durable;
  private Bounds left;

  @SuppressWarnings("unchecked")
  CoherenceRun(State state, Set<Rule> rules) {
    this.rules = rules;
    home = state.home();
    homeClock = state.homeClock();
    homeEpoch = state.homeEpoch();
    rebuilding = state.rebuilding();
    reported = state.reported();
    reports = state.reports();
    early = state.early();
    floors = state.floors().stream().mapToInt(Integer::intValue).toArray();
    buried = state.buried();
    nodes = state.nodes().toArray(Node[]::new);
    queues = state.queues().toArray(List[]::new);
    newest = state.newest();
    durable = state.durable();
    left = state.left();
  }

  State state() {
    return new State(
        home,
        homeClock,
        homeEpoch,
        rebuilding,
        reported,
        reports,
        early,
        Arrays.stream(floors).boxed().toList(),
        buried,
        Arrays.asList(nodes),
        Arrays.asList(queues),
        newest,
        durable,
        left);
  }

  CoherenceRun holder(int slot, HolderEvent event) {
    return holder(slot, event, -1);
  }

  /**
   * @param arrived LSN of the page that arrives with the event; -1 = none does
   */
  private CoherenceRun holder(int slot, HolderEvent event, int arrived) {
    Node node = nodes[slot];
    HolderTable.Step step =
        HolderTable.step(node.page(), event, slot, Math.max(arrived, node.lsn()));
    HolderPage next = step.page();
    if (!rules.contains(Rule.LEAVING_IS_KEPT) && next.right() == Right.LEAVING) {
      next = HolderPage.ABSENT;
    }
    nodes[slot] = node.page(next).waiting(node.needed());
    step.actions().forEach(action -> perform(slot, node.lsn(), action));
    return this;
  }

  private void perform(int slot, int lsn, HolderAction action) {
    Node node = nodes[slot];
    int clock = node.stamp() >= 0 ? node.stamp() : node.clock();
    switch (action) {
      case HolderAction.Tell tell -> {
        int bytes = tell.what() instanceof DirectoryEvent.Release r && r.hasBytes() ? lsn : -1;
        send(slot, HOME, new Message(tell.what(), clock, bytes, node.homeEpoch(), bytes >= 0));
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
                  0,
                  true));
      case HolderAction.Revoke revoke ->
          send(
              slot,
              revoke.reader(),
              new Message(new HolderEvent.Revoke(slot, revoke.number()), clock, 0));
      case HolderAction.Revoked revoked ->
          send(
              slot,
              revoked.owner(),
              new Message(new HolderEvent.Revoked(slot, revoked.number()), clock, 0));
      case HolderAction.Probe probe ->
          send(
              slot,
              probe.taker(),
              new Message(new HolderEvent.Probed(probe.number()), clock, node.homeEpoch()));
      case HolderAction.AwaitDurable await -> {}
      case HolderAction.Report report -> {
        List<HolderReport> more = new ArrayList<>(reports);
        more.add(atHome(report.what()));
        reports = List.copyOf(more);
      }
    }
  }

  /** Each node has one life, under epoch 1. */
  private HolderReport atHome(HolderReport report) {
    if (!(report instanceof HolderReport.Leaving leaving)) {
      return report;
    }
    boolean isDeadForGiver = nodes[leaving.slot()].installed() && !nodes[leaving.taker()].alive();
    int takerEpoch = isDeadForGiver && !rules.contains(Rule.DEAD_FOR_ALL) ? 0 : 1;
    return DirectoryRebuild.leaving(leaving, takerEpoch, leaving.taker() == buried ? 0 : 1);
  }

  private void send(int from, int to, Message message) {
    if (to != HOME && !nodes[to].alive()) {
      return;
    }
    int at = from * nodes.length + to;
    List<Message> longer = new ArrayList<>(queues[at]);
    longer.add(message);
    queues[at] = List.copyOf(longer);
  }

  CoherenceRun deliver(int from, int to, int index) {
    Message message = take(from, to, index);
    if (to == HOME) {
      atHome(from, message);
    } else {
      atNode(from, to, message);
    }
    return this;
  }

  private Message take(int from, int to, int index) {
    int at = from * nodes.length + to;
    List<Message> shorter = new ArrayList<>(queues[at]);
    Message message = shorter.remove(index);
    queues[at] = List.copyOf(shorter);
    return message;
  }

  private void atHome(int from, Message message) {
    boolean forTheDead =
        message.what() instanceof DirectoryEvent.Refused refused
            && buried != 0
            && refused.slot() == buried;
    if (message.homeEpoch() != homeEpoch || from == buried || forTheDead) {
      return;
    }
    DirectoryEvent event = forgetLsn(forgetNumber((DirectoryEvent) message.what()));
    if (rebuilding && !isKept(event)) {
      return;
    }
    homeClock = Math.max(homeClock, message.clock());
    if (rebuilding) {
      List<DirectoryEvent> more = new ArrayList<>(early);
      more.add(event instanceof DirectoryEvent.Release release ? withoutBytes(release) : event);
      early = List.copyOf(more);
    } else {
      homeStep(event);
    }
  }

  private boolean isKept(DirectoryEvent event) {
    return rules.contains(Rule.TAKER_IS_HEARD)
        ? DirectoryRebuild.isKept(event)
        : event instanceof DirectoryEvent.Release;
  }

  private static DirectoryEvent withoutBytes(DirectoryEvent.Release release) {
    return new DirectoryEvent.Release(release.owner(), release.number(), release.lsn(), false);
  }

  private void homeStep(DirectoryEvent event) {
    boolean isUnheard =
        !rules.contains(Rule.TAKER_IS_HEARD)
            && event instanceof DirectoryEvent.Release release
            && !home.isSettled()
            && release.owner() == home.taker();
    if (!isUnheard) {
      homeStep(DirectoryTable.step(home, event, homeEpoch * BASE_OF_EPOCH));
    }
  }

  private DirectoryEvent forgetLsn(DirectoryEvent event) {
    return event instanceof DirectoryEvent.Confirm c && !rules.contains(Rule.CONFIRM_CARRIES_LSN)
        ? new DirectoryEvent.Confirm(c.taker(), c.number(), 0)
        : event;
  }

  private DirectoryEvent forgetNumber(DirectoryEvent event) {
    if (rules.contains(Rule.NUMBERS)) {
      return event;
    }
    return switch (event) {
      case DirectoryEvent.Confirm c ->
          new DirectoryEvent.Confirm(c.taker(), home.number(), c.lsn());
      case DirectoryEvent.Revoked r -> new DirectoryEvent.Revoked(r.slot(), home.number());
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

  private void homeStep(DirectoryTable.Step step) {
    home = step.page();
    for (DirectoryAction action : step.actions()) {
      int bytes = -1;
      HolderEvent event =
          switch (action) {
            case DirectoryAction.Grant grant -> {
              bytes = grant.fromHome() ? (int) grant.lsn() : stored((int) grant.lsn());
              yield new HolderEvent.Granted(grant.owned(), grant.number());
            }
            case DirectoryAction.Share share ->
                new HolderEvent.Share(share.reader(), share.number());
            case DirectoryAction.Transfer t -> new HolderEvent.Transfer(t.taker(), t.number());
            case DirectoryAction.Confirmed c -> new HolderEvent.Confirmed(c.number());
            case DirectoryAction.Revoke revoke ->
                new HolderEvent.Revoke(HolderPage.HOME, revoke.number());
            case DirectoryAction.Trace trace ->
                new HolderEvent.Traced(trace.taker(), trace.number());
            case DirectoryAction.Ask ask -> new HolderEvent.Asked(ask.number());
          };
      if (given(action) != 0 && given(action) <= homeEpoch * BASE_OF_EPOCH) {
        throw new AssertionError("rule 17: an earlier home gave this number: " + action);
      }
      boolean travels = action instanceof DirectoryAction.Grant grant && grant.fromHome();
      send(HOME, action.to(), new Message(event, homeClock, bytes, homeEpoch, travels));
    }
  }

  /** The number that the home gives with this order; 0 = none. */
  private static long given(DirectoryAction action) {
    return switch (action) {
      case DirectoryAction.Grant grant -> grant.number();
      case DirectoryAction.Share share -> share.number();
      case DirectoryAction.Transfer transfer -> transfer.number();
      case DirectoryAction.Revoke revoke -> revoke.number();
      case DirectoryAction.Confirmed confirmed -> 0;
      case DirectoryAction.Ask ask -> 0;
      case DirectoryAction.Trace trace -> 0;
    };
  }

  /** The newest version that is durable. */
  private int store() {
    return durable.isEmpty() ? 0 : durable.getLast().lsn();
  }

  /** End of the node's stream, as far as it concerns the page. */
  private int end(int writer) {
    return durable.stream()
        .filter(version -> version.writer() == writer)
        .mapToInt(Version::lsn)
        .max()
        .orElse(0);
  }

  /**
   * The version that a page store answers with which is as far behind as it may be. Nodes know the
   * end of a sealed stream themselves.
   */
  private int stored(int least) {
    int needed = least;
    for (Version version : durable) {
      int floor = version.writer() == buried ? version.lsn() : floors[version.writer()];
      if (rules.contains(Rule.READ_FLOOR) && version.lsn() <= floor) {
        needed = Math.max(needed, version.lsn());
      }
    }
    return Math.min(needed, store());
  }

  CoherenceRun dropBytes() {
    homeStep(new DirectoryEvent.DropBytes());
    return this;
  }

  CoherenceRun dropEntry() {
    for (Version version : durable) {
      if (version.lsn() == home.lsn()) {
        raiseFloor(version.writer(), version.lsn());
      }
    }
    home = DirectoryPage.free(home.number(), 0);
    return this;
  }

  private void raiseFloor(int writer, int lsn) {
    floors[writer] = Math.max(floors[writer], lsn);
  }

  private boolean isObsolete(int from, Node node, Message message) {
    boolean fromTheDead = from != HOME && !nodes[from].alive() && node.installed();
    boolean fromOldHome = from == HOME && message.homeEpoch() != node.homeEpoch();
    boolean forTheDead =
        node.installed()
            && (message.what() instanceof HolderEvent.Share share && !nodes[share.reader()].alive()
                || message.what() instanceof HolderEvent.Transfer transfer
                    && !nodes[transfer.taker()].alive()
                || message.what() instanceof HolderEvent.Traced traced
                    && !nodes[traced.taker()].alive());
    return fromTheDead || fromOldHome || forTheDead;
  }

  /** The bytes of a page cannot be used, if the node has a use for them. */
  CoherenceRun deliverSpoiled(int from, int slot, int index) {
    Message message = take(from, slot, index);
    Node node = nodes[slot];
    HolderPage before = node.page();
    HolderPage after =
        HolderTable.step(before, (HolderEvent) message.what(), slot, node.lsn()).page();
    boolean isTaken =
        after.mayRead() && (after.right() != before.right() || after.number() != before.number());
    if (isObsolete(from, node, message) || !isTaken) {
      atNode(from, slot, message);
      return this;
    }
    left = spent(0, 0, 0, 0, 0, 1);
    nodes[slot] = node.clock(Math.max(node.clock(), Math.max(message.clock(), message.lsn())));
    holder(
        slot,
        rules.contains(Rule.SPOILED_IS_RETURNED) ? spoiled(message) : new HolderEvent.Denied());
    if (nodes[slot].page().want() == null) {
      nodes[slot] = nodes[slot].needed(null); // the thread gets an error
    }
    return this;
  }

  private static HolderEvent.Spoiled spoiled(Message message) {
    long lsn = message.lsn();
    return switch ((HolderEvent) message.what()) {
      case HolderEvent.Given given ->
          new HolderEvent.Spoiled(true, given.giver(), given.number(), lsn);
      case HolderEvent.Granted granted ->
          new HolderEvent.Spoiled(granted.owned(), HolderPage.HOME, granted.number(), lsn);
      case HolderEvent.Copy copy ->
          new HolderEvent.Spoiled(false, copy.owner(), copy.number(), lsn);
      default -> throw new IllegalArgumentException("no page comes with " + message);
    };
  }

  private void atNode(int from, int slot, Message message) {
    Node node = nodes[slot];
    if (isObsolete(from, node, message)) {
      return;
    }
    HolderEvent event = forgetNumber(node.page(), (HolderEvent) message.what());
    int clock = Math.max(node.clock(), Math.max(message.clock(), message.lsn()));
    boolean early = !rules.contains(Rule.STAMP_AFTER_FLIP) && event instanceof HolderEvent.Revoke;
    nodes[slot] = node.clock(clock);
    if (early) {
      nodes[slot] = nodes[slot].late(clock, event);
      return;
    }
    holder(slot, event, message.lsn());
    Node after = nodes[slot];
    boolean took =
        message.lsn() >= 0 && after.page().mayRead() && after.page().right() != node.page().right()
            || event instanceof HolderEvent.Given
            || event instanceof HolderEvent.Granted g && g.owned() && after.page().mayRead();
    if (took) {
      nodes[slot] = after.lsn(message.lsn());
    }
  }

  CoherenceRun late(int slot) {
    holder(slot, nodes[slot].late());
    nodes[slot] = nodes[slot].late(-1, null);
    return this;
  }

  CoherenceRun durable(int slot) {
    int lsn = nodes[slot].lsn();
    if (rules.contains(Rule.LOG_BEFORE_LEAVE) && lsn > store()) {
      List<Version> more = new ArrayList<>(durable);
      more.add(new Version(lsn, slot)); // pages come here durable, so this node wrote it
      durable = List.copyOf(more);
    }
    return holder(slot, new HolderEvent.Durable());
  }

  CoherenceRun write(int slot) {
    Node node = nodes[slot];
    int lsn = Math.max(node.clock(), node.lsn()) + 1;
    boolean missed =
        Arrays.stream(nodes)
            .skip(1)
            .anyMatch(other -> other.alive() && other.highestSnapshot() >= lsn);
    nodes[slot] = node.lsn(lsn).clock(lsn);
    newest = lsn;
    left = left.writes(missed ? -1 : left.writes() - 1);
    return this;
  }

  CoherenceRun read(int slot) {
    nodes[slot] = nodes[slot].snapshot();
    return this;
  }

  CoherenceRun tick(int slot) {
    nodes[slot] = nodes[slot].clock(nodes[slot].clock() + 1);
    left = spent(0, 0, 1, 0, 0, 0);
    return this;
  }

  CoherenceRun evict(int slot) {
    left = spent(0, 1, 0, 0, 0, 0);
    Node node = nodes[slot];
    if (!rules.contains(Rule.RELEASE_REVOKES)) {
      HolderPage page = node.page();
      nodes[slot] =
          node.page(
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

  /** A thread begins to wait, or continues to wait because it got less than it needs. */
  CoherenceRun need(int slot, Mode mode) {
    if (nodes[slot].needed() == null) {
      left = spent(1, 0, 0, 0, 0, 0);
    }
    nodes[slot] = nodes[slot].waiting(mode);
    return holder(slot, new HolderEvent.Need(mode));
  }

  /** The thread gets an error; what it has requested may still come. */
  CoherenceRun giveUp(int slot) {
    left = spent(0, 0, 0, 0, 0, 1);
    nodes[slot] = nodes[slot].needed(null);
    return holder(slot, new HolderEvent.Denied());
  }

  /** A thread wants the page to stay for a turn. */
  CoherenceRun retain(int slot) {
    left = spent(1, 0, 0, 0, 0, 0);
    return holder(slot, new HolderEvent.Retain());
  }

  private Bounds spent(int needs, int evictions, int ticks, int deaths, int losses, int spoils) {
    return new Bounds(
        left.nodes(),
        left.needs() - needs,
        left.writes(),
        left.evictions() - evictions,
        left.ticks() - ticks,
        left.deaths() - deaths,
        left.losses() - losses,
        left.spoils() - spoils);
  }

  CoherenceRun die(int slot) {
    left = spent(0, 0, 0, 1, 0, 0);
    Node node = nodes[slot];
    if (node.page().right() == Right.OWNED && node.lsn() == newest) {
      newest = store(); // a write that was not durable has never been acknowledged
    }
    nodes[slot] = Node.DEAD;
    for (int from = 0; from < nodes.length; from++) {
      queues[from * nodes.length + slot] = List.of();
    }
    return this;
  }

  CoherenceRun install(int slot) {
    int gone = CoherenceModel.dead(state());
    nodes[slot] = nodes[slot].deathInstalled();
    queues[gone * nodes.length + slot] = List.of();
    return holder(slot, new HolderEvent.Died(gone));
  }

  CoherenceRun bury() {
    buried = CoherenceModel.dead(state());
    queues[buried * nodes.length + HOME] = List.of();
    for (Node node : nodes) {
      if (node != null && node.alive() && node.installed()) {
        homeClock = Math.max(homeClock, node.clock());
      }
    }
    homeClock = Math.max(homeClock, store());
    raiseFloor(buried, end(buried));
    if (rebuilding) {
      startRebuild();
    } else {
      homeStep(new DirectoryEvent.Died(buried));
      haveAllAskAgain();
    }
    return this;
  }

  CoherenceRun loseHome() {
    left = spent(0, 0, 0, 0, 1, 0);
    startRebuild();
    homeClock = 0;
    Arrays.fill(floors, 0);
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
    early = List.of();
    home = DirectoryPage.UNKNOWN;
  }

  CoherenceRun report(int slot) {
    Node node = nodes[slot];
    nodes[slot] = node.homeEpoch(homeEpoch);
    holder(slot, new HolderEvent.HomeLost());
    reported |= 1 << slot;
    raiseFloor(slot, end(slot));
    homeClock = Math.max(homeClock, nodes[slot].clock());
    return this;
  }

  CoherenceRun rebuild() {
    long live = 0;
    for (int slot = 1; slot < nodes.length; slot++) {
      live = slot == buried ? live : Slots.with(live, slot);
    }
    homeStep(DirectoryRebuild.of(reports, homeEpoch * BASE_OF_EPOCH, live));
    rebuilding = false;
    reports = List.of();
    reported = 0;
    List<DirectoryEvent> events = early;
    early = List.of();
    events.forEach(this::homeStep);
    haveAllAskAgain();
    return this;
  }

  private void haveAllAskAgain() {
    for (int slot = 1; slot < nodes.length; slot++) {
      send(HOME, slot, new Message(new HolderEvent.AskAgain(), homeClock, homeEpoch));
    }
  }
}
