package io.gauss.compute.peer;

import io.gauss.common.explore.Exploration;
import io.gauss.common.explore.Exploration.Steps;
import io.gauss.compute.peer.PeerNodes.Answerer;
import io.gauss.storage.map.ClusterMapTransitions;
import io.gauss.storage.map.ClusterMapTransitions.Applied;
import io.gauss.storage.map.MapHistory;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.Join;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Who answers about a node's transactions while it dies, is recovered and comes back: the node, its
 * recoverer and a third one, which see the versions of the map late and miss any of them. The map
 * changes by the real transitions, and each node looks into the version that it has by {@link
 * SlotAnswers}. A node may read the segments for itself while it believes that they are at rest.
 * The recoverer may die as well, at any moment; then the third node recovers, or the node itself if
 * it is back.
 *
 * <p>In a variant the node may die twice, whether its first life is recovered by then or not. There
 * all acknowledge at once, and nobody reads for itself: the variant above has these.
 *
 * <p>In a third one all have logs, of which a death takes what is not forced: rollbacks are in
 * their node's memory, then durable, and others ask about them and keep what they are told. There
 * the recoverer may die at any moment, also when all is recovered. Otherwise it is as the second.
 *
 * <p>Forbidden: the node writes its segments again while another one still has what it found in
 * them before, from which it would answer that the new transactions never were; a life whose
 * recovery is over although nobody has looked for, and rolled back, what it left; and a transaction
 * that is active, with its changes on the pages, while a node has been told that it has ended.
 */
final class AnswersModel implements Exploration.Model<AnswersModel.State> {
  /** Rules that can be left out, to show that they are needed. */
  enum Rule {
    /** The recoverer gives up what it has before it reports that the recovery is over. */
    LET_GO_FIRST,
    /** Having let go, it does not read the segments again because its map is late. */
    RESIGN,
    /** What was read is used only if who answers has not changed since the reading began. */
    LOOK_BEFORE_HOLDING,
    /** Another answerer, or another life, makes a node forget what it has read. */
    FORGET_ON_CHANGE,
    /** Who has recovered a life of the node looks into the segments again after the next one. */
    LOOK_AFTER_EACH_LIFE,
    /** A rollback is told to others when it is durable. */
    TELL_WHAT_IS_FORCED,
    /** A recoverer's rollbacks are durable before it lets go. */
    FORCE_BEFORE_LETTING_GO,
    /** They are durable before it reads the segments once more: what is found there is told. */
    FORCE_BEFORE_READING;

    /** Those that only matter where logs lose what is not forced. */
    boolean isOfLogs() {
      return compareTo(TELL_WHAT_IS_FORCED) >= 0;
    }
  }

  /** What can happen. */
  enum Variant {
    ONE_DEATH,
    TWO_DEATHS,
    LOGS
  }

  private enum Held {
    NOTHING,
    AT_REST,
    STAND_IN
  }

  private static final int SLOT = MapHistory.DIES_SLOT;
  private static final int DIES = MapHistory.DIES;
  private static final int RECOVERS = MapHistory.STAYS;
  private static final long CLOCK = MapHistory.CLOCK;

  /**
   * What a node has of rollbacks; bits of the lives whose transactions they end.
   *
   * @param unforced in its log, which a death takes back
   * @param trusted of these, what it takes for durable
   * @param told by another node that they are ended, before that was durable
   */
  record Rollbacks(int unforced, int trusted, int told) {
    static final Rollbacks NONE = new Rollbacks(0, 0, 0);
  }

  /**
   * What a node knows.
   *
   * @param map number of the version that it sees
   * @param reading of the segments is under way
   * @param isStale who answers has changed since the reading began
   * @param resigned bits of lives that it has recovered, and let go
   * @param looked bits of lives after which it has looked into the segments as the recoverer
   * @param found bits of lives whose unfinished transactions it found then
   */
  record Knows(
      int map,
      Held held,
      boolean reading,
      boolean isStale,
      int resigned,
      int looked,
      int found,
      Rollbacks rollbacks) {
    static Knows nothing(int map) {
      return new Knows(map, Held.NOTHING, false, false, 0, 0, 0, Rollbacks.NONE);
    }

    Knows with(Held now, boolean reads) {
      return new Knows(map, now, reads, false, resigned, looked, found, rollbacks);
    }

    Knows with(Rollbacks now) {
      return new Knows(map, held, reading, isStale, resigned, looked, found, now);
    }
  }

