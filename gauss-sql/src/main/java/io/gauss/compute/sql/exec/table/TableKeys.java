package io.gauss.compute.sql.exec.table;

import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.row.KeyCodec;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.Value;

/**
 * Encodes the keys of a table's rows: clustering keys and index entries. Holds scratch memory, so
 * it belongs to one operator.
 *
 * <p>An index entry's key is the encoded index columns, followed by the clustering key unless the
 * index is unique and none of the columns is NULL. Its row is the clustering key.
 */
public final class TableKeys {
  private final TableHandle table;
  private final Value value = new Value();

  public TableKeys(TableHandle table) {
    this.table = table;
  }

  /** Appends the clustering key of a row in table order; not for tables with hidden row ids. */
  public void primaryKey(RowBatch batch, int row, ByteSink out) {
    encode(table.primaryKeyCodec(), table.def().primaryKey(), batch, row, out);
  }

  private boolean encode(KeyCodec codec, int[] columns, RowBatch batch, int row, ByteSink out) {
    boolean anyNull = false;
    for (int i = 0; i < columns.length; i++) {
      batch.columns[columns[i]].get(row, value);
      anyNull |= value.isNull;
      codec.encodeColumn(i, value, out);
    }
    return anyNull;
  }

  /**
   * Appends the key of a row's index entry.
   *
   * @param primaryKey the row's clustering key
   * @return whether the entry must be unique: the index is, and no column is NULL
   */
  public boolean indexKey(
      int index, RowBatch batch, int row, byte[] primaryKey, int keyLength, ByteSink out) {
    boolean anyNull =
        encode(
            table.indexCodec(index), table.def().indexes().get(index).columns(), batch, row, out);
    if (table.def().indexes().get(index).unique() && !anyNull) {
      return true;
    }
    out.putBytes(primaryKey, 0, keyLength);
    return false;
  }

  /**
   * Appends the columns of a row's index entry, without the row's own key.
   *
   * @return false when one of them is NULL
   */
  public boolean indexColumns(int index, RowBatch batch, int row, ByteSink out) {
    return !encode(
        table.indexCodec(index), table.def().indexes().get(index).columns(), batch, row, out);
  }

  /**
   * Appends a key whose column values are expressions without columns; false when a value is NULL.
   */
  public static boolean evaluate(KeyCodec codec, Expr[] key, EvalContext ctx, ByteSink out) {
    Value value = ctx.acquire();
    boolean found = true;
    for (int i = 0; i < key.length && found; i++) {
      key[i].eval(ctx, null, 0, value);
      found = !value.isNull;
      if (found) {
        codec.encodeColumn(i, value, out);
      }
    }
    ctx.release();
    return found;
  }
}
