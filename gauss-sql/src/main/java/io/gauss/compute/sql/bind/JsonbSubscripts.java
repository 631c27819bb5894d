package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.call.CastContext;
import io.gauss.compute.expr.call.CastRegistry;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.bind.type.Coercion;
import io.gauss.compute.type.PgType;
import org.apache.calcite.rex.RexNode;

/** What stands in brackets behind a jsonb value. Stateless. */
final class JsonbSubscripts {
  private JsonbSubscripts() {}

  static GaussException noSlices(int position) {
    return new GaussException(SqlState.DATATYPE_MISMATCH, "jsonb subscript does not support slices")
        .position(position);
  }

  /** A step as integer or text. */
  static RexNode step(RexNode written, Coercion coercion, int position) {
    PgType type = PgRex.type(written);
    PgType target = type.isUnknown() ? PgType.TEXT : target(type);
    if (target == null) {
      throw new GaussException(
              SqlState.DATATYPE_MISMATCH,
              "subscript type " + type.displayName() + " is not supported")
          .hint("jsonb subscript must be coercible to either integer or text.")
          .position(position);
    }
    return coercion.to(written, target, CastContext.IMPLICIT, position);
  }

  private static PgType target(PgType type) {
    if (CastRegistry.canCoerce(type, PgType.INT4, CastContext.IMPLICIT)) {
      return PgType.INT4;
    }
    return CastRegistry.canCoerce(type, PgType.TEXT, CastContext.IMPLICIT) ? PgType.TEXT : null;
  }
}
