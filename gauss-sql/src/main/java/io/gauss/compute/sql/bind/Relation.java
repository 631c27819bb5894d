package io.gauss.compute.sql.bind;

import io.gauss.compute.catalog.SystemTables;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;

/**
 * The name and columns that an entry of a FROM clause puts into a {@link Scope}. A join is also an
 * entry: its merged USING columns are found by unqualified names, and they hide the columns from
 * which they were merged.
 */
final class Relation {
  private static final char FIELD_SEPARATOR = 0;

  final String schema;
  final String name;

  /** Null unless it is a table of the catalog. */
  final TableDef table;

  final List<Column> columns = new ArrayList<>();

  /**
   * Whether {@code name.column} finds it; false for a join without alias and for entries that an
   * aliased join covers.
   */
  boolean qualifiedVisible = true;

  /** Whether {@code *} and unqualified names find its columns. */
  boolean unqualifiedVisible = true;

  /** Position of the entry's first column in the FROM row, for tables. */
  int base;

  int width;

  /** For tables: position of the row key in the FROM row, -1 = not needed. */
  int rowKey = -1;

  /**
   * For others that an outer join may have no row of: position of a field that is never NULL in
   * their rows, -1 = none.
   */
  int mark = -1;

  /** Whether it stands for a join as a whole. */
  boolean ofJoin;

  /** Whether an outer join may have no row of it. */
  boolean isNullable;

  /** Whether it is a function that returns single values, so that its name stands for the value. */
  boolean isScalar;

  /** Whether it is a view. */
  boolean ofView;

  /** Whether it is a sub-query that reads tables, whose rows it does not lock itself. */
  boolean ofQuery;

  /** Whether it is the common table expression whose recursive term is being bound. */
  boolean ofItself;

  Relation(String schema, String name, TableDef table) {
    this.schema = schema;
    this.name = name;
    this.table = table;
  }

  /** Name of the column that holds one field of a row-valued column; users cannot write it. */
  static String fieldName(String column, String field) {
    return column + FIELD_SEPARATOR + field;
  }

  static boolean isField(String name) {
    return name.indexOf(FIELD_SEPARATOR) >= 0;
  }

  /** The same entry at another position of the row. */
  Relation shifted(int by) {
    Relation copy = new Relation(schema, name, table);
    for (Column column : columns) {
      copy.columns.add(
          new Column(
              column.name(),
              PgRex.shift(column.expression(), by),
              column.tableOid(),
              column.attribute()));
    }
    copy.qualifiedVisible = qualifiedVisible;
    copy.unqualifiedVisible = unqualifiedVisible;
    copy.base = base + by;
    copy.width = width;
    copy.isNullable = isNullable;
    copy.isScalar = isScalar;
    copy.ofView = ofView;
    copy.ofQuery = ofQuery;
    copy.ofItself = ofItself;
    copy.ofJoin = ofJoin;
    copy.rowKey = rowKey < 0 ? rowKey : rowKey + by;
    copy.mark = mark < 0 ? mark : mark + by;
    return copy;
  }

  /**
   * A column that is NULL only where an outer join has no row of the entry; null when there is none
   * of this kind.
   */
  Column presence() {
    if (mark >= 0) {
      return hidden(mark, PgType.BOOL);
    }
    if (table != null && SystemTables.isSystem(table)) {
      return columns.getFirst();
    }
    return rowKey >= 0 ? hidden(rowKey, PgType.BYTEA) : null;
  }

  private static Column hidden(int position, PgType type) {
    return new Column("", new RexInputRef(position, PgRex.rel(type)), 0, 0);
  }

  /**
   * @param expression over the FROM row: a column reference, or COALESCE for a merged column of a
   *     full join
   * @param tableOid table that the column comes from, 0 = none
   * @param attribute attnum there
   */
  record Column(String name, RexNode expression, int tableOid, int attribute) {}
}
