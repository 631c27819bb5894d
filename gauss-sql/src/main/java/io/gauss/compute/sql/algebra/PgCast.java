package io.gauss.compute.sql.algebra;

import io.gauss.compute.expr.call.CastContext;
import io.gauss.compute.type.PgType;
import java.util.List;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;

/**
 * A conversion to a PostgreSQL type, resolved by the binder. Not Calcite's CAST, whose
 * simplifications assume its own semantics. Immutable.
 */
public final class PgCast extends SqlFunction {
  private final PgType target;
  private final CastContext context;

  private PgCast(PgType target, CastContext context) {
    super(
        "cast " + context + " " + target.oid() + "/" + target.typmod(),
        SqlKind.OTHER_FUNCTION,
        null,
        null,
        null,
        SqlFunctionCategory.SYSTEM);
    this.target = target;
    this.context = context;
  }

  /** Converts; the caller has checked that the conversion is allowed. */
  public static RexNode of(RexNode node, PgType target, CastContext context) {
    return PgRex.call(new PgCast(target, context), target, List.of(node));
  }

  /** Converts implicitly; there must be such a conversion. */
  public static RexNode implicit(RexNode node, PgType target) {
    return of(node, target, CastContext.IMPLICIT);
  }

  public PgType target() {
    return target;
  }

  public CastContext context() {
    return context;
  }
}
