package io.gauss.storage.map;

import io.gauss.common.explore.Exploration;
import io.gauss.common.explore.Exploration.Steps;
import io.gauss.storage.map.SliceMoveMap.Named;
import io.gauss.storage.map.SliceMoveState.Copy;
import io.gauss.storage.map.SliceMoveState.Limit;
import io.gauss.storage.map.SliceMoveState.Node;
import io.gauss.storage.map.SliceMoveState.Offsets;
import io.gauss.storage.map.SliceMoveState.Part;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.raft.stream.Subscriptions;
import io.gauss.storage.raft.stream.Subscriptions.Subscription;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A slice of the pages that two of three storage nodes keep, and that moves between them while
 * records of its page come from two streams, logs are trimmed, checkpoints are made, nodes crash,
 * lose their disks, or are given up and come back; the first stream may end, and the second one's
 * writer take over. Nodes learn of versions of the map when they like, and messages arrive late,
 * more than once or never. The map changes by the real transitions ({@link SliceMoveMap}).
 *
 * <p>What a stream's entry does at its group is one step, and so is a version of the map; nothing
 * is atomic over two of these and a node's disk. Subscriptions are the product's own code ({@link
 * Subscriptions}). Readers may have any version of the map and any floors: each node is checked for
 * all that it might answer.
 *
 * <p>Forbidden are a node that answers without a record below the offsets through which it says to
 * be complete, and a replica, by the map, that can not be made whole from its own disk and what the
 * logs still have. The latter is what every other node may have to be replaced from. A disk may be
 * lost, or a replica that lives be given up, when the map has all replicas and none is lost.
 */
final class SliceMoveModel implements Exploration.Model<SliceMoveState> {
  /** Rules that can be left out, to show that they are needed. */
  enum Rule {
    /** A copy's offsets are its image's, not those through which its node has read the streams. */
    OFFSETS_BY_SLICE,
    /** An image's offsets become durable after its pages. */
    OFFSETS_AFTER_PAGES,
    /** An image's offsets are below the first record that its pages lack. */
    IMAGE_STOPS_BELOW_PARKED,
    /** A copy's offsets are deleted, durably, before its pages. */
    OFFSETS_GO_FIRST,
    /** A slice arrives when all pages of its earlier copy are deleted. */
    DELETED_BEFORE_IT_RETURNS,
    /** Offsets in a stream that has ended are kept. */
    OFFSETS_OUTLIVE_STREAMS,
    /** A log is trimmed below all subscriptions, not below what its own nodes have as pages. */
    TRIM_BELOW_ALL,
    /** A subscription rises to what is durable as pages, not to what was taken. */
    SUBSCRIPTION_IS_DURABLE,
    /** A node subscribes to all streams before it asks for an image. */
    SUBSCRIBE_FIRST,
    /** An image from below a subscription is refused. */
    IMAGE_NOT_BELOW_SUBSCRIPTION,
    /** A new stream is trimmed when all that the map named at its beginning have subscribed. */
    NEW_STREAM_AWAITS_ALL,
    /** The end of a subscription names the tenure for which it was made. */
    SUBSCRIPTIONS_ARE_NUMBERED,
    /** The end of a tenure is told again as long as a stream has a subscription for it. */
    ENDS_ARE_TOLD_AGAIN,
    /** A node says that it is ready when pages and offsets are durable. */
    READY_IS_DURABLE,
    /** What a node said of an earlier move does not count for a later one. */
    READY_FOR_THIS_MOVE,
    /** The old replica's copy goes when the map names the new one, not when that is ready. */
    DROPPED_AFTER_THE_MAP,
    /** A copy goes because of a version of the map after the one by which it came. */
    DROPPED_BY_A_LATER_VERSION
  }

  static final int NODES = 3;
  private static final int STREAMS = 2;

  private final SliceMoveMap maps = new SliceMoveMap();
  private final Set<Rule> rules;
  private final List<Integer> limits;

  private SliceMoveModel(Set<Rule> rules, List<Integer> limits) {
    this.rules = rules;
    this.limits = limits;
  }

  /**
   * @param limits in the order of {@link Limit}
   */
  static SliceMoveModel withAllRules(List<Integer> limits) {
    return new SliceMoveModel(EnumSet.allOf(Rule.class), limits);
  }

  static SliceMoveModel without(Rule rule, List<Integer> limits) {
    return new SliceMoveModel(EnumSet.complementOf(EnumSet.of(rule)), limits);
  }

