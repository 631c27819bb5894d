package io.gauss.compute.ddl;

import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.CheckDef;
import io.gauss.compute.catalog.TableDef.ColumnDef;
import io.gauss.compute.catalog.TableDef.ForeignKeyDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.catalog.TableStatistics;
import java.util.ArrayList;
import java.util.List;

/** A table definition that is being created or changed. */
final class TableEdit {
  final int oid;
  String schema;
  String name;
  int space;
  final List<ColumnDef> columns;
  int[] primaryKey;
  String primaryKeyName;
  final List<IndexDef> indexes;
  final List<CheckDef> checks;
  final List<ForeignKeyDef> foreignKeys;
  TableStatistics statistics;

  TableEdit(int oid, String schema, String name, int space) {
    this.oid = oid;
    this.schema = schema;
    this.name = name;
    this.space = space;
    this.columns = new ArrayList<>();
    this.primaryKey = new int[0];
    this.indexes = new ArrayList<>();
    this.checks = new ArrayList<>();
    this.foreignKeys = new ArrayList<>();
    this.statistics = TableStatistics.UNKNOWN;
  }

  TableEdit(TableDef from) {
    this.oid = from.oid();
    this.schema = from.schema();
    this.name = from.name();
    this.space = from.space();
    this.columns = new ArrayList<>(from.columns());
    this.primaryKey = from.primaryKey();
    this.primaryKeyName = from.primaryKeyName();
    this.indexes = new ArrayList<>(from.indexes());
    this.checks = new ArrayList<>(from.checks());
    this.foreignKeys = new ArrayList<>(from.foreignKeys());
    this.statistics = from.statistics();
  }

  /** The definition; {@code referencedBy} is filled in by the catalog. */
  TableDef build() {
    return new TableDef(
        oid,
        schema,
        name,
        space,
        List.copyOf(columns),
        primaryKey,
        primaryKeyName,
        List.copyOf(indexes),
        List.copyOf(checks),
        List.copyOf(foreignKeys),
        List.of(),
        statistics);
  }
}
