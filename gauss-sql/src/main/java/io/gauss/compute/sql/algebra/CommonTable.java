package io.gauss.compute.sql.algebra;

import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;

/**
 * A common table expression of one statement: its query, and the number of references to it, which
 * decides whether it is inlined or computed once and kept.
 */
public final class CommonTable {
  private final String name;
  private final BoundQuery query;
  private final BoundStatement write;
  private final Boolean materialized;
  private final boolean isLocking;
  private int references;

  private CommonTable(
      String name,
      BoundQuery query,
      BoundStatement write,
      Boolean materialized,
      boolean isLocking) {
    this.name = name;
    this.query = query;
    this.write = write;
    this.materialized = materialized;
    this.isLocking = isLocking;
  }

  /**
   * @param materialized whether MATERIALIZED (true) or NOT MATERIALIZED (false) was written; null =
   *     neither
   */
  public static CommonTable of(String name, BoundQuery query, Boolean materialized) {
    return new CommonTable(name, query, null, materialized, false);
  }

  /** A sub-query with FOR UPDATE, or the like, which stands where it is written. */
  public static CommonTable ofLocked(BoundQuery query) {
    return new CommonTable("locked", query, null, true, true);
  }

  /** A common table expression that changes a table; its rows are those of RETURNING. */
  public static CommonTable of(String name, BoundStatement write) {
    return new CommonTable(name, null, write, true, false);
  }

  public String name() {
    return name;
  }

  /** The INSERT, UPDATE or DELETE; null for a query. */
  public BoundStatement write() {
    return write;
  }

  /** The query's algebra; null for one that changes a table. */
  public RelNode rel() {
    return query.rel();
  }

  /** Whether it is a sub-query that locks rows. */
  public boolean isLocking() {
    return isLocking;
  }

  public void refer() {
    references++;
  }

  /** Whether the statement refers to it more than once. */
  public boolean isRepeated() {
    return references > 1;
  }

  /**
   * Whether the query is inlined: PostgreSQL's rule for queries that are referred to once or are
   * NOT MATERIALIZED, and have no volatile functions.
   */
  public boolean isInlined() {
    if (write != null || Boolean.TRUE.equals(materialized)) {
      return false;
    }
    boolean wanted = Boolean.FALSE.equals(materialized) || references <= 1;
    return wanted && !isVolatile(query.rel());
  }

  private static boolean isVolatile(RelNode rel) {
    if (rel instanceof PgRecursion) {
      return false; // it is read once: kept or not, the rows are the same, and LIMIT may end it
    }
    boolean[] found = new boolean[1];
    RexShuttle finder =
        new RexShuttle() {
          @Override
          public RexNode visitCall(RexCall call) {
            found[0] |= !call.op.isDeterministic();
            if (call.op instanceof PgSubQuery subQuery) {
              found[0] |= isVolatile(subQuery.rel());
            }
            return super.visitCall(call);
          }
        };
    switch (rel) {
      case LogicalFilter filter -> filter.getCondition().accept(finder);
      case LogicalJoin join -> join.getCondition().accept(finder);
      default -> rel.accept(finder);
    }
    for (RelNode input : rel.getInputs()) {
      found[0] |= isVolatile(input);
    }
    return found[0];
  }
}