  private boolean on(Rule rule) {
    return rules.contains(rule);
  }

  @Override
  public SliceMoveState initial() {
    Node replica = new Node(Copy.OF_THE_BEGINNING, false, false);
    Node spare = new Node(Copy.NONE, true, false);
    Subscriptions first = Subscriptions.NONE.subscribed(0, 0, 0, 0).subscribed(1, 0, 0, 0);
    return new SliceMoveState(
        List.of(),
        Offsets.ZERO,
        false,
        false,
        List.of(first, Subscriptions.NONE),
        List.of(),
        maps.initial(),
        0,
        0,
        List.of(replica, replica, spare),
        limits,
        null);
  }

  /** What the map says of the slice. */
  Named map(SliceMoveState state) {
    return maps.named(state.map());
  }

  @Override
  public String violation(SliceMoveState state) {
    if (state.broken() != null) {
      return state.broken();
    }
    for (int id = 0; id < NODES; id++) {
      Copy copy = state.node(id).copy();
      if (copy.isWhole() && missesSome(state, copy)) {
        return "node " + id + " answers without a record below its offsets";
      }
      if (map(state).isReplica(id) && !state.node(id).lost() && !canBeMadeWhole(state, id)) {
        return "replica " + id + " can not be made whole";
      }
    }
    return isGone(state) ? "no replica is left" : null;
  }

  private boolean isGone(SliceMoveState state) {
    for (int id = 0; id < NODES; id++) {
      if (map(state).isReplica(id) && !state.node(id).lost()) {
        return false;
      }
    }
    return true;
  }

  /** No move is under way, and no log has anything that is needed no more. */
  boolean isAtRest(SliceMoveState state) {
    return map(state).to() < 0 && state.isTrimmed();
  }

  private static boolean missesSome(SliceMoveState state, Copy copy) {
    Offsets applied = state.applied(copy);
    int page = state.readable(copy);
    return state.lastBefore(0, applied.first()) > page
        || state.lastBefore(1, applied.second()) > page;
  }

  private static boolean canBeMadeWhole(SliceMoveState state, int id) {
    Copy copy = state.node(id).copy();
    return copy.isWhole()
        && copy.offsets().first() >= state.start().first()
        && copy.offsets().second() >= state.start().second();
  }

  @Override
  public void steps(SliceMoveState state, Steps<SliceMoveState> steps) {
    streams(state, steps);
    placement(state, steps);
    for (int id = 0; id < NODES; id++) {
      if (!state.node(id).lost()) {
        pages(state, id, steps);
        arrival(state, id, steps);
        departure(state, id, steps);
      }
    }
  }

  // ---- streams

  private void streams(SliceMoveState state, Steps<SliceMoveState> steps) {
    for (int s = 0; s < STREAMS; s++) {
      int stream = s;
      boolean open = stream == 0 ? !state.sealed() : state.begun();
      steps.addIf(
          open && state.left(Limit.WRITES) > 0,
          "a record is appended to stream " + stream,
          () -> state.using(Limit.WRITES).writtenTo(stream));
      int limit = trimLimit(state, stream);
      steps.addIf(
          limit > state.start().of(stream),
          "stream " + stream + " is trimmed to " + limit,
          () -> state.startingAt(stream, limit));
    }
    awaited(state, steps);
    steps.addIf(
        !state.begun() && state.left(Limit.STREAMS) > 0,
        "stream 1 begins",
        () -> beginSecond(state.using(Limit.STREAMS)));
    steps.addIf(
        state.begun() && !state.sealed() && state.left(Limit.STREAMS) > 0,
        "stream 0 ends, and the writer of stream 1 takes over",
        () -> state.using(Limit.STREAMS).withStreams(true, true));
    SliceMoveState.eachSaid(
        state.gone(),
        (id, tenure) ->
            steps.add(
                "streams hear that tenure " + tenure + " of node " + id + " is over",
                () -> unsubscribed(state, id, tenure)));
  }

  private SliceMoveState beginSecond(SliceMoveState state) {
    SliceMoveState after = state.withStreams(true, false);
    return on(Rule.NEW_STREAM_AWAITS_ALL) ? after.awaiting(map(state).holds()) : after;
  }

