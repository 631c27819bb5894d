package io.gauss.compute.sql.plan;

import java.util.HashMap;
import java.util.Map;
import org.apache.calcite.rel.core.CorrelationId;

/**
 * Parameter slots of a plan: {@code $1..$n} first, then values that the plan computes while it
 * runs. Belongs to the planning of one statement.
 */
final class Slots {
  private int count;

  /**
   * Slots of the outer row's columns, by correlation variable and field, while the inner side is
   * planned.
   */
  private final Map<CorrelationId, Map<Integer, Integer>> outer = new HashMap<>();

  Slots(int parameters) {
    count = parameters;
  }

  int allocate() {
    return count++;
  }

  int count() {
    return count;
  }

  /** Begins the inner side of a correlation; returns the previous slots. */
  Map<Integer, Integer> enter(CorrelationId id) {
    return outer.put(id, new HashMap<>());
  }

  /** Ends it; returns the fields that were requested, with their slots. */
  Map<Integer, Integer> exit(CorrelationId id, Map<Integer, Integer> before) {
    Map<Integer, Integer> used = outer.remove(id);
    if (before != null) {
      outer.put(id, before);
    }
    return used;
  }

  /** The slot that holds a field of the outer row. */
  int slot(CorrelationId id, int field) {
    Map<Integer, Integer> fields = outer.get(id);
    if (fields == null) {
      throw new IllegalStateException("no outer row for " + id);
    }
    return fields.computeIfAbsent(field, f -> allocate());
  }
}
