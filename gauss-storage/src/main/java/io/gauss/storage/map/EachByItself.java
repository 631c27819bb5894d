package io.gauss.storage.map;

import io.gauss.storage.map.api.BucketSet;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.map.command.MapResult.Refused;
import java.util.BitSet;
import java.util.function.IntFunction;

/**
 * Commands that concern several buckets or slices: one for which the command is out of date is
 * skipped, whatever happens to the others.
 */
final class EachByItself {
  private EachByItself() {}

  /**
   * Judges each of them.
   *
   * @param judge makes the change for one of them, and answers null, or why there is none
   * @return {@link Refused} when nothing changed for any of them
   */
  static MapResult judge(BucketSet all, IntFunction<Refused> judge) {
    BitSet skipped = new BitSet();
    Refused first = null;
    for (int one : all.stream().toArray()) {
      Refused refused = judge.apply(one);
      if (refused != null) {
        skipped.set(one);
        first = first == null ? refused : first;
      }
    }
    if (first == null) {
      return MapResult.done();
    }
    return skipped.cardinality() == all.size()
        ? first
        : new MapResult.AllBut(BucketSet.of(skipped), first.why(), first.message());
  }
}
