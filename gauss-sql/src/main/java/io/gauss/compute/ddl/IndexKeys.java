package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.KeyExpression;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.expr.Volatility;
import io.gauss.compute.sql.exec.table.TableExpressionCompiler;
import io.gauss.compute.sql.parse.ColumnReferences;
import io.gauss.compute.sql.parse.KeyExpressionText;
import io.gauss.compute.sql.parse.PgStatement.IndexElement;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.List;

/** Determines columns and expressions of indexes. */
final class IndexKeys {
  private final DdlContext ddl;

  IndexKeys(DdlContext ddl) {
    this.ddl = ddl;
  }

  /**
   * The columns of an index that is being defined.
   *
   * @param columns of the key, as in {@link IndexDef}
   * @param names of all, also of the included ones
   */
  record Keys(int[] columns, List<KeyExpression> expressions, int[] included, List<String> names) {}

  /**
   * @throws GaussException 42703 for columns that there are not, 42P17 for expressions that are not
   *     immutable, 42704 for values that cannot be sorted, and errors in expressions
   */
  Keys of(TableDef table, List<IndexElement> elements, List<String> include) {
    int[] columns = new int[elements.size()];
    List<KeyExpression> expressions = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (int i = 0; i < columns.length; i++) {
      IndexElement element = elements.get(i);
      String column = column(element);
      if (column != null) {
        columns[i] = position(table, column, element.position());
        IndexNaming.add(column, names);
      } else {
        columns[i] = -1 - expressions.size();
        expressions.add(expression(table, element, names));
      }
      PgType type =
          column != null ? table.columns().get(columns[i]).type() : expressions.getLast().type();
      OperatorClasses.requireOrder(type);
      if (element.operatorClass() != null) {
        OperatorClasses.check(element.operatorClass(), type, element.position());
      }
    }
    int[] included = include.stream().mapToInt(column -> position(table, column, 0)).toArray();
    include.forEach(column -> IndexNaming.add(column, names));
    return new Keys(columns, List.copyOf(expressions), included, names);
  }

  /** The column that an element names, also in parentheses; null for an expression. */
  private static String column(IndexElement element) {
    if (element.column() != null) {
      return element.column();
    }
    try {
      return ColumnReferences.columnOrNull(element.expressionSql());
    } catch (GaussException e) {
      throw e.position(0); // a position in the expression's text
    }
  }

  private static int position(TableDef table, String column, int position) {
    int found = table.columnIndex(column);
    if (found < 0) {
      throw new GaussException(
              SqlState.UNDEFINED_COLUMN, "column \"%s\" does not exist".formatted(column))
          .position(position);
    }
    return found;
  }

  private KeyExpression expression(TableDef table, IndexElement element, List<String> names) {
    String written = ddl.stored(KeyExpressionText.bare(element.expressionSql()));
    TableExpressionCompiler.Key key = compiled(table, written);
    String sql = ColumnReferences.rename(written, name -> name);
    return new KeyExpression(IndexNaming.add(key.name(), names), sql, key.value().type());
  }

  private TableExpressionCompiler.Key compiled(TableDef table, String sql) {
    TableExpressionCompiler.Key key;
    try {
      key = ddl.services().expressions().key(table, sql, ddl.view());
    } catch (GaussException e) {
      throw e.position(0); // a position in the expression's text
    }
    if (key.value().volatility() != Volatility.IMMUTABLE) {
      throw new GaussException(
          SqlState.INVALID_OBJECT_DEFINITION,
          "functions in index expression must be marked IMMUTABLE");
    }
    return key;
  }

  /**
   * An index with the types that its expressions have after columns have got other types.
   *
   * @throws GaussException as {@link #of} does
   */
  IndexDef retyped(TableDef table, IndexDef index) {
    return index.withTypes(
        index.expressions().stream()
            .map(expression -> compiled(table, expression.sql()).value().type())
            .toList());
  }
}
