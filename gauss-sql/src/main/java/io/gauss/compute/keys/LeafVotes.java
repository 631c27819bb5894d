package io.gauss.compute.keys;

import io.gauss.compute.keys.LeadingColumn.Bound;
import io.gauss.compute.tree.LeafBounds.Leaf;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongToIntFunction;

/**
 * Turns neighbouring leaves into ranges of the key's first column. Where a value has leaves of its
 * own, since the key has more columns, the node of most of them counts, not that of the leaf where
 * the value begins, which is mostly another value's. Used once.
 */
final class LeafVotes {
  private final LeadingColumn column;
  private final LongToIntFunction nodes;
  private final KeyRanges.Builder ranges;
  private final Map<Integer, Integer> votes = new HashMap<>(); // leaves by node
  private Object value; // of the leaves in votes; null = none

  /**
   * @param nodes number of a page's node, 0 = not known
   */
  LeafVotes(LeadingColumn column, LongToIntFunction nodes) {
    this.column = column;
    this.nodes = nodes;
    this.ranges = new KeyRanges.Builder(column.highest());
  }

  KeyRanges of(List<Leaf> leaves) {
    for (Leaf leaf : leaves) {
      Bound low = column.decode(leaf.low());
      Bound high = leaf.high() == null ? null : column.decode(leaf.high());
      int node = nodes.applyAsInt(leaf.pageId());
      if (low != null && high != null && low.value().equals(high.value())) {
        if (!low.value().equals(value)) {
          count();
          value = low.value();
        }
        votes.merge(node, 1, Integer::sum);
      } else {
        Object counted = count();
        Object from = low == null ? null : low.value();
        ranges.add(from != null && from.equals(counted) ? LeadingColumn.after(from) : from, node);
      }
    }
    Object counted = count();
    if (!leaves.isEmpty()) {
      byte[] high = leaves.getLast().high();
      Object end = high == null ? null : column.decode(high).value();
      ranges.end(end != null && end.equals(counted) ? LeadingColumn.after(end) : end);
    }
    return ranges.build(column.isNumber());
  }

  /** Adds the range of a single value; returns the value, null when there is none. */
  private Object count() {
    Object counted = value;
    if (counted != null) {
      int most =
          votes.entrySet().stream()
              .max(
                  Map.Entry.<Integer, Integer>comparingByValue()
                      .thenComparing(Map.Entry.comparingByKey()))
              .orElseThrow()
              .getKey();
      ranges.add(counted, most);
      votes.clear();
      value = null;
    }
    return counted;
  }
}
