package io.gauss.compute.catalog;

import io.gauss.compute.type.PgType;
import java.util.List;

/**
 * A table as planner and executor see it: immutable, replaced as a whole by DDL. Columns are
 * addressed by position in {@link #columns}.
 *
 * @param oid object id
 * @param space space of the clustered tree
 * @param primaryKey column positions of the clustering key; empty: clustered on a hidden 8-byte row
 *     id
 * @param primaryKeyName constraint name, null without a primary key
 * @param indexes secondary indexes (the primary key is not among them)
 * @param foreignKeys constraints of this table
 * @param referencedBy foreign keys of other tables (or this one) that point here
 * @param statistics newest statistics, never null
 */
public record TableDef(
    int oid,
    String schema,
    String name,
    int space,
    List<ColumnDef> columns,
    int[] primaryKey,
    String primaryKeyName,
    List<IndexDef> indexes,
    List<CheckDef> checks,
    List<ForeignKeyDef> foreignKeys,
    List<ForeignKeyDef> referencedBy,
    TableStatistics statistics)
    implements CatalogObject {

  /** Position of a column, -1 when there is none. */
  public int columnIndex(String columnName) {
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).name().equals(columnName)) {
        return i;
      }
    }
    return -1;
  }

  /** Name of one of the table's indexes, that of the primary key among them. */
  public String indexName(int indexOid) {
    for (IndexDef index : indexes) {
      if (index.oid() == indexOid) {
        return index.name();
      }
    }
    return primaryKeyName;
  }

  public boolean hasRowId() {
    return primaryKey.length == 0;
  }

  TableDef withReferencedBy(List<ForeignKeyDef> incoming) {
    return new TableDef(
        oid,
        schema,
        name,
        space,
        columns,
        primaryKey,
        primaryKeyName,
        indexes,
        checks,
        foreignKeys,
        incoming,
        statistics);
  }

  /**
   * The table with other statistics.
   *
   * @param numbers attnums that the elements of {@code newStatistics.columns()} are about: columns
   *     may have come and gone since it was collected
   */
  TableDef withStatistics(TableStatistics newStatistics, int[] numbers) {
    TableStatistics.ColumnStatistics[] byPosition =
        new TableStatistics.ColumnStatistics[columns.size()];
    for (int i = 0; i < byPosition.length; i++) {
      for (int k = 0; k < numbers.length; k++) {
        if (numbers[k] == columns.get(i).number()) {
          byPosition[i] = newStatistics.columns()[k];
        }
      }
    }
    return new TableDef(
        oid,
        schema,
        name,
        space,
        columns,
        primaryKey,
        primaryKeyName,
        indexes,
        checks,
        foreignKeys,
        referencedBy,
        new TableStatistics(newStatistics.rows(), newStatistics.pages(), byPosition));
  }

  /**
   * @param number attnum, from 1, never reused
   * @param defaultSql text of the default expression, null when there is none
   * @param identity 'a' always, 'd' by default, 0 none
   * @param sequenceOid owned sequence of serial and identity columns, 0 none
   * @param missing text form of the value that rows written before the column was added have; null
   *     = NULL
   */
  public record ColumnDef(
      int number,
      String name,
      PgType type,
      boolean notNull,
      String defaultSql,
      char identity,
      int sequenceOid,
      String missing) {}

  /**
   * @param constraint whether it stands for a UNIQUE constraint
   */
  public record IndexDef(
      int oid,
      String name,
      int space,
      int[] columns,
      boolean[] descending,
      boolean[] nullsFirst,
      boolean unique,
      boolean constraint) {}

  /**
   * @param sql text of the condition
   */
  public record CheckDef(int oid, String name, String sql) {}

  /** Referential actions of a foreign key. */
  public enum Action {
    NO_ACTION,
    RESTRICT,
    CASCADE,
    SET_NULL,
    SET_DEFAULT
  }

  /**
   * @param columns referencing column positions
   * @param referencedColumns column positions in the referenced table, which are its primary key or
   *     a unique index
   * @param referencedIndexOid index that the parent is looked up by, 0 = primary key
   * @param supportingIndexOid index of the child used to find children, 0 = primary key prefix
   */
  public record ForeignKeyDef(
      int oid,
      String name,
      int tableOid,
      int[] columns,
      int referencedTableOid,
      int[] referencedColumns,
      int referencedIndexOid,
      int supportingIndexOid,
      Action onUpdate,
      Action onDelete,
      boolean deferrable) {}
}
