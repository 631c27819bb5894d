package io.gauss.storage.map;

import io.gauss.common.explore.Mixing;
import io.gauss.storage.raft.stream.Subscriptions;
import io.gauss.storage.raft.stream.Subscriptions.Subscription;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;

/**
 * A state of {@link SliceMoveModel}: one slice with one page, whose records two streams carry.
 *
 * @param carriers by record of the page, in their order, the stream that carries it: 0 or 1
 * @param start where the streams' logs begin; an offset is the number of the page's records before
 *     it in its stream
 * @param begun whether the second stream exists
 * @param sealed whether the first one has ended, and the second one's writer has taken over
 * @param subscriptions by stream, who needs its log
 * @param awaited by node, the tenure for which the map named it when it placed the second stream,
 *     -1 if it did not; empty before
 * @param map number of the cluster map
 * @param ready the tenures for which their nodes said to be ready; see {@link #said}
 * @param gone the tenures that were said to be over; see {@link #said}
 * @param left how often something may still happen
 * @param broken what the map's own invariants forbid; null = nothing
 */
record SliceMoveState(
    List<Integer> carriers,
    Offsets start,
    boolean begun,
    boolean sealed,
    List<Subscriptions> subscriptions,
    List<Integer> awaited,
    int map,
    long ready,
    long gone,
    List<Node> nodes,
    List<Integer> left,
    String broken) {

  /** What happens a limited number of times. */
  enum Limit {
    WRITES,
    STREAMS,
    MOVES,
    CANCELS,
    GIVEN_UP,
    CRASHES,
    LOSSES
  }

  /** An offset in each of the two streams. */
  record Offsets(int first, int second) {
    static final Offsets ZERO = new Offsets(0, 0);
    static final Offsets NONE = new Offsets(-1, -1);

    int of(int stream) {
      return stream == 0 ? first : second;
    }

    Offsets with(int stream, int offset) {
      return stream == 0 ? new Offsets(offset, second) : new Offsets(first, offset);
    }
  }

  /** How much of the slice a node's disk has. */
  enum Part {
    NONE,
    /** The map has named the node; no image of the slice has come. */
    ARRIVING,
    /** The pages of an image are there, its offsets are not. */
    COPIED,
    WHOLE
  }

  /**
   * A node's copy of the slice.
   *
   * @param tenure number of the move by which the slice came, or comes
   * @param page number of the last record in the page on disk; 0 = there is no page
   * @param offsets through which the page on disk has everything
   * @param taken through which records were taken; those of the image while it is COPIED
   * @param deleting whether pages of an earlier tenure are still to be deleted
   * @param unnamed whether a version of the map after the tenure began does not name the node
   * @param secondKnown whether the second stream existed when the slice began to arrive
   */
  record Copy(
      Part part,
      int tenure,
      int page,
      Offsets offsets,
      Offsets taken,
      boolean deleting,
      boolean unnamed,
      boolean secondKnown) {
    static final Copy OF_THE_BEGINNING =
        new Copy(Part.WHOLE, 0, 0, Offsets.ZERO, Offsets.ZERO, false, false, true);
    static final Copy NONE =
        new Copy(Part.NONE, -1, 0, Offsets.ZERO, Offsets.ZERO, false, false, false);

    boolean isWhole() {
      return part == Part.WHOLE;
    }

    /** A new tenure, of which nothing is here. */
    Copy arriving(int newTenure, boolean second) {
      return new Copy(
          Part.ARRIVING, newTenure, page, Offsets.ZERO, Offsets.ZERO, deleting, false, second);
    }

    Copy with(Part newPart, int newPage, Offsets newOffsets, Offsets newTaken) {
      return new Copy(
          newPart, tenure, newPage, newOffsets, newTaken, deleting, unnamed, secondKnown);
    }

    Copy withUnnamed() {
      return part == Part.NONE
          ? this
          : new Copy(part, tenure, page, offsets, taken, deleting, true, secondKnown);
    }

    /** The slice is not here any more; its pages may be. */
    Copy without() {
      return new Copy(
          Part.NONE, -1, page, Offsets.ZERO, Offsets.ZERO, deleting || page > 0, false, false);
    }

    Copy deleted() {
      return new Copy(part, tenure, 0, offsets, taken, false, unnamed, secondKnown);
    }

    void mixInto(Mixing mixing) {
      mixing.add(part.ordinal()).add(tenure).add(page).add(offsets.first).add(offsets.second);
      mixing.add(taken.first).add(taken.second).add(deleting).add(unnamed).add(secondKnown);
    }
  }

  /**
   * A storage node.
   *
   * @param everUnnamed whether any version of the map does not name it
   * @param lost its disk is gone for good
   */
  record Node(Copy copy, boolean everUnnamed, boolean lost) {
    Node with(Copy newCopy) {
      return new Node(newCopy, everUnnamed, lost);
    }

    Node asUnnamed() {
      return new Node(copy.withUnnamed(), true, lost);
    }

    Node asLost() {
      return new Node(Copy.NONE, everUnnamed, true);
    }

    void mixInto(Mixing mixing) {
      copy.mixInto(mixing);
      mixing.add(everUnnamed).add(lost);
    }
  }

  @Override
  public int hashCode() {
    Mixing mixing = new Mixing().addAll(carriers).add(start.first).add(start.second);
    mixing.add(begun).add(sealed).add(map).add(ready).add(gone).addAll(left).addAll(awaited);
    for (Subscriptions each : subscriptions) {
      mixing.add(each.all().size());
      for (Subscription of : each.all()) {
        mixing.add(of.node()).add((int) of.tenure()).add((int) of.from());
      }
    }
    nodes.forEach(node -> node.mixInto(mixing));
    return mixing.hash();
  }

  /** What is said of a node and its tenure, as a bit. */
  static long said(int node, int tenure) {
    return 1L << (tenure * SliceMoveModel.NODES + node);
  }

  /** Calls the action with the node and the tenure of each bit. */
  static void eachSaid(long bits, BiConsumer<Integer, Integer> action) {
    for (long rest = bits; rest != 0; rest &= rest - 1) {
      int bit = Long.numberOfTrailingZeros(rest);
      action.accept(bit % SliceMoveModel.NODES, bit / SliceMoveModel.NODES);
    }
  }

  Node node(int id) {
    return nodes.get(id);
  }

  /** The offset from which a stream keeps its log for a tenure of a node; -1 = it does not. */
  int keptFrom(int stream, int id, int tenure) {
    Subscription known = subscriptions.get(stream).of(id);
    return known != null && known.tenure() == tenure ? (int) known.from() : -1;
  }

  int left(Limit limit) {
    return left.get(limit.ordinal());
  }

  /** How many of the page's records a stream has. */
  int end(int stream) {
    int end = 0;
    for (int carrier : carriers) {
      end += carrier == stream ? 1 : 0;
    }
    return end;
  }

  Offsets ends() {
    return new Offsets(end(0), end(1));
  }

  /** Number of the last of the page's records in a stream before an offset; 0 = there is none. */
  int lastBefore(int stream, int offset) {
    int last = 0;
    int at = 0;
    for (int record = 1; record <= carriers.size(); record++) {
      if (carriers.get(record - 1) == stream && at++ < offset) {
        last = record;
      }
    }
    return last;
  }

  /** The page as a reader gets it: every record that a copy has taken and that joins, folded. */
  int readable(Copy copy) {
    int page = copy.page;
    Offsets at = Offsets.ZERO;
    for (int record = 1; record <= carriers.size(); record++) {
      int stream = carriers.get(record - 1);
      int offset = at.of(stream);
      boolean has = offset >= copy.offsets.of(stream) && offset < copy.taken.of(stream);
      if (has && record == page + 1) {
        page = record;
      }
      at = at.with(stream, offset + 1);
    }
    return page;
  }

  /** Through which offsets everything is readable in a copy: below its first parked record. */
  Offsets applied(Copy copy) {
    int page = readable(copy);
    Offsets applied = copy.taken;
    Offsets at = Offsets.ZERO;
    for (int record = 1; record <= carriers.size(); record++) {
      int stream = carriers.get(record - 1);
      int offset = at.of(stream);
      boolean has = offset >= copy.offsets.of(stream) && offset < copy.taken.of(stream);
      if (has && record > page && offset < applied.of(stream)) {
        applied = applied.with(stream, offset);
      }
      at = at.with(stream, offset + 1);
    }
    return applied;
  }

  // ---- what follows

  SliceMoveState with(int id, UnaryOperator<Node> change) {
    List<Node> all = new ArrayList<>(nodes);
    all.set(id, change.apply(all.get(id)));
    return new SliceMoveState(
        carriers,
        start,
        begun,
        sealed,
        subscriptions,
        awaited,
        map,
        ready,
        gone,
        List.copyOf(all),
        left,
        broken);
  }

  SliceMoveState with(int nextMap, String wrong) {
    String all = broken == null ? wrong : broken;
    return new SliceMoveState(
        carriers,
        start,
        begun,
        sealed,
        subscriptions,
        awaited,
        nextMap,
        ready,
        gone,
        nodes,
        left,
        all);
  }

  SliceMoveState using(Limit limit) {
    List<Integer> fewer = new ArrayList<>(left);
    fewer.set(limit.ordinal(), left(limit) - 1);
    return new SliceMoveState(
        carriers,
        start,
        begun,
        sealed,
        subscriptions,
        awaited,
        map,
        ready,
        gone,
        nodes,
        List.copyOf(fewer),
        broken);
  }

  SliceMoveState writtenTo(int stream) {
    List<Integer> more = new ArrayList<>(carriers);
    more.add(stream);
    return new SliceMoveState(
        List.copyOf(more),
        start,
        begun,
        sealed,
        subscriptions,
        awaited,
        map,
        ready,
        gone,
        nodes,
        left,
        broken);
  }

  SliceMoveState withStreams(boolean second, boolean firstSealed) {
    return new SliceMoveState(
        carriers,
        start,
        second,
        firstSealed,
        subscriptions,
        awaited,
        map,
        ready,
        gone,
        nodes,
        left,
        broken);
  }

  SliceMoveState with(int stream, Subscriptions changed) {
    List<Subscriptions> all = new ArrayList<>(subscriptions);
    all.set(stream, changed);
    return new SliceMoveState(
        carriers,
        start,
        begun,
        sealed,
        List.copyOf(all),
        awaited,
        map,
        ready,
        gone,
        nodes,
        left,
        broken);
  }

  SliceMoveState awaiting(List<Integer> tenures) {
    return new SliceMoveState(
        carriers,
        start,
        begun,
        sealed,
        subscriptions,
        tenures,
        map,
        ready,
        gone,
        nodes,
        left,
        broken);
  }

  SliceMoveState startingAt(int stream, int offset) {
    return new SliceMoveState(
        carriers,
        start.with(stream, offset),
        begun,
        sealed,
        subscriptions,
        awaited,
        map,
        ready,
        gone,
        nodes,
        left,
        broken);
  }

  SliceMoveState sayingReady(long bit) {
    return new SliceMoveState(
        carriers,
        start,
        begun,
        sealed,
        subscriptions,
        awaited,
        map,
        ready | bit,
        gone,
        nodes,
        left,
        broken);
  }

  SliceMoveState sayingGone(long bit) {
    return new SliceMoveState(
        carriers,
        start,
        begun,
        sealed,
        subscriptions,
        awaited,
        map,
        ready,
        gone | bit,
        nodes,
        left,
        broken);
  }

  SliceMoveState withoutGone(long bit) {
    return new SliceMoveState(
        carriers,
        start,
        begun,
        sealed,
        subscriptions,
        awaited,
        map,
        ready,
        gone & ~bit,
        nodes,
        left,
        broken);
  }

  /** No log has anything that is needed no more. */
  boolean isTrimmed() {
    return start.equals(ends());
  }
}
