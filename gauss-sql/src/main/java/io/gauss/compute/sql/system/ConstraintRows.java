package io.gauss.compute.sql.system;

import io.gauss.compute.catalog.CatalogSnapshot;
import io.gauss.compute.catalog.DomainDef;
import io.gauss.compute.catalog.SystemOids;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.Action;
import io.gauss.compute.catalog.TableDef.CheckDef;
import io.gauss.compute.catalog.TableDef.ForeignKeyDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.sql.parse.ColumnReferences;
import io.gauss.compute.sql.state.SystemState;
import io.gauss.compute.type.DomainType;
import java.util.Map;
import java.util.function.Consumer;

/** pg_constraint. */
final class ConstraintRows {
  // Positions of columns.
  private static final int DEFERRABLE = 4;
  private static final int DEFERRED = 5;

  private ConstraintRows() {}

  static void register(Map<String, SystemTableRows.Source> sources) {
    sources.put("pg_catalog.pg_constraint", ConstraintRows::constraints);
  }

  /** Attnums of column positions. */
  static int[] numbers(TableDef table, int[] columns) {
    int[] numbers = new int[columns.length];
    for (int i = 0; i < columns.length; i++) {
      numbers[i] = table.columns().get(columns[i]).number();
    }
    return numbers;
  }

  private static void constraints(SystemState state, Consumer<Object[]> rows) {
    CatalogSnapshot catalog = state.catalog();
    for (DomainDef domain : catalog.domains()) {
      for (DomainType.Check check : domain.domain().checks()) {
        rows.accept(ofDomain(catalog, domain, check));
      }
    }
    for (TableDef table : catalog.tables()) {
      if (!table.hasRowId()) {
        rows.accept(
            key(
                catalog,
                table,
                SystemOids.primaryKeyConstraint(table.oid()),
                table.primaryKeyName(),
                'p',
                SystemOids.primaryKeyIndex(table.oid()),
                table.primaryKey()));
      }
      for (IndexDef index : table.indexes()) {
        if (index.constraint()) {
          Object[] row =
              key(
                  catalog,
                  table,
                  SystemOids.uniqueConstraint(index.oid()),
                  index.name(),
                  'u',
                  index.oid(),
                  index.columns());
          row[DEFERRABLE] = index.deferral().isDeferrable();
          row[DEFERRED] = index.deferral().isInitiallyDeferred();
          rows.accept(row);
        }
      }
      for (CheckDef check : table.checks()) {
        int[] columns =
            ColumnReferences.of(check.sql()).stream()
                .mapToInt(table::columnIndex)
                .filter(column -> column >= 0)
                .toArray();
        Object[] row = key(catalog, table, check.oid(), check.name(), 'c', 0, columns);
        row[row.length - 1] = check.sql();
        rows.accept(row);
      }
      for (ForeignKeyDef key : table.foreignKeys()) {
        rows.accept(foreignKey(catalog, table, key));
      }
    }
  }

  private static Object[] ofDomain(
      CatalogSnapshot catalog, DomainDef domain, DomainType.Check check) {
    return new Object[] {
      check.oid(),
      check.name(),
      RelationRows.namespace(catalog, domain.schema()),
      'c',
      false,
      false,
      check.valid(),
      0,
      domain.oid(),
      0,
      0,
      0,
      ' ',
      ' ',
      ' ',
      true,
      0,
      false,
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      check.sql()
    };
  }

  private static Object[] key(
      CatalogSnapshot catalog,
      TableDef table,
      int oid,
      String name,
      char type,
      int index,
      int[] columns) {
    return new Object[] {
      oid,
      name,
      RelationRows.namespace(catalog, table.schema()),
      type,
      false,
      false,
      true,
      table.oid(),
      0,
      index,
      0,
      0,
      ' ',
      ' ',
      ' ',
      true,
      0,
      type != 'c',
      numbers(table, columns),
      null,
      null,
      null,
      null,
      null,
      null,
      null
    };
  }

  private static Object[] foreignKey(CatalogSnapshot catalog, TableDef table, ForeignKeyDef key) {
    TableDef parent = catalog.table(key.referencedTableOid());
    return new Object[] {
      key.oid(),
      key.name(),
      RelationRows.namespace(catalog, table.schema()),
      'f',
      key.deferral().isDeferrable(),
      key.deferral().isInitiallyDeferred(),
      true,
      table.oid(),
      0,
      key.referencedIndexOid() == 0
          ? SystemOids.primaryKeyIndex(parent.oid())
          : key.referencedIndexOid(),
      0,
      parent.oid(),
      action(key.onUpdate()),
      action(key.onDelete()),
      's',
      true,
      0,
      true,
      numbers(table, key.columns()),
      numbers(parent, key.referencedColumns()),
      null,
      null,
      null,
      null,
      null,
      null
    };
  }

  private static char action(Action action) {
    return switch (action) {
      case NO_ACTION -> 'a';
      case RESTRICT -> 'r';
      case CASCADE -> 'c';
      case SET_NULL -> 'n';
      case SET_DEFAULT -> 'd';
    };
  }
}
