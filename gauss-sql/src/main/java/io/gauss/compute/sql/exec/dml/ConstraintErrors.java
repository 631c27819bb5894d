package io.gauss.compute.sql.exec.dml;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.ForeignKeyDef;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.row.KeyWriter;
import io.gauss.compute.sql.exec.row.ValueText;
import io.gauss.compute.sql.exec.table.TableHandle;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.StoredTypes;
import io.gauss.compute.type.Value;
import java.util.StringJoiner;

/** Constraint violations with PostgreSQL's texts and the fields that clients read. */
public final class ConstraintErrors {
  /** Longest column value in "Failing row contains", in bytes of UTF-8. */
  private static final int MAX_VALUE_BYTES = 64;

  private ConstraintErrors() {}

  static GaussException notNull(ExecContext ctx, TableDef table, int column, RowBatch row) {
    String name = table.columns().get(column).name();
    return new GaussException(
            SqlState.NOT_NULL_VIOLATION,
            "null value in column \""
                + name
                + "\" of relation \""
                + table.name()
                + "\" violates not-null constraint")
        .detail(failingRow(ctx, table, row))
        .table(table.schema(), table.name())
        .column(name);
  }

  static GaussException check(
      ExecContext ctx, TableDef table, TableDef.CheckDef check, RowBatch row) {
    return new GaussException(
            SqlState.CHECK_VIOLATION,
            "new row for relation \""
                + table.name()
                + "\" violates check constraint \""
                + check.name()
                + "\"")
        .detail(failingRow(ctx, table, row))
        .table(table.schema(), table.name())
        .constraint(check.name());
  }

  /** A primary key that another row has. */
  static GaussException primaryKey(ExecContext ctx, TableDef table, RowBatch row) {
    int[] columns = table.primaryKey();
    return unique(table, table.primaryKeyName(), key(ctx, table, columns, row, columns));
  }

  /** A key of a unique index that another row has. */
  static GaussException unique(ExecContext ctx, TableHandle table, int index, RowBatch row) {
    return unique(
        table.def(), table.def().indexes().get(index).name(), key(ctx, table, index, row));
  }

  /**
   * A key of a constraint that another row has.
   *
   * @param positions of the key's values in the row
   */
  static GaussException unique(
      ExecContext ctx,
      TableDef table,
      String constraint,
      int[] columns,
      RowBatch row,
      int[] positions) {
    return unique(table, constraint, key(ctx, table, columns, row, positions));
  }

  private static GaussException unique(TableDef table, String constraint, String key) {
    return new GaussException(
            SqlState.UNIQUE_VIOLATION,
            "duplicate key value violates unique constraint \"" + constraint + "\"")
        .detail("Key " + key + " already exists.")
        .table(table.schema(), table.name())
        .constraint(constraint);
  }

  /** Equal keys found while a unique index is built. */
  public static GaussException duplicated(
      ExecContext ctx, TableHandle table, int index, RowBatch row) {
    return duplicated(
        table.def(), table.def().indexes().get(index).name(), key(ctx, table, index, row));
  }

  /** Equal keys found while rows are copied to a new primary key. */
  public static GaussException duplicatedPrimaryKey(ExecContext ctx, TableDef table, RowBatch row) {
    int[] columns = table.primaryKey();
    return duplicated(table, table.primaryKeyName(), key(ctx, table, columns, row, columns));
  }

  private static GaussException duplicated(TableDef table, String index, String key) {
    return new GaussException(
            SqlState.UNIQUE_VIOLATION, "could not create unique index \"" + index + "\"")
        .detail("Key " + key + " is duplicated.")
        .table(table.schema(), table.name())
        .constraint(index);
  }

