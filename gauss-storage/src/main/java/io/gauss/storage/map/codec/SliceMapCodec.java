package io.gauss.storage.map.codec;

import io.gauss.storage.map.api.BucketSet;
import io.gauss.storage.map.api.Slice;
import io.gauss.storage.map.api.Slice.Tenure;
import io.gauss.storage.map.api.SliceMap;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
    for (int number = 0; number < SliceMap.SLICES; number++) {
      Slice slice = map.slice(number);
      for (Tenure tenure : slice.tenures()) {
        tenures.computeIfAbsent(tenure, t -> new BitSet()).set(number);
      }
      if (slice.isMoving()) {
        moves.computeIfAbsent(new Move(slice.from(), slice.to()), m -> new BitSet()).set(number);
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
    List<List<Tenure>> tenures = new ArrayList<>();
    Move[] moves = new Move[SliceMap.SLICES];
    for (int number = 0; number < SliceMap.SLICES; number++) {
      tenures.add(new ArrayList<>());
    }
    // They are sorted by node, so those of a slice come in that order.
    from.list(
        r -> {
          Tenure tenure = new Tenure(r.u16(), r.i64());
          r.runs().forEach(number -> tenures.get(number).add(tenure));
          return tenure;
        });
    from.list(
        r -> {
          Move move = new Move(r.u16(), r.u16());
          r.runs().forEach(number -> moves[number] = move);
          return move;
        });
    return SliceMap.of(slices(tenures, moves), holders);
  }

  /** Slices that are at the same nodes since the same versions are one object. */
  private static List<Slice> slices(List<List<Tenure>> tenures, Move[] moves) {
    Map<Slice, Slice> distinct = new HashMap<>();
    List<Slice> slices = new ArrayList<>(SliceMap.SLICES);
    for (int number = 0; number < SliceMap.SLICES; number++) {
      Move move = moves[number] == null ? new Move(0, 0) : moves[number];
      Slice slice = new Slice(tenures.get(number), move.from(), move.to());
      slices.add(distinct.computeIfAbsent(slice, s -> s));
    }
    return slices;
  }
}