  /**
   * A state of the model.
   *
   * @param map number of the newest version
   * @param writes the node has come back and writes its segments
   * @param unfinished bits of lives that left transactions in the segments, according to what is
   *     durable
   * @param unforced bits of those whose transactions the node has rolled back since it lives
   */
  record State(
      int map, Knows recoverer, Knows third, boolean writes, int unfinished, int unforced) {
    Knows of(boolean isRecoverer) {
      return isRecoverer ? recoverer : third;
    }

    State with(boolean isRecoverer, Knows now) {
      return isRecoverer
          ? new State(map, now, third, writes, unfinished, unforced)
          : new State(map, recoverer, now, writes, unfinished, unforced);
    }

    State withMap(int newer) {
      return new State(newer, recoverer, third, writes, unfinished, unforced);
    }

    State with(boolean nowWrites, int nowUnfinished, int nowUnforced) {
      return new State(map, recoverer, third, nowWrites, nowUnfinished, nowUnforced);
    }

    State withUnfinished(int now) {
      return with(writes, now, unforced);
    }

    /** Rolled back in the memory of some node, at least. */
    int rolledBack() {
      return unforced | recoverer.rollbacks().unforced() | third.rollbacks().unforced();
    }

    int told() {
      return recoverer.rollbacks().told() | third.rollbacks().told();
    }
  }

  private record Change(int map, MapCommand command) {}

  private final List<ClusterMap> maps = new ArrayList<>();
  private final Map<ClusterMap, Integer> numbers = new HashMap<>();

  /** Numbers of the versions that commands led to, -1 = none: maps are large. */
  private final Map<Change, Integer> changes = new HashMap<>();

  private final Set<Rule> rules;

  /** Epoch of the node's first life, and what follows it: nobody else registers. */
  private final int firstLife;

  private final int secondLife;

  private final Variant variant;

  private AnswersModel(Set<Rule> rules, Variant variant) {
    this.rules = rules;
    this.variant = variant;
    ClusterMap first = MapHistory.twoDeathsAndReturns().getFirst();
    this.firstLife = first.nodes().get(DIES).epoch();
    this.secondLife = first.nextEpoch();
  }

  private int bit(int epoch) {
    return epoch == firstLife ? 1 : 1 << (epoch - secondLife + 1);
  }

  /** Deaths of the node that are not recovered, the oldest first. */
  private static List<Death> deaths(ClusterMap map) {
    return map.deaths().values().stream().filter(death -> death.slot() == SLOT).toList();
  }

  static AnswersModel withAllRules(Variant variant) {
    return new AnswersModel(EnumSet.allOf(Rule.class), variant);
  }

  static AnswersModel without(Rule rule, Variant variant) {
    return new AnswersModel(EnumSet.complementOf(EnumSet.of(rule)), variant);
  }

  /** Whether others acknowledge one after the other, and read the segments for themselves. */
  private boolean hasReaders() {
    return variant == Variant.ONE_DEATH;
  }

  private boolean hasLogs() {
    return variant == Variant.LOGS;
  }

  private boolean on(Rule rule) {
    return rules.contains(rule);
  }

  private int number(ClusterMap map) {
    return numbers.computeIfAbsent(
        map,
        m -> {
          maps.add(m);
          return maps.size() - 1;
        });
  }

  @Override
  public State initial() {
    int first = number(MapHistory.twoDeathsAndReturns().getFirst());
    Knows nothing = Knows.nothing(first);
    return new State(first, nothing, nothing, false, bit(firstLife), 0);
  }