  /**
   * A child row without a parent.
   *
   * @param positions of the key's values in the row, in the foreign key's order
   */
  static GaussException noParent(
      ExecContext ctx,
      TableDef child,
      TableDef parent,
      ForeignKeyDef key,
      RowBatch row,
      int[] positions) {
    return new GaussException(
            SqlState.FOREIGN_KEY_VIOLATION,
            "insert or update on table \""
                + child.name()
                + "\" violates foreign key constraint \""
                + key.name()
                + "\"")
        .detail(
            "Key "
                + key(ctx, child, key.columns(), row, positions)
                + " is not present in table \""
                + parent.name()
                + "\".")
        .table(child.schema(), child.name())
        .constraint(key.name());
  }

  /**
   * A parent row that children still refer to.
   *
   * @param keyRow the referenced columns' values, in the foreign key's order
   */
  static GaussException stillReferenced(
      ExecContext ctx, TableDef parent, TableDef child, ForeignKeyDef key, RowBatch keyRow) {
    int[] positions = KeyWriter.allColumns(key.referencedColumns().length);
    return new GaussException(
            SqlState.FOREIGN_KEY_VIOLATION,
            "update or delete on table \""
                + parent.name()
                + "\" violates foreign key constraint \""
                + key.name()
                + "\" on table \""
                + child.name()
                + "\"")
        .detail(
            "Key "
                + key(ctx, parent, key.referencedColumns(), keyRow, positions)
                + " is still referenced from table \""
                + child.name()
                + "\".")
        .table(child.schema(), child.name())
        .constraint(key.name());
  }

  static GaussException serialization() {
    return new GaussException(
        SqlState.SERIALIZATION_FAILURE, "could not serialize access due to concurrent update");
  }

  /** {@code (a, b)=(1, 2)}. */
  private static String key(
      ExecContext ctx, TableDef table, int[] columns, RowBatch row, int[] positions) {
    StringJoiner names = new StringJoiner(", ", "(", ")");
    StringJoiner values = new StringJoiner(", ", "(", ")");
    for (int i = 0; i < columns.length; i++) {
      TableDef.ColumnDef column = table.columns().get(columns[i]);
      names.add(column.name());
      values.add(text(ctx, column, row, positions[i]));
    }
    return names + "=" + values;
  }

  /** The same for the key of a row in table order in an index: {@code (lower(a), b)=(x, 2)}. */
  private static String key(ExecContext ctx, TableHandle table, int index, RowBatch row) {
    TableDef.IndexDef def = table.def().indexes().get(index);
    StringJoiner names = new StringJoiner(", ", "(", ")");
    StringJoiner values = new StringJoiner(", ", "(", ")");
    Value value = new Value();
    for (int place = 0; place < def.columns().length; place++) {
      names.add(StoredTypes.shown(table.keyText(index, place), ctx.eval::typeName));
      table.keyValue(index, place, ctx.eval, row, 0, value);
      values.add(text(ctx, table.def().keyType(def, place), value));
    }
    return names + "=" + values;
  }

  private static String failingRow(ExecContext ctx, TableDef table, RowBatch row) {
    StringBuilder text = new StringBuilder("Failing row contains (");
    for (int i = 0; i < table.columns().size(); i++) {
      if (i > 0) {
        text.append(", ");
      }
      String value = text(ctx, table.columns().get(i), row, i);
      String start = clip(value);
      text.append(start);
      if (start.length() < value.length()) {
        text.append("...");
      }
    }
    return text.append(").").toString();
  }

  /** The longest prefix of a text that is short enough in UTF-8. */
  private static String clip(String text) {
    int bytes = 0;
    for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
      int c = text.codePointAt(i);
      bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
      if (bytes > MAX_VALUE_BYTES) {
        return text.substring(0, i);
      }
    }
    return text;
  }

  private static String text(
      ExecContext ctx, TableDef.ColumnDef column, RowBatch row, int position) {
    Value value = new Value();
    row.columns[position].get(0, value);
    return text(ctx, column.type(), value);
  }

  private static String text(ExecContext ctx, PgType type, Value value) {
    return value.isNull ? "null" : ValueText.of(type, value, ctx.eval);
  }
}
