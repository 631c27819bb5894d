package io.gauss.compute.sql.exec.table;

import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.ForeignKeyDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.sql.parse.ColumnReferences;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The indexes and foreign keys that an update of some columns may affect.
 *
 * @param primaryKey whether a column of the clustering key is among them
 * @param indexes positions of indexes that have one of them
 * @param children foreign keys of this table that have one of them, or whose children are found by
 *     an index that has
 * @param parents foreign keys that refer to one of them
 */
public record UpdateTargets(
    boolean primaryKey, int[] indexes, List<ForeignKeyDef> children, List<ForeignKeyDef> parents) {

  public static UpdateTargets of(TableDef table, int[] setColumns) {
    boolean[] set = new boolean[table.columns().size()];
    for (int column : setColumns) {
      set[column] = true;
    }
    for (int i = 0; i < set.length; i++) {
      // They are computed from other columns; which ones is not examined.
      set[i] |= table.columns().get(i).isGenerated();
    }
    List<Integer> indexes = new ArrayList<>();
    for (int i = 0; i < table.indexes().size(); i++) {
      IndexDef index = table.indexes().get(i);
      if (anyOf(table, index, set)) {
        indexes.add(i);
      }
    }
    List<ForeignKeyDef> children = new ArrayList<>();
    for (ForeignKeyDef key : table.foreignKeys()) {
      if (any(key.columns(), set) || any(entryColumns(table, key), set)) {
        children.add(key);
      }
    }
    List<ForeignKeyDef> parents = new ArrayList<>();
    for (ForeignKeyDef key : table.referencedBy()) {
      if (any(key.referencedColumns(), set)) {
        parents.add(key);
      }
    }
    return new UpdateTargets(
        any(table.primaryKey(), set),
        indexes.stream().mapToInt(Integer::intValue).toArray(),
        children,
        parents);
  }

  /** Columns on which it depends where a child is found by its parent's key. */
  public static int[] entryColumns(TableDef table, ForeignKeyDef key) {
    int[] primary = table.primaryKey();
    for (IndexDef index : table.indexes()) {
      if (index.oid() == key.supportingIndexOid()) {
        int[] columns = Arrays.copyOf(index.columns(), index.columns().length + primary.length);
        System.arraycopy(primary, 0, columns, index.columns().length, primary.length);
        return columns;
      }
    }
    return primary;
  }

  /** Whether one of the columns is in the key, or is used by an expression or the condition. */
  private static boolean anyOf(TableDef table, IndexDef index, boolean[] set) {
    for (int column : index.columns()) {
      if (column >= 0 && set[column]) {
        return true;
      }
    }
    for (String text : index.texts()) {
      if (ColumnReferences.of(text).stream().anyMatch(name -> set[table.columnIndex(name)])) {
        return true;
      }
    }
    return false;
  }

  private static boolean any(int[] columns, boolean[] set) {
    for (int column : columns) {
      if (set[column]) {
        return true;
      }
    }
    return false;
  }

  public boolean foreignKeys() {
    return !children.isEmpty() || !parents.isEmpty();
  }
}
