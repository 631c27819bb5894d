package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.ColumnDef;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.expr.Volatility;
import io.gauss.compute.sql.parse.ColumnReferences;
import java.util.ArrayList;
import java.util.List;

/** Rules for the expressions of GENERATED ALWAYS AS (...) STORED. */
final class GeneratedColumns {
  private final DdlContext ddl;

  GeneratedColumns(DdlContext ddl) {
    this.ddl = ddl;
  }

  /**
   * @throws GaussException 42P17 for an expression over generated columns or one that is not
   *     immutable; another code for other errors in it
   */
  void check(TableDef table) {
    for (ColumnDef column : table.columns()) {
      if (!column.isGenerated()) {
        continue;
      }
      for (String name : ColumnReferences.of(column.generatedSql())) {
        int used = table.columnIndex(name);
        if (used >= 0 && table.columns().get(used).isGenerated()) {
          throw new GaussException(
                  SqlState.INVALID_OBJECT_DEFINITION,
                  "cannot use generated column \"%s\" in column generation expression"
                      .formatted(name))
              .detail("A generated column cannot reference another generated column.");
        }
      }
      Expr value =
          ddl.services()
              .expressions()
              .value(
                  table,
                  column.generatedSql(),
                  column.type(),
                  column.name(),
                  "column generation expressions",
                  ddl.view());
      if (value.volatility() != Volatility.IMMUTABLE) {
        throw new GaussException(
            SqlState.INVALID_OBJECT_DEFINITION, "generation expression is not immutable");
      }
    }
  }

  /** Names of the columns whose expressions use a column. */
  static List<String> users(List<ColumnDef> columns, String name) {
    List<String> users = new ArrayList<>();
    for (ColumnDef column : columns) {
      if (column.isGenerated() && ColumnReferences.of(column.generatedSql()).contains(name)) {
        users.add(column.name());
      }
    }
    return users;
  }
}