  /**
   * The leader of the second stream subscribes for those whom it awaits, before the first trim, by
   * the version of the map that placed the stream or by a later one; so does a next leader.
   */
  private void awaited(SliceMoveState state, Steps<SliceMoveState> steps) {
    for (int id = 0; id < state.awaited().size(); id++) {
      int then = state.awaited().get(id);
      int now = map(state).holdsSince(id);
      awaited(state, id, then, steps);
      if (now != then) {
        awaited(state, id, now, steps);
      }
    }
  }

  private static void awaited(
      SliceMoveState state, int id, int tenure, Steps<SliceMoveState> steps) {
    Subscriptions known = state.subscriptions().get(1);
    steps.addIf(
        tenure >= 0 && state.start().second() == 0 && !known.reach(id, tenure),
        "stream 1 awaits tenure " + tenure + " of node " + id,
        () -> state.with(1, known.subscribed(id, tenure, 0, 0)));
  }

  private boolean awaitsSomebody(SliceMoveState state) {
    for (int id = 0; id < state.awaited().size(); id++) {
      int tenure = state.awaited().get(id);
      boolean isOver = map(state).holdsSince(id) != tenure;
      if (tenure >= 0 && !isOver && !state.subscriptions().get(1).reach(id, tenure)) {
        return true;
      }
    }
    return false;
  }

  /** To its end, if the subscriptions allow it: the leader has all of it as pages. */
  private int trimLimit(SliceMoveState state, int stream) {
    if (stream == 1 && state.start().second() == 0 && awaitsSomebody(state)) {
      return -1;
    }
    Subscriptions known = state.subscriptions().get(stream);
    long below =
        on(Rule.TRIM_BELOW_ALL)
            ? known.lowest()
            : known.all().stream().mapToLong(Subscription::from).max().orElse(Long.MAX_VALUE);
    return (int) Math.min(state.end(stream), below);
  }

  private SliceMoveState unsubscribed(SliceMoveState state, int id, int tenure) {
    long through = on(Rule.SUBSCRIPTIONS_ARE_NUMBERED) ? tenure : Long.MAX_VALUE;
    SliceMoveState after = state;
    for (int stream = 0; stream < STREAMS; stream++) {
      after = after.with(stream, after.subscriptions().get(stream).ended(id, through));
    }
    return on(Rule.ENDS_ARE_TOLD_AGAIN)
        ? after
        : after.withoutGone(SliceMoveState.said(id, tenure));
  }

  // ---- the cluster map

  private void placement(SliceMoveState state, Steps<SliceMoveState> steps) {
    Named map = map(state);
    for (int n = 0; n < NODES; n++) {
      int id = n;
      boolean lost = state.node(id).lost();
      for (int f = -1; f < NODES && !lost && state.left(Limit.MOVES) > 0; f++) {
        int from = f;
        command(
            state,
            Limit.MOVES,
            "the slice is to move to node " + id + (from < 0 ? "" : " from node " + from),
            SliceMoveMap.move(from, id),
            steps);
      }
      boolean mayGiveUp = state.left(Limit.GIVEN_UP) > 0 && mayLoseOne(state);
      if (map.isReplica(id) && (lost || mayGiveUp)) {
        command(
            state,
            lost ? null : Limit.GIVEN_UP,
            "the map gives replica " + id + " up",
            maps.giveUp(state.map(), id),
            steps);
      }
      steps.addIf(
          !lost && state.left(Limit.LOSSES) > 0 && mayLoseOne(state),
          "node " + id + " loses its disk",
          () -> state.using(Limit.LOSSES).with(id, Node::asLost));
    }
    boolean lostTarget = map.to() >= 0 && state.node(map.to()).lost();
    if (state.left(Limit.CANCELS) > 0 || lostTarget) {
      command(
          state,
          lostTarget ? null : Limit.CANCELS,
          "the move is cancelled",
          SliceMoveMap.CANCEL,
          steps);
    }
    SliceMoveState.eachSaid(
        state.ready(),
        (id, tenure) ->
            command(
                state,
                null,
                "the map hears that node " + id + " is ready for tenure " + tenure,
                on(Rule.READY_FOR_THIS_MOVE) || !map.names(id)
                    ? maps.ready(id, tenure)
                    : maps.ready(id, map.tenures().get(id)),
                steps));
  }

