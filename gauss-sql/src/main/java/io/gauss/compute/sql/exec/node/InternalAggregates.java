package io.gauss.compute.sql.exec.node;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.Accumulator;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.call.AggregateDef;
import io.gauss.compute.expr.call.ResolvedAggregate;
import io.gauss.compute.sql.exec.row.Values;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.util.List;

/** Aggregates that the planner needs and that have no name in SQL. */
public final class InternalAggregates {
  private InternalAggregates() {}

  /** The only row's value, NULL without a row; 21000 when there are several: a scalar subquery. */
  public static ResolvedAggregate singleValue(PgType type) {
    return first("single_value", type, true);
  }

  /** The first row's value: a column that depends on the group. */
  public static ResolvedAggregate anyValue(PgType type) {
    return first("any_value", type, false);
  }

  private static ResolvedAggregate first(String name, PgType type, boolean only) {
    AggregateDef def =
        new AggregateDef(name, List.of(type), type, false, true, argumentTypes -> new First(only));
    return new ResolvedAggregate(def, List.of(type), type);
  }

  public static GaussException severalRows() {
    return new GaussException(
        SqlState.CARDINALITY_VIOLATION,
        "more than one row returned by a subquery used as an expression");
  }

  /** Keeps a copy of the first value. */
  private static final class First extends Accumulator {
    private final boolean only;
    private final Value value = new Value();
    private byte[] bytes;
    private boolean seen;

    First(boolean only) {
      this.only = only;
    }

    @Override
    public void add(EvalContext ctx, Value[] arguments) {
      if (seen) {
        if (only) {
          throw severalRows();
        }
        return;
      }
      seen = true;
      bytes = Values.copy(arguments[0], value, bytes);
    }

    @Override
    public void merge(EvalContext ctx, Accumulator other) {
      First later = (First) other;
      if (later.seen) {
        add(ctx, new Value[] {later.value});
      }
    }

    @Override
    public void result(EvalContext ctx, Value out) {
      if (seen) {
        out.set(value);
      } else {
        out.setNull();
      }
    }

    @Override
    public void reset() {
      seen = false;
    }
  }
}
