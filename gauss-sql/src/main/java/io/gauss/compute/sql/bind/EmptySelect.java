package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.sql.algebra.BoundQuery;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.algebra.PgTypeFactory;
import io.gauss.compute.sql.algebra.PgValues;
import io.gauss.compute.sql.bind.syntax.ColumnNames;
import io.gauss.compute.sql.parse.PgOperators;
import io.gauss.compute.sql.parse.PgTypeSpec;
import io.gauss.compute.sql.system.SystemTableRows;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;

/**
 * A SELECT over a system table that never has rows, such as pg_trigger. It has no rows either, so
 * Gauss need not be able to compute its expressions. psql's \d sends such queries, with arrays,
 * set-returning functions and so on in them.
 *
 * <p>Used only when ordinary binding has failed because of a missing feature, function or type.
 * Columns that cannot be bound are text, or of the type that they are cast to if clients know it.
 */
final class EmptySelect {
  private static final Set<SqlState> FORGIVEN =
      Set.of(
          SqlState.FEATURE_NOT_SUPPORTED,
          SqlState.UNDEFINED_FUNCTION,
          SqlState.UNDEFINED_OBJECT,
          SqlState.CANNOT_COERCE);

  private final BindContext context;
  private final ExprBinder expressions;

  EmptySelect(BindContext context, ExprBinder expressions) {
    this.context = context;
    this.expressions = expressions;
  }

  boolean accepts(GaussException failure, SqlSelect select) {
    return FORGIVEN.contains(failure.state())
        && select.getFrom() != null
        && select.getHaving() == null
        && isEmpty(select.getFrom())
        && !(select.getGroup() == null && mayAggregate(select));
  }

  /** Whether a FROM item never has rows. */
  private boolean isEmpty(SqlNode from) {
    if (from instanceof SqlJoin join) {
      boolean left = isEmpty(join.getLeft());
      return switch (join.getJoinType()) {
        case LEFT -> left;
        case RIGHT -> isEmpty(join.getRight());
        case FULL -> left && isEmpty(join.getRight());
        case COMMA, CROSS, INNER -> left || isEmpty(join.getRight());
        default -> false;
      };
    }
    if (from.getKind() == SqlKind.AS
        || (from instanceof SqlCall only && only.getOperator() == PgOperators.ONLY)) {
      return isEmpty(((SqlCall) from).operand(0));
    }
    if (!(from instanceof SqlIdentifier identifier) || identifier.names.size() > 2) {
      return false;
    }
    List<String> names = identifier.names;
    TableDef table =
        context.catalog.table(
            context.searchPath, names.size() == 2 ? names.getFirst() : null, names.getLast());
    return table != null && SystemTableRows.isAlwaysEmpty(table);
  }

  /** An aggregate without GROUP BY gives a row even for an empty input. */
  private boolean mayAggregate(SqlSelect select) {
    for (SqlNode item : select.getSelectList()) {
      if (mayAggregate(item)) {
        return true;
      }
    }
    return false;
  }

  private boolean mayAggregate(SqlNode node) {
    if (!(node instanceof SqlCall call) || call.isA(SqlKind.QUERY)) {
      return false;
    }
    String name = call.getOperator().getName();
    if (call.getKind() == SqlKind.OTHER_FUNCTION
        && context.functions.isAggregate(name.substring(name.lastIndexOf('.') + 1))) {
      return true;
    }
    for (SqlNode operand : call.getOperandList()) {
      if (operand != null && mayAggregate(operand)) {
        return true;
      }
    }
    return false;
  }

  BoundQuery bind(SqlSelect select, Scope scope) {
    List<BoundQuery.Output> outputs = new ArrayList<>();
    RelDataTypeFactory.Builder fields = PgTypeFactory.INSTANCE.builder();
    for (SqlNode node : select.getSelectList()) {
      SqlNode value = node;
      String name = null;
      if (node.getKind() == SqlKind.AS) {
        value = ((SqlBasicCall) node).operand(0);
        name = ((SqlIdentifier) ((SqlBasicCall) node).operand(1)).getSimple();
      }
      if (name == null) {
        name = ColumnNames.of(value);
      }
      PgType type = type(value, scope);
      outputs.add(new BoundQuery.Output(name, type, 0, 0));
      fields.add(name, PgRex.rel(type));
    }
    return new BoundQuery(
        new PgValues(context.cluster, fields.uniquify().build(), List.of()), outputs);
  }

  private PgType type(SqlNode value, Scope scope) {
    if (value instanceof SqlIdentifier identifier && identifier.isStar()) {
      throw GaussException.notSupported("*").position(ExprBinder.position(value));
    }
    try {
      PgType type = PgRex.type(expressions.bind(value, ExprContext.of(scope, "SELECT")));
      return type.isUnknown() || type.is(PgType.RECORD) ? PgType.TEXT : type;
    } catch (GaussException e) {
      if (!FORGIVEN.contains(e.state())) {
        throw e;
      }
      return isOperator(value) ? PgType.REGOPERATOR : PgType.TEXT;
    }
  }

  private static boolean isOperator(SqlNode value) {
    return value.getKind() == SqlKind.CAST
        && ((SqlCall) value).operand(1) instanceof SqlDataTypeSpec spec
        && PgTypeSpec.of(spec).name().equals(PgType.REGOPERATOR.name());
  }
}