  /**
   * Offers what the real map makes of a command, unless that is nothing.
   *
   * @param limit what it uses up; null = nothing
   */
  private void command(
      SliceMoveState state,
      Limit limit,
      String name,
      MapCommand command,
      Steps<SliceMoveState> steps) {
    MapTable.Outcome outcome = maps.apply(state.map(), command);
    if (outcome.map() == state.map() && outcome.wrong() == null) {
      return;
    }
    steps.add(
        name,
        () -> {
          SliceMoveState before = limit == null ? state : state.using(limit);
          return unnamed(before.with(outcome.map(), outcome.wrong()), map(state));
        });
  }

  /** One at a time: the next one only when the map has all replicas again. */
  private boolean mayLoseOne(SliceMoveState state) {
    for (int id = 0; id < NODES; id++) {
      if (map(state).isReplica(id) && state.node(id).lost()) {
        return false;
      }
    }
    return map(state).replicas() == 2;
  }

  /** Who follows the map tells the streams of nodes that it names no more. */
  private SliceMoveState unnamed(SliceMoveState changed, Named before) {
    SliceMoveState after = changed;
    for (int id = 0; id < NODES; id++) {
      if (before.names(id) && !map(after).names(id)) {
        after =
            after
                .with(id, Node::asUnnamed)
                .sayingGone(SliceMoveState.said(id, before.holdsSince(id)));
      }
    }
    return after;
  }

  private boolean saidReady(SliceMoveState state) {
    int to = map(state).to();
    return to >= 0 && (state.ready() & SliceMoveState.said(to, map(state).tenures().get(to))) != 0;
  }

  // ---- the page store of a node

  private void pages(SliceMoveState state, int id, Steps<SliceMoveState> steps) {
    Copy copy = state.node(id).copy();
    if (copy.isWhole()) {
      for (int s = 0; s < STREAMS; s++) {
        int stream = s;
        int taken = copy.taken().of(stream);
        int end = state.end(stream);
        steps.addIf(
            taken < end && taken >= state.start().of(stream),
            "node " + id + " takes the records of stream " + stream,
            () -> state.with(id, node -> took(node, stream, end)));
      }
      Offsets applied = state.applied(copy);
      int page = state.readable(copy);
      steps.addIf(
          !applied.equals(copy.offsets()) || page != copy.page(),
          "node " + id + " makes a checkpoint",
          () ->
              state.with(
                  id, node -> node.with(copy.with(Part.WHOLE, page, applied, copy.taken()))));
      for (int s = 0; s < STREAMS; s++) {
        int stream = s;
        int kept = state.keptFrom(stream, id, copy.tenure());
        int through = (on(Rule.SUBSCRIPTION_IS_DURABLE) ? copy.offsets() : applied).of(stream);
        steps.addIf(
            kept >= 0 && kept < through,
            "node " + id + " raises its subscription to stream " + stream,
            () ->
                state.with(
                    stream, state.subscriptions().get(stream).raised(id, copy.tenure(), through)));
      }
      steps.addIf(
          !on(Rule.OFFSETS_OUTLIVE_STREAMS) && state.sealed(),
          "node " + id + " forgets stream 0",
          () ->
              state.with(
                  id,
                  node ->
                      node.with(
                          copy.with(
                              Part.WHOLE,
                              copy.page(),
                              copy.offsets().with(0, 0),
                              copy.taken().with(0, 0)))));
    }
    steps.addIf(
        state.left(Limit.CRASHES) > 0 && copy.part() != Part.NONE,
        "node " + id + " crashes and starts again",
        () -> state.using(Limit.CRASHES).with(id, node -> node.with(restarted(copy))));
  }

  private static Node took(Node node, int stream, int end) {
    Copy copy = node.copy();
    return node.with(
        copy.with(copy.part(), copy.page(), copy.offsets(), copy.taken().with(stream, end)));
  }

  private static Copy restarted(Copy copy) {
    return copy.isWhole()
        ? copy.with(Part.WHOLE, copy.page(), copy.offsets(), copy.offsets())
        : copy.with(Part.ARRIVING, copy.page(), Offsets.ZERO, Offsets.ZERO);
  }

  // ---- a slice comes

