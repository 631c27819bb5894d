package io.gauss.compute.sql.plan.cost;

import java.util.ArrayList;
import java.util.List;

/**
 * The preferences of the node above: an order, and the number of rows that it will read. Plans that
 * give the order save a sort, and only these profit from the limit.
 *
 * @param order fields of this node
 * @param limit rows that will be read, infinite = all
 */
public record Wanted(List<Ordering.Key> order, double limit) {
  public static final Wanted NOTHING = new Wanted(List.of(), Double.POSITIVE_INFINITY);

  /** The same in the fields of an input; empty where a field has no counterpart there. */
  public Wanted mapped(int[] inputFields) {
    List<Ordering.Key> keys = new ArrayList<>();
    for (Ordering.Key key : order) {
      int field = inputFields[key.field()];
      if (field < 0) {
        return NOTHING;
      }
      keys.add(new Ordering.Key(field, key.descending(), key.nullsFirst()));
    }
    return new Wanted(keys, limit);
  }

  public Wanted unlimited() {
    return new Wanted(order, Double.POSITIVE_INFINITY);
  }
}
