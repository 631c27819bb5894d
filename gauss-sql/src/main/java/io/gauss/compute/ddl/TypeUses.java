package io.gauss.compute.ddl;

import io.gauss.compute.catalog.DomainDef;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.CheckDef;
import io.gauss.compute.catalog.TableDef.ColumnDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.sql.parse.ColumnReferences;
import io.gauss.compute.sql.parse.PgStatement.AlterAction;
import io.gauss.compute.sql.parse.PgStatement.DropBehavior;
import io.gauss.compute.sql.parse.PgStatement.DropColumn;
import io.gauss.compute.sql.parse.PgStatement.DropConstraint;
import io.gauss.compute.sql.parse.PgStatement.SetDefault;
import io.gauss.compute.type.DomainType;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.StoredTypes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Finds what depends on a type of CREATE TYPE: columns, expressions of tables, views. */
final class TypeUses {
  private final DdlContext ddl;
  private final int oid;
  private final int arrayOid;

  /**
   * A use in a table.
   *
   * @param oid of what uses it, or of the table
   * @param what as messages show it
   * @param number attnum of a column that goes; 0 = none does
   * @param of the type that is used, which may be the array type
   * @param drop the action that ends it; null when an index is to be dropped
   * @param index name of that index
   */
  record InTable(
      TableDef table, int oid, String what, int number, PgType of, AlterAction drop, String index) {
    InTable(TableDef table, String what, int number, PgType of, AlterAction drop, String index) {
      this(table, table.oid(), what, number, of, drop, index);
    }
  }

  TypeUses(DdlContext ddl, PgType type) {
    this.ddl = ddl;
    this.oid = type.declaredOid();
    this.arrayOid = type.arrayOid();
  }

  private boolean isOf(PgType type) {
    return type.declaredOid() == oid || type.declaredOid() == arrayOid;
  }

  private boolean isIn(String text) {
    return StoredTypes.uses(text, oid) || StoredTypes.uses(text, arrayOid);
  }

  /** Uses in tables, in PostgreSQL's order: those of the array type first, then by table. */
  List<InTable> inTables() {
    List<TableDef> tables =
        ddl.view().tables().stream().sorted(Comparator.comparingInt(TableDef::oid)).toList();
    List<InTable> found = new ArrayList<>();
    for (TableDef table : tables) {
      columns(table, arrayOid, found);
    }
    for (TableDef table : tables) {
      columns(table, oid, found);
      expressions(table, found);
    }
    return found;
  }

  private static String shown(DdlContext ddl, TableDef table) {
    return "table " + ddl.shown(table.schema(), table.name());
  }

  /** Columns of the type, from the last one. */
  private void columns(TableDef table, int typeOid, List<InTable> found) {
    for (ColumnDef column : table.columns().reversed()) {
      if (column.type().declaredOid() == typeOid && !isIn(column.generatedSql())) {
        found.add(column(table, column, column.type()));
      }
    }
  }

  private InTable column(TableDef table, ColumnDef column, PgType of) {
    return new InTable(
        table,
        "column %s of %s".formatted(column.name(), shown(ddl, table)),
        column.number(),
        of,
        new DropColumn(column.name(), true, DropBehavior.CASCADE),
        null);
  }

  private void expressions(TableDef table, List<InTable> found) {
    PgType type = ddl.view().type(oid);
    for (ColumnDef column : table.columns()) {
      if (isIn(column.generatedSql())) {
        found.add(column(table, column, type));
      } else if (isIn(column.defaultSql()) && !isOf(column.type())) {
        String what =
            "default value for column %s of %s".formatted(column.name(), shown(ddl, table));
        found.add(new InTable(table, what, 0, type, new SetDefault(column.name(), null), null));
      }
    }
    Set<String> going =
        table.columns().stream()
            .filter(column -> isOf(column.type()) || isIn(column.generatedSql()))
            .map(ColumnDef::name)
            .collect(Collectors.toSet());
    for (CheckDef check : table.checks()) {
      // A constraint of a column that goes is not mentioned.
      if (isIn(check.sql()) && Collections.disjoint(ColumnReferences.of(check.sql()), going)) {
        String what = "constraint %s on %s".formatted(check.name(), shown(ddl, table));
        DropConstraint drop = new DropConstraint(check.name(), true, DropBehavior.CASCADE);
        found.add(new InTable(table, check.oid(), what, 0, type, drop, null));
      }
    }
    for (IndexDef index : table.indexes()) {
      if (index.texts().stream().anyMatch(this::isIn)) {
        String what = "index " + ddl.shown(table.schema(), index.name());
        found.add(new InTable(table, index.oid(), what, 0, type, null, index.name()));
      }
    }
  }

  /** Domains that are made over the type or an array of it, or have it in their default. */
  List<DomainDef> inDomains() {
    return ddl.view().domains().stream()
        .filter(domain -> domain.oid() != oid)
        .filter(
            domain ->
                domain.domain().base().definitionOid() == oid || isIn(domain.domain().defaultSql()))
        .sorted(Comparator.comparingInt(DomainDef::oid))
        .toList();
  }

  /** Conditions of a domain in which the type is named. */
  List<DomainType.Check> inChecks(DomainDef domain) {
    return domain.domain().checks().stream().filter(check -> isIn(check.sql())).toList();
  }

  /** Views whose queries name the type. Others have it from columns. */
  List<ViewDef> inViews() {
    return ddl.view().views().stream()
        .filter(view -> isIn(view.sql()))
        .sorted(Comparator.comparingInt(ViewDef::oid))
        .toList();
  }
}