  @Override
  public String violation(State s) {
    if (s.writes() && (s.recoverer().held() != Held.NOTHING || s.third().held() != Held.NOTHING)) {
      return "a node answers about the next life from what it knows of the last one";
    }
    if ((s.told() & s.unfinished() & ~s.rolledBack()) != 0) {
      return "a node has been told that a transaction has ended that is active again";
    }
    ClusterMap map = maps.get(s.map());
    MapNode node = map.nodes().get(DIES);
    int allowed = node.isLive() ? bit(node.epoch()) : 0;
    for (Death death : deaths(map)) {
      // Who recovers a life also finds what is left of the lives before.
      allowed |= hasLogs() ? 2 * bit(death.epoch()) - 1 : bit(death.epoch());
    }
    if ((s.unfinished() & ~s.rolledBack() & ~allowed) != 0) {
      return "a life is recovered, and its transactions are not rolled back";
    }
    return null;
  }

  private static MapNode node(ClusterMap map, boolean isRecoverer) {
    return map.nodes().values().stream()
        .filter(n -> n.has(Role.COMPUTE) && n.id() != DIES && (n.id() == RECOVERS) == isRecoverer)
        .findFirst()
        .orElseThrow();
  }

  /** Null when the map refuses the command, or it changes nothing. */
  private State change(State state, MapCommand command) {
    int after =
        changes.computeIfAbsent(
            new Change(state.map(), command), asked -> changed(maps.get(asked.map()), command));
    return after < 0 ? null : state.withMap(after);
  }

  /** The number of the next version, -1 when there is none. */
  private int changed(ClusterMap before, MapCommand command) {
    Applied applied = ClusterMapTransitions.apply(before, command);
    boolean isDone =
        applied.result() instanceof MapResult.Done
            || applied.result() instanceof MapResult.Registered;
    return isDone && applied.map() != before ? number(applied.map()) : -1;
  }

  @Override
  public void steps(State state, Steps<State> steps) {
    ClusterMap map = maps.get(state.map());
    ofTheNode(state, map, steps);
    ofTheMap(state, map, steps);
    for (boolean isRecoverer : new boolean[] {true, false}) {
      if (node(map, isRecoverer).isLive()) {
        ofOther(state, isRecoverer, steps);
        recovers(state, isRecoverer, steps);
        if (hasLogs()) {
          forces(state, isRecoverer, steps);
          asks(state, isRecoverer, steps);
        }
      }
    }
  }

  private void ofTheNode(State state, ClusterMap map, Steps<State> steps) {
    MapNode node = map.nodes().get(DIES);
    steps.addIf(
        node.epoch() <= (hasReaders() ? firstLife : secondLife) && node.isLive(),
        "the node dies",
        () -> {
          MapCommand end = new MapCommand.ExpireLease(DIES, node.epoch(), node.lease().renewals());
          State without = change(state, end);
          return without == null ? null : without.with(false, state.unfinished(), 0);
        });
    steps.addIf(
        !node.isLive(),
        "the node registers again",
        () ->
            change(
                state,
                new MapCommand.Register(
                    map.cluster(),
                    DIES,
                    node.epoch(),
                    node.roles(),
                    node.zone(),
                    node.endpoints(),
                    node.incarnation() + 1,
                    1,
                    1)));
    boolean isBack = node.epoch() != firstLife && node.isLive();
    steps.addIf(
        isBack && map.joins().containsKey(node.epoch()),
        "the node has joined",
        () -> change(state, new MapCommand.FinishJoin(DIES, node.epoch(), 2 * CLOCK)));
    // It rolls back what its earlier lives left before.
    int left = hasLogs() ? state.unfinished() : 0;
    steps.addIf(
        isBack && node.state().isServing() && isFree(map) && !state.writes(),
        "the node writes its segments",
        () -> state.with(true, left | bit(node.epoch()), left));
    steps.addIf(
        hasLogs() && hasTransactions(state, node),
        "the node rolls its transaction back",
        () ->
            state.with(
                state.writes(),
                state.unfinished(),
                state.unforced() | bit(node.epoch()) & state.unfinished()));
    steps.addIf(
        state.unforced() != 0,
        "the node's log is forced",
        () -> state.with(state.writes(), state.unfinished() & ~state.unforced(), 0));
    for (Death death : deaths(map)) {
      steps.addIf(
          state.writes(),
          "the node takes itself over",
          () ->
              change(state, new MapCommand.TakeOver(DIES, node.epoch(), death.epoch(), 2 * CLOCK)));
      steps.addIf(
          state.writes(),
          "the node reports that it has recovered itself",
          () -> change(state, new MapCommand.FinishRecovery(DIES, node.epoch(), death.epoch())));
    }
  }

