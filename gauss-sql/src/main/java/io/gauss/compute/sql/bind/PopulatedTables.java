package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.CatalogObject;
import io.gauss.compute.catalog.SystemTables;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.sql.bind.set.JsonSetFunctions;
import io.gauss.compute.sql.bind.set.SetFunctions;
import io.gauss.compute.sql.parse.PgTypeSpec;
import io.gauss.compute.sql.parse.TypeName;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;

/**
 * Binds {@code json_populate_record} and its like in FROM, when the first argument is {@code
 * NULL::table} or the row of a table to the left: these are the only values of a table's row type.
 * One statement, one thread.
 */
final class PopulatedTables {
  private final BindContext context;
  private final ExprBinder expressions;

  PopulatedTables(BindContext context, ExprBinder expressions) {
    this.context = context;
    this.expressions = expressions;
  }

  /**
   * @param row columns of the row that is changed; empty for NULL
   */
  private record Base(TableDef table, List<RexNode> row) {}

  /** Null when it is another function, or has other arguments. */
  SetFunctions.Resolved resolve(SqlCall call, ExprContext in) {
    String name = FunctionBinder.name(call);
    if (!JsonSetFunctions.isPopulating(name) || call.operandCount() != 2) {
      return null;
    }
    SqlNode first = call.operand(0);
    Base base =
        switch (first) {
          case SqlIdentifier row -> row(row, in);
          case SqlCall cast when cast.getKind() == SqlKind.CAST -> typed(cast);
          default -> null;
        };
    int position = ExprBinder.position(call);
    if (base == null) {
      return null;
    }
    if (context.recorder != null || context.view != null) {
      throw GaussException.notSupported("function " + name + " in a view").position(position);
    }
    RexNode json = expressions.bind(call.operand(1), in);
    List<TableDef.ColumnDef> columns = base.table.columns();
    return new JsonSetFunctions(expressions.coercion)
        .populated(
            name,
            columns.stream().map(TableDef.ColumnDef::name).toList(),
            columns.stream().map(TableDef.ColumnDef::type).toList(),
            base.row,
            json,
            position);
  }

  /** {@code NULL::table}. */
  private Base typed(SqlCall cast) {
    boolean isNull = cast.operand(0) instanceof SqlLiteral literal && literal.getValue() == null;
    TypeName type = PgTypeSpec.of((SqlDataTypeSpec) cast.operand(1));
    if (!isNull || type.arrayDimensions() > 0 || !type.modifiers().isEmpty()) {
      return null;
    }
    try {
      context.type(type);
      return null;
    } catch (GaussException e) {
      if (e.state() == SqlState.FEATURE_NOT_SUPPORTED) {
        return null;
      }
      if (e.state() != SqlState.UNDEFINED_OBJECT) {
        throw e;
      }
      if (type.schema() != null) {
        context.requireSchema(type.schema());
      }
      CatalogObject found =
          context.catalog.relation(context.searchPath, type.schema(), type.name());
      if (!(found instanceof TableDef table) || SystemTables.isSystem(table)) {
        throw e;
      }
      return new Base(table, List.of());
    }
  }

  /** {@code t} or {@code t.*}. */
  private Base row(SqlIdentifier name, ExprContext in) {
    int position = ExprBinder.position(name);
    int size = name.names.size();
    boolean isStar = name.isStar();
    if (isStar ? size != 2 : size != 1) {
      return null;
    }
    String of = name.names.getFirst();
    if (!isStar && in.scope().column(of, position) != null) {
      return null;
    }
    Relation relation = in.scope().relation(null, of);
    TableDef table = relation == null ? null : relation.table;
    if (table == null
        || SystemTables.isSystem(table)
        || relation.columns.size() != table.columns().size()) {
      return null;
    }
    List<RexNode> row = new ArrayList<>();
    for (Relation.Column column : relation.columns) {
      row.add(expressions.noted(in.scope().found(relation, column), position, in));
    }
    return new Base(table, row);
  }
}