  private void arrival(SliceMoveState state, int id, Steps<SliceMoveState> steps) {
    Copy copy = state.node(id).copy();
    Named map = map(state);
    steps.addIf(
        map.to() == id
            && copy.part() == Part.NONE
            && !(copy.deleting() && on(Rule.DELETED_BEFORE_IT_RETURNS)),
        "node " + id + " learns that the slice is to come",
        () -> state.with(id, n -> n.with(copy.arriving(map.tenures().get(id), state.begun()))));
    subscriptions(state, id, steps);
    Offsets kept =
        new Offsets(state.keptFrom(0, id, copy.tenure()), state.keptFrom(1, id, copy.tenure()));
    boolean subscribed = kept.first() >= 0 && (!copy.secondKnown() || kept.second() >= 0);
    if (copy.part() == Part.ARRIVING && (subscribed || !on(Rule.SUBSCRIBE_FIRST))) {
      for (int g = 0; g < NODES; g++) {
        int giver = g;
        Copy given = state.node(giver).copy();
        Copy image = on(Rule.IMAGE_STOPS_BELOW_PARKED) ? given : unchecked(state, given);
        steps.addIf(
            giver != id && given.isWhole() && !isBelow(image.offsets(), kept),
            "node " + id + " copies the pages of node " + giver,
            () -> state.with(id, n -> n.with(copied(copy, image))));
      }
    }
    steps.addIf(
        copy.part() == Part.COPIED,
        "the offsets of the image at node " + id + " are durable",
        () -> state.with(id, n -> arrived(state, n)));
    boolean ready = copy.isWhole() || copy.part() == Part.COPIED && !on(Rule.READY_IS_DURABLE);
    steps.addIf(
        ready && copy.tenure() > 0,
        "node " + id + " says that it is ready",
        () -> state.sayingReady(SliceMoveState.said(id, copy.tenure())));
  }

  private boolean isBelow(Offsets image, Offsets kept) {
    return on(Rule.IMAGE_NOT_BELOW_SUBSCRIPTION)
        && (image.first() < kept.first() || image.second() < kept.second());
  }

  /** All that a node has in memory, with the offsets through which it has taken records. */
  private static Copy unchecked(SliceMoveState state, Copy given) {
    return given.with(given.part(), state.readable(given), given.taken(), given.taken());
  }

  /** Of two versions of the page the later one stays. */
  private Copy copied(Copy copy, Copy image) {
    Offsets as = image.offsets();
    return on(Rule.OFFSETS_AFTER_PAGES)
        ? copy.with(Part.COPIED, Math.max(copy.page(), image.page()), Offsets.ZERO, as)
        : copy.with(Part.WHOLE, copy.page(), as, as);
  }

  private Node arrived(SliceMoveState state, Node node) {
    Copy copy = node.copy();
    Offsets as = on(Rule.OFFSETS_BY_SLICE) ? copy.taken() : state.ends();
    return node.with(copy.with(Part.WHOLE, copy.page(), as, as));
  }

  /**
   * A node that waits for an image subscribes from where the log begins; one that has the slice
   * from the offsets of its copy: to the second stream, when it learns of that.
   */
  private void subscriptions(SliceMoveState state, int id, Steps<SliceMoveState> steps) {
    Copy copy = state.node(id).copy();
    for (int s = 0; s < STREAMS; s++) {
      int stream = s;
      Subscriptions known = state.subscriptions().get(stream);
      boolean exists = stream == 0 || state.begun();
      int from = copy.isWhole() ? copy.offsets().of(stream) : 0;
      steps.addIf(
          copy.part() != Part.NONE
              && copy.part() != Part.COPIED
              && exists
              && !known.reach(id, copy.tenure())
              && !(copy.isWhole() && copy.unnamed()),
          "node " + id + " subscribes to stream " + stream,
          () ->
              state.with(
                  stream, known.subscribed(id, copy.tenure(), from, state.start().of(stream))));
    }
  }

  // ---- a slice goes

  private void departure(SliceMoveState state, int id, Steps<SliceMoveState> steps) {
    Node node = state.node(id);
    Copy copy = node.copy();
    boolean early =
        !on(Rule.DROPPED_AFTER_THE_MAP) && map(state).from() == id && saidReady(state)
            || !on(Rule.DROPPED_BY_A_LATER_VERSION) && node.everUnnamed();
    steps.addIf(
        copy.part() != Part.NONE && (copy.unnamed() || early),
        "node " + id + " drops the slice",
        () ->
            state.with(
                id, n -> n.with(on(Rule.OFFSETS_GO_FIRST) ? copy.without() : copy.deleted())));
    steps.addIf(
        copy.deleting(),
        "the pages are deleted at node " + id,
        () -> state.with(id, n -> n.with(copy.deleted())));
  }
}