  private boolean hasTransactions(State state, MapNode node) {
    return node.isLive() && (node.epoch() == firstLife || state.writes());
  }

  /** Whether no other node recovers it. */
  private boolean isFree(ClusterMap map) {
    return deaths(map).stream().allMatch(death -> death.recoverer() == DIES);
  }

  private void ofTheMap(State state, ClusterMap map, Steps<State> steps) {
    MapNode memory = map.nodes().get(MapHistory.MEMORY);
    for (Death death : deaths(map)) {
      steps.addIf(
          !map.isSealed(death),
          "the stream is sealed",
          () -> change(state, new MapCommand.StreamSealed(death.epoch(), 1, CLOCK)));
      steps.addIf(
          map.isSealed(death),
          "the memory node has installed the death",
          () -> acknowledges(state, memory, death));
    }
    MapNode recoverer = node(map, true);
    steps.addIf(
        (hasLogs() || !deaths(map).isEmpty()) && recoverer.isLive(),
        "the recoverer dies",
        () -> recovererDies(state, recoverer));
    steps.addIf(
        !recoverer.isLive() && !map.isSealed(map.deaths().get(recoverer.epoch())),
        "the recoverer's stream is sealed",
        () -> change(state, new MapCommand.StreamSealed(recoverer.epoch(), 1, CLOCK)));
  }

  /** That it has installed the death; in the variant all others have, too. */
  private State acknowledges(State state, MapNode node, Death death) {
    State after = null;
    for (MapNode each : maps.get(state.map()).nodes().values()) {
      if (each.id() == node.id() || (!hasReaders() && each.isLive())) {
        State next =
            change(
                after == null ? state : after,
                new MapCommand.AcknowledgeDeath(each.id(), each.epoch(), death.epoch(), CLOCK + 1));
        after = next == null ? after : next;
      }
    }
    return after;
  }

  private State joins(State state, MapNode node, Join join) {
    State after = null;
    for (MapNode each : maps.get(state.map()).nodes().values()) {
      if (each.id() == node.id() || (!hasReaders() && each.isLive())) {
        State next =
            change(
                after == null ? state : after,
                new MapCommand.AcknowledgeJoin(each.id(), each.epoch(), join.epoch(), 2 * CLOCK));
        after = next == null ? after : next;
      }
    }
    return after;
  }

  private State recovererDies(State state, MapNode recoverer) {
    State without =
        change(
            state,
            new MapCommand.ExpireLease(
                recoverer.id(), recoverer.epoch(), recoverer.lease().renewals()));
    return without == null ? null : without.with(true, Knows.nothing(0));
  }

  private void ofOther(State state, boolean isRecoverer, Steps<State> steps) {
    Knows knows = state.of(isRecoverer);
    String name = isRecoverer ? "the recoverer " : "the third node ";
    ClusterMap seen = maps.get(knows.map());
    MapNode self = node(seen, isRecoverer);
    steps.addIf(
        knows.map() != state.map(),
        name + "sees the newest map",
        () -> state.with(isRecoverer, sees(state, isRecoverer)));
    for (Death death : deaths(seen)) {
      steps.addIf(
          seen.isSealed(death) && hasReaders(),
          name + "has installed the death",
          () -> acknowledges(state, self, death));
    }
    Join join = seen.joins().get(seen.nodes().get(DIES).epoch());
    steps.addIf(
        join != null, name + "acknowledges that the node joins", () -> joins(state, self, join));
    steps.addIf(
        hasReaders()
            && answerer(state, isRecoverer, knows.map()).by() == self.slot()
            && knows.held() == Held.NOTHING
            && !knows.reading(),
        name + "begins to read the segments",
        () -> state.with(isRecoverer, knows.with(Held.NOTHING, true)));
    steps.addIf(
        knows.reading(),
        name + "has read the segments",
        () -> {
          boolean holds =
              knows.held() == Held.NOTHING && (!knows.isStale() || !on(Rule.LOOK_BEFORE_HOLDING));
          Held held = holds ? Held.AT_REST : knows.held();
          return state.with(isRecoverer, knows.with(held, false));
        });
  }

