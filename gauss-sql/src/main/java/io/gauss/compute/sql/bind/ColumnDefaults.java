package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.expr.call.CastContext;
import io.gauss.compute.sql.algebra.PgConstant;
import io.gauss.compute.sql.algebra.PgTypeFactory;
import io.gauss.compute.sql.parse.PgParser;
import io.gauss.compute.type.PgType;
import java.util.List;
import org.apache.calcite.rex.RexNode;

/** The values of columns to which a statement gives none. One statement, one thread. */
final class ColumnDefaults {
  private final QueryBinder queries;
  private final FunctionBinder functions;

  ColumnDefaults(QueryBinder queries, FunctionBinder functions) {
    this.queries = queries;
    this.functions = functions;
  }

  /** The default as an expression of the column's type without column references. */
  RexNode of(TableDef table, int column) {
    TableDef.ColumnDef def = table.columns().get(column);
    RexNode value;
    if (def.isGenerated()) {
      return PgConstant.ofNull(def.type()); // computed when the other columns are known
    }
    if (def.sequenceOid() != 0 && (def.identity() != 0 || def.defaultSql() != null)) {
      value =
          functions.call(
              "nextval", List.of(PgConstant.ofLong(PgType.REGCLASS, def.sequenceOid())), 0);
    } else if (def.defaultSql() != null) {
      value = parsed(def.defaultSql());
    } else if (def.type().isDomain() && def.type().domain().defaultSql() != null) {
      value = parsed(def.type().domain().defaultSql());
    } else if (def.type().isConstrained()) {
      value = PgConstant.ofNull(PgType.UNKNOWN); // the domain may refuse it
    } else {
      return PgConstant.ofNull(def.type());
    }
    try {
      return queries.assign(value, def.type(), CastContext.ASSIGNMENT, def.name());
    } catch (GaussException e) {
      // A position would point into the default's text, not into the statement.
      throw e.position(0);
    }
  }

  private RexNode parsed(String sql) {
    Scope scope = new Scope(null, queries.context.cluster);
    scope.close(PgTypeFactory.INSTANCE.builder().build());
    return queries.expressions.bind(
        PgParser.parseExpression(sql), ExprContext.of(scope, "DEFAULT expressions"));
  }
}
