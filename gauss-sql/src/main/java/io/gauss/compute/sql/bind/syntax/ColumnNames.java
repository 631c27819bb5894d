package io.gauss.compute.sql.bind.syntax;

import io.gauss.compute.sql.parse.PgOperators;
import io.gauss.compute.sql.parse.PgTypeSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.fun.SqlCase;

/** Names result columns without alias as PostgreSQL's FigureColname does. */
public final class ColumnNames {
  private static final String NONE = "?column?";

  private ColumnNames() {}

  public static String of(SqlNode node) {
    String name = orNull(node);
    return name == null ? NONE : name;
  }

  /** The same; null where PostgreSQL finds no name. */
  public static String orNull(SqlNode node) {
    Name name = name(node);
    return name == null ? null : name.text();
  }

  /**
   * @param strong whether it takes precedence over the type name of an enclosing cast
   */
  private record Name(String text, boolean strong) {}

  private static Name name(SqlNode node) {
    switch (node) {
      case SqlIdentifier identifier -> {
        return new Name(identifier.names.getLast(), true);
      }
      case SqlLiteral constant -> {
        return null;
      }
      case SqlCase call -> {
        SqlNode otherwise = call.getElseOperand();
        Name inner = otherwise == null ? null : name(otherwise);
        return inner != null && inner.strong() ? inner : new Name("case", false);
      }
      case SqlSelect select -> {
        return select.getSelectList().size() == 1 ? ofItem(select.getSelectList().get(0)) : null;
      }
      case SqlOrderBy order -> {
        return name(order.query);
      }
      case SqlWith with -> {
        return name(with.body);
      }
      case SqlCall call -> {
        return call(call);
      }
      default -> {
        return null;
      }
    }
  }

  private static Name ofItem(SqlNode item) {
    return item.getKind() == SqlKind.AS
        ? new Name(((SqlIdentifier) ((SqlCall) item).operand(1)).getSimple(), true)
        : new Name(of(item), true);
  }

  private static Name call(SqlCall call) {
    switch (call.getKind()) {
      case CAST:
        Name inner = name(call.operand(0));
        return inner != null && inner.strong()
            ? inner
            : new Name(PgTypeSpec.of((SqlDataTypeSpec) call.operand(1)).name(), false);
      case EXISTS:
        return new Name("exists", true);
      case SCALAR_QUERY, FILTER, OVER:
        return name(call.operand(0));
      case VALUES:
        return new Name("column1", true);
      case UNION, INTERSECT, EXCEPT:
        return name(call.operand(0));
      case ROW:
        return call.operandCount() == 1 ? name(call.operand(0)) : new Name("row", true);
      case ARRAY_VALUE_CONSTRUCTOR, ARRAY_QUERY_CONSTRUCTOR:
        return new Name("array", true);
      case ITEM:
        return name(call.operand(0));
      case DOT:
        return new Name(((SqlIdentifier) call.operand(1)).getSimple(), true);
      default:
        break;
    }
    if (call.getOperator() == PgOperators.COLLATE
        || call.getOperator() == PgOperators.SLICE
        || call.getOperator() == PgOperators.AGGREGATE_ORDER_BY
        || call.getOperator() == PgOperators.WITHIN_GROUP) {
      return name(call.operand(0));
    }
    boolean function =
        call.getOperator() instanceof SqlFunction written && written.getNameAsId() != null;
    return function
        ? new Name(((SqlFunction) call.getOperator()).getNameAsId().names.getLast(), true)
        : null;
  }
}
