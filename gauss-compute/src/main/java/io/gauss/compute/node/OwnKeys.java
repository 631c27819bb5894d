package io.gauss.compute.node;

import io.gauss.compute.catalog.Catalog;
import io.gauss.compute.catalog.SystemTables;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.keys.KeyOwners;
import io.gauss.compute.keys.KeyRanges;
import io.gauss.compute.mtr.EngineContext;
import java.util.List;

/**
 * Owners of keys, and tables that statements name, for the node itself, which has no session and no
 * role. Thread-safe.
 */
final class OwnKeys {
  private final Catalog catalog;
  private final KeyOwners owners;
  private final EngineContext context;

  OwnKeys(Catalog catalog, KeyOwners owners, EngineContext context) {
    this.catalog = catalog;
    this.owners = owners;
    this.context = context;
  }

  /** Null when the column's values do not tell, or there are several tables with the name. */
  synchronized String owners(String table, String column, String value) {
    TableDef found = find(table.substring(1, table.length() - 1).replace("\"\"", "\""));
    KeyRanges ranges = found == null ? null : owners.around(context, found, column, value);
    return ranges == null ? null : ranges.text();
  }

  /** The page group of the rows with a value; 0 when that is not known. */
  synchronized long group(String table, String column, String value) {
    TableDef found = find(table);
    return found == null ? 0 : owners.group(context, found, column, value);
  }

  /** Whether it is the name of one of a table's columns, after the table's and a dot. */
  boolean isColumn(int tableOid, String name) {
    TableDef table = catalog.current().table(tableOid);
    return table != null
        && name.startsWith(table.name() + '.')
        && isColumn(table, name.substring(table.name().length() + 1));
  }

  private static boolean isColumn(TableDef table, String name) {
    return name.equals("#1") || table.columnIndex(name) >= 0;
  }

  /** A table's name; null = there is none. */
  String tableName(int oid) {
    TableDef table = catalog.current().table(oid);
    return table == null ? null : table.name();
  }

  private TableDef find(String name) {
    List<TableDef> found =
        catalog.current().tables().stream()
            .filter(each -> each.name().equals(name) && !SystemTables.isSystem(each))
            .toList();
    return found.size() == 1 ? found.getFirst() : null;
  }
}
