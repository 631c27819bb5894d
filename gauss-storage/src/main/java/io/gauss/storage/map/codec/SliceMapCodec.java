package io.gauss.storage.map.codec;

import io.gauss.storage.map.api.BucketSet;
import io.gauss.storage.map.api.Slice;
import io.gauss.storage.map.api.Slice.Tenure;
import io.gauss.storage.map.api.SliceMap;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/**
 * The list of slices within the cluster map, whose layout {@link ClusterMapCodec} says. Slices for
 * which a node was named at once are together, and so are those that move between the same nodes:
 * the list has as many entries as there were moves, not as there are slices.
 */
final class SliceMapCodec {
  private record Move(int from, int to) {}

  private SliceMapCodec() {}

  static void write(MapWriter to, SliceMap map) {
    TreeMap<Tenure, BitSet> tenures =
        new TreeMap<>(Comparator.comparing(Tenure::node).thenComparing(Tenure::since));
    TreeMap<Move, BitSet> moves =
        new TreeMap<>(Comparator.comparing(Move::from).thenComparing(Move::to));
    int first = 0;
    for (int end = 1; end <= SliceMap.SLICES; end++) {
      Slice slice = map.slice(first);
      if (end == SliceMap.SLICES || !map.slice(end).equals(slice)) {
        for (Tenure tenure : slice.tenures()) {
          tenures.computeIfAbsent(tenure, t -> new BitSet()).set(first, end);
        }
        if (slice.isMoving()) {
          moves
              .computeIfAbsent(new Move(slice.from(), slice.to()), m -> new BitSet())
              .set(first, end);
        }
        first = end;
      }
    }
    to.list(map.holders().entrySet(), (w, e) -> w.u16(e.getKey()).i64(e.getValue()));
    to.list(
        tenures.entrySet(),
        (w, e) ->
            w.u16(e.getKey().node()).i64(e.getKey().since()).runs(BucketSet.of(e.getValue())));
    to.list(
        moves.entrySet(),
        (w, e) -> w.u16(e.getKey().from()).u16(e.getKey().to()).runs(BucketSet.of(e.getValue())));
  }

  /** Throws {@link IllegalArgumentException} for slices that contradict each other. */
  static SliceMap read(MapReader from) {
    TreeMap<Integer, Long> holders = new TreeMap<>();
    from.list(r -> holders.put(r.u16(), r.i64()));
    // They are sorted by node, so those of a slice come in that order.
    List<Part<Tenure>> tenures = from.list(r -> new Part<>(new Tenure(r.u16(), r.i64()), r.runs()));
    List<Part<Move>> moves = from.list(r -> new Part<>(new Move(r.u16(), r.u16()), r.runs()));
    BitSet borders = new BitSet();
    tenures.forEach(part -> part.addBorders(borders));
    moves.forEach(part -> part.addBorders(borders));
    borders.set(SliceMap.SLICES);
    List<Slice> slices = new ArrayList<>(SliceMap.SLICES);
    while (slices.size() < SliceMap.SLICES) {
      int first = slices.size();
      int end = borders.nextSetBit(first + 1);
      slices.addAll(Collections.nCopies(end - first, slice(first, tenures, moves)));
    }
    return SliceMap.of(slices, holders);
  }

  private static Slice slice(int number, List<Part<Tenure>> tenures, List<Part<Move>> moves) {
    List<Tenure> of = new ArrayList<>();
    for (Part<Tenure> part : tenures) {
      if (part.slices().contains(number)) {
        of.add(part.value());
      }
    }
    for (Part<Move> part : moves) {
      if (part.slices().contains(number)) {
        return new Slice(of, part.value().from(), part.value().to());
      }
    }
    return new Slice(of, 0, 0);
  }

  /** What holds for some of the slices. */
  private record Part<T>(T value, BucketSet slices) {
    /** Marks the first slice of each run, and the one after its last. */
    void addBorders(BitSet borders) {
      slices.forEach(
          number -> {
            if (number == 0 || !slices.contains(number - 1)) {
              borders.set(number);
            }
            if (!slices.contains(number + 1)) {
              borders.set(number + 1);
            }
          });
    }
  }
}
