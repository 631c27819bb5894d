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
 * <p>An index entry's key is the encoded values of columns and expressions, followed by the
 * clustering key unless the index is unique and none of them is NULL. Its row is the clustering
 * key.
 */
public final class TableKeys {
  private final TableHandle table;
  private final EvalContext ctx;
  private final Value value = new Value();

  /**
   * @param ctx evaluates the expressions of index keys
   */
  public TableKeys(TableHandle table, EvalContext ctx) {
    this.table = table;
    this.ctx = ctx;
  }

  /** Appends the clustering key of a row in table order; not for tables with hidden row ids. */
  public void primaryKey(RowBatch batch, int row, ByteSink out) {
    int[] columns = table.def().primaryKey();
    for (int i = 0; i < columns.length; i++) {
      batch.columns[columns[i]].get(row, value);
      table.primaryKeyCodec().encodeColumn(i, value, out);
    }
  }

  /**
   * Appends the key of a row's index entry.
   *
   * @param primaryKey the row's clustering key
   * @return whether the entry must be unique: the index is, and no value is NULL
   */
  public boolean indexKey(
      int index, RowBatch batch, int row, byte[] primaryKey, int keyLength, ByteSink out) {
    boolean noNull = indexColumns(index, batch, row, out);
    if (noNull && table.def().indexes().get(index).unique()) {
      return true;
    }
    out.putBytes(primaryKey, 0, keyLength);
    return false;
  }

  /**
   * Appends the values of a row's index entry, without the row's own key.
   *
   * @return false when one of them is NULL
   */
  public boolean indexColumns(int index, RowBatch batch, int row, ByteSink out) {
    KeyCodec codec = table.indexCodec(index);
    int[] columns = table.def().indexes().get(index).columns();
    boolean noNull = true;
    for (int i = 0; i < columns.length; i++) {
      if (columns[i] >= 0) {
        batch.columns[columns[i]].get(row, value);
      } else {
        table.keyValue(index, i, ctx, batch, row, value);
      }
      noNull &= !value.isNull;
      codec.encodeColumn(i, value, out);
    }
    return noNull;
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
