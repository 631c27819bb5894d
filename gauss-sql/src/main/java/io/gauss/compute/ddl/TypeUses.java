package io.gauss.compute.ddl;

import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.CheckDef;
import io.gauss.compute.catalog.TableDef.ColumnDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.sql.parse.PgStatement.AlterAction;
import io.gauss.compute.sql.parse.PgStatement.DropBehavior;
import io.gauss.compute.sql.parse.PgStatement.DropColumn;
import io.gauss.compute.sql.parse.PgStatement.DropConstraint;
import io.gauss.compute.sql.parse.PgStatement.SetDefault;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.StoredTypes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Finds what depends on a type of CREATE TYPE: columns, expressions of tables, views. */
final class TypeUses {
  private final DdlContext ddl;
  private final int oid;
  private final int arrayOid;

  /**
   * A use in a table.
   *
   * @param what as messages show it
   * @param of the type that is used, which may be the array type
   * @param drop the action that ends it; null when an index is to be dropped
   * @param index name of that index
   */
  record InTable(TableDef table, String what, PgType of, AlterAction drop, String index) {}

  TypeUses(DdlContext ddl, PgType type) {
    this.ddl = ddl;
    this.oid = type.oid();
    this.arrayOid = type.arrayOid();
  }

  private boolean isOf(PgType type) {
    return type.oid() == oid || type.oid() == arrayOid;
  }

  private boolean isIn(String text) {
    return StoredTypes.uses(text, oid) || StoredTypes.uses(text, arrayOid);
  }

  /** Uses in tables, by the tables' oids. */
  List<InTable> inTables() {
    List<InTable> found = new ArrayList<>();
    ddl.view().tables().stream()
        .sorted(Comparator.comparingInt(TableDef::oid))
        .forEach(table -> collect(table, found));
    return found;
  }

  private void collect(TableDef table, List<InTable> found) {
    String shown = "table " + ddl.shown(table.schema(), table.name());
    PgType type = ddl.view().type(oid);
    for (ColumnDef column : table.columns()) {
      String name = column.name();
      if (isOf(column.type()) || isIn(column.generatedSql())) {
        found.add(
            new InTable(
                table,
                "column %s of %s".formatted(name, shown),
                isOf(column.type()) ? column.type() : type,
                new DropColumn(name, true, DropBehavior.CASCADE),
                null));
      } else if (isIn(column.defaultSql())) {
        found.add(
            new InTable(
                table,
                "default value for column %s of %s".formatted(name, shown),
                type,
                new SetDefault(name, null),
                null));
      }
    }
    for (CheckDef check : table.checks()) {
      if (isIn(check.sql())) {
        found.add(
            new InTable(
                table,
                "constraint %s on %s".formatted(check.name(), shown),
                type,
                new DropConstraint(check.name(), true, DropBehavior.CASCADE),
                null));
      }
    }
    for (IndexDef index : table.indexes()) {
      if (isIn(index.predicate())) {
        String what = "index " + ddl.shown(table.schema(), index.name());
        found.add(new InTable(table, what, type, null, index.name()));
      }
    }
  }

  /** Views whose queries name the type, or whose columns have it. */
  List<ViewDef> inViews() {
    return ddl.view().views().stream()
        .filter(
            view -> isIn(view.sql()) || view.columns().stream().anyMatch(c -> isOf(c.type())))
        .sorted(Comparator.comparingInt(ViewDef::oid))
        .toList();
  }
}