  private Answerer answerer(State state, boolean isRecoverer, int map) {
    ClusterMap seen = maps.get(map);
    int resigned = on(Rule.RESIGN) ? state.of(isRecoverer).resigned() : 0;
    return SlotAnswers.answerer(
        seen,
        SLOT,
        node(seen, isRecoverer).slot(),
        deaths(seen).stream()
            .map(Death::epoch)
            .filter(epoch -> (resigned & bit(epoch)) != 0)
            .collect(Collectors.toSet()));
  }

  private Knows sees(State state, boolean isRecoverer) {
    Knows before = state.of(isRecoverer);
    boolean changed =
        !answerer(state, isRecoverer, before.map())
            .equals(answerer(state, isRecoverer, state.map()));
    boolean forgets = changed && before.held() == Held.AT_REST && on(Rule.FORGET_ON_CHANGE);
    int open = deaths(maps.get(state.map())).stream().mapToInt(death -> bit(death.epoch())).sum();
    // Without the rule the recoverer lets go as soon as its map has it that the recovery is over.
    boolean isOver = before.held() == Held.STAND_IN && (before.looked() & open) == 0;
    return new Knows(
        state.map(),
        forgets || isOver ? Held.NOTHING : before.held(),
        before.reading(),
        before.isStale() || changed,
        before.resigned() & open,
        before.looked() & (on(Rule.LOOK_AFTER_EACH_LIFE) ? open : -1),
        before.found(),
        before.rollbacks());
  }

  /** What becomes of its rollbacks. */
  private void forces(State state, boolean isRecoverer, Steps<State> steps) {
    Knows knows = state.of(isRecoverer);
    Rollbacks has = knows.rollbacks();
    String name = isRecoverer ? "the recoverer" : "the third node";
    int active = active(state, knows);
    steps.addIf(
        active != 0,
        name + " rolls back what it has found",
        () ->
            state.with(
                isRecoverer,
                knows.with(new Rollbacks(has.unforced() | active, has.trusted(), has.told()))));
    steps.addIf(
        has.unforced() != 0,
        name + "'s log is forced",
        () ->
            state
                .with(isRecoverer, knows.with(new Rollbacks(0, 0, has.told())))
                .withUnfinished(state.unfinished() & ~has.unforced()));
    // What failed was left to the background, which has rolled it back meanwhile.
    steps.addIf(
        knows.held() == Held.STAND_IN
            && active == 0
            && (has.unforced() == 0 || !on(Rule.FORCE_BEFORE_READING)),
        name + " has failed to take over, and finds the segments again",
        () ->
            state.with(
                isRecoverer,
                knows.with(new Rollbacks(has.unforced(), has.unforced(), has.told()))));
  }

  /** Found, and not even rolled back in memory; bits of lives. */
  private static int active(State state, Knows knows) {
    return knows.found() & state.unfinished() & ~knows.rollbacks().unforced();
  }

  /** Asks who answers according to its map, and keeps it that transactions have ended. */
  private void asks(State state, boolean isRecoverer, Steps<State> steps) {
    Knows knows = state.of(isRecoverer);
    Rollbacks has = knows.rollbacks();
    // What is durable stays so, whoever knows of it.
    int told = says(state, isRecoverer, answerer(state, isRecoverer, knows.map()));
    steps.addIf(
        (told & ~has.told()) != 0,
        (isRecoverer ? "the recoverer " : "the third node ") + "is told of a rollback",
        () ->
            state.with(
                isRecoverer,
                knows.with(new Rollbacks(has.unforced(), has.trusted(), has.told() | told))));
  }

