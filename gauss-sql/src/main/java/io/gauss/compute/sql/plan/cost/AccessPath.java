package io.gauss.compute.sql.plan.cost;

import io.gauss.compute.catalog.TableDef;
import java.util.List;
import org.apache.calcite.rex.RexNode;

/**
 * One way to read a table.
 *
 * @param index null = the clustered tree
 * @param prefix sargs on the leading key columns, all of them equalities
 * @param range sargs on the key column after them; empty = none
 * @param filter conditions that the key range does not decide
 * @param reverse whether the range is read backwards
 * @param matched rows in the key range
 * @param estimate its rows are those that pass the filter
 * @param ordering in scan fields
 */
public record AccessPath(
    Kind kind,
    TableDef.IndexDef index,
    List<Sarg> prefix,
    List<Sarg> range,
    List<RexNode> filter,
    boolean reverse,
    double matched,
    Estimate estimate,
    Ordering ordering) {
  public enum Kind {
    POINT,
    INDEX_LOOKUP,
    RANGE,
    FULL
  }

  /**
   * Whether it touches only a few rows: at most one, or a key range that is expected to have only
   * few.
   */
  boolean isShort() {
    return kind == Kind.POINT || kind == Kind.INDEX_LOOKUP;
  }

  AccessPath reversed() {
    return new AccessPath(
        kind, index, prefix, range, filter, !reverse, matched, estimate, ordering.reversed());
  }
}
