package io.gauss.compute.sql.plan.rewrite;

import io.gauss.compute.sql.algebra.CommonTable;
import io.gauss.compute.sql.exec.node.ApplyNode;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import org.apache.calcite.rel.RelNode;

/**
 * Queries that the rewriter has taken out of a statement's algebra: those whose value is computed
 * once, before the plan runs, and those whose rows are kept for several readers. One planning, one
 * thread.
 */
public final class InitialQueries {
  private final IntSupplier newSlot;
  private final List<Initial> values = new ArrayList<>();
  private final Map<CommonTable, RelNode> commonTables = new IdentityHashMap<>();

  /**
   * A sub-query whose value is computed once, before the plan runs.
   *
   * @param slot parameter slot of its value
   */
  public record Initial(ApplyNode.Kind kind, RelNode rel, int slot) {}

  /**
   * @param newSlot allocates a parameter slot of the plan
   */
  public InitialQueries(IntSupplier newSlot) {
    this.newSlot = newSlot;
  }

  /** Returns the slot that the query's value will occupy. */
  int add(ApplyNode.Kind kind, RelNode query) {
    int slot = newSlot.getAsInt();
    values.add(new Initial(kind, query, slot));
    return slot;
  }

  /** In the order of their slots. Planning one may add others after it. */
  public List<Initial> values() {
    return values;
  }

  boolean keeps(CommonTable table) {
    return commonTables.containsKey(table);
  }

  void keep(CommonTable table, RelNode query) {
    commonTables.put(table, query);
  }

  /** The query whose rows are kept for the readers of a common table expression. */
  public RelNode kept(CommonTable table) {
    return commonTables.get(table);
  }
}