  /** Of which rollbacks that are not durable the node would tell that is asked; bits of lives. */
  private int says(State state, boolean askerIsRecoverer, Answerer asked) {
    ClusterMap map = maps.get(state.map());
    MapNode node = map.nodes().get(DIES);
    if (asked.by() == SLOT) {
      boolean answers = hasTransactions(state, node) && node.epoch() == asked.epoch();
      return answers && !on(Rule.TELL_WHAT_IS_FORCED) ? state.unforced() : 0;
    }
    MapNode other = node(map, !askerIsRecoverer);
    Knows knows = state.of(!askerIsRecoverer);
    if (asked.by() != other.slot() || !other.isLive() || knows.held() != Held.STAND_IN) {
      return 0;
    }
    Rollbacks has = knows.rollbacks();
    return on(Rule.TELL_WHAT_IS_FORCED) ? has.trusted() : has.unforced();
  }

  /** What the one that the map names as the recoverer does. */
  private void recovers(State state, boolean isRecoverer, Steps<State> steps) {
    Knows knows = state.of(isRecoverer);
    ClusterMap seen = maps.get(knows.map());
    MapNode self = node(seen, isRecoverer);
    Death death = deaths(seen).stream().findFirst().orElse(null); // the oldest first
    if (death == null || death.recoverer() != self.id()) {
      return;
    }
    String name = isRecoverer ? "the recoverer " : "the third node ";
    int life = bit(death.epoch());
    boolean resigned = (knows.resigned() & life) != 0;
    boolean looked =
        (knows.looked() & life) != 0 || (knows.looked() != 0 && !on(Rule.LOOK_AFTER_EACH_LIFE));
    boolean standsIn = knows.held() == Held.STAND_IN || (looked && !resigned);
    steps.addIf(
        !death.takenOver() && death.isAcknowledged() && seen.isSealed(death) && !looked,
        name + "finds the segments",
        () ->
            state.with(
                isRecoverer,
                new Knows(
                    knows.map(),
                    Held.STAND_IN,
                    knows.reading(),
                    knows.isStale(),
                    knows.resigned(),
                    knows.looked() | life,
                    state.unfinished(),
                    knows.rollbacks())));
    steps.addIf(
        standsIn,
        name + "takes over",
        () ->
            change(
                state, new MapCommand.TakeOver(self.id(), self.epoch(), death.epoch(), 2 * CLOCK)));
    steps.addIf(
        death.takenOver() && standsIn && on(Rule.LET_GO_FIRST) && mayLetGo(state, knows),
        name + "lets go",
        () -> {
          boolean changed = on(Rule.RESIGN);
          return rolledBack(state, knows)
              .with(
                  isRecoverer,
                  new Knows(
                      knows.map(),
                      Held.NOTHING,
                      knows.reading(),
                      knows.isStale() || changed,
                      knows.resigned() | life,
                      knows.looked(),
                      0,
                      knows.rollbacks()));
        });
    steps.addIf(
        death.takenOver() && (resigned || !on(Rule.LET_GO_FIRST)),
        name + "reports that the recovery is over",
        () ->
            change(
                on(Rule.LET_GO_FIRST) ? state : rolledBack(state, knows),
                new MapCommand.FinishRecovery(self.id(), self.epoch(), death.epoch())));
  }

  /** Whether its rollbacks are far enough. */
  private boolean mayLetGo(State state, Knows knows) {
    boolean isForced = knows.rollbacks().unforced() == 0 || !on(Rule.FORCE_BEFORE_LETTING_GO);
    return !hasLogs() || (active(state, knows) == 0 && isForced);
  }

  /** Without logs that is done at once, when it lets go or reports. */
  private State rolledBack(State state, Knows knows) {
    return hasLogs() ? state : state.withUnfinished(state.unfinished() & ~knows.found());
  }
}
