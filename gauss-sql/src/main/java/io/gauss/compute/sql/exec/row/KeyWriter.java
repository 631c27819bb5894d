package io.gauss.compute.sql.exec.row;

import io.gauss.compute.row.KeyCodec;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.util.Arrays;
import java.util.List;

/** Encodes chosen columns of rows so that memcmp compares them: keys of joins, groups and sorts. */
public final class KeyWriter {
  private final KeyCodec codec;
  private final int[] columns;
  private final Value value = new Value();

  /**
   * @param types of the batch
   * @param columns positions in the batch, in key order
   */
  public KeyWriter(PgType[] types, int[] columns) {
    this(types, columns, new boolean[columns.length], new boolean[columns.length]);
  }

  private KeyWriter(PgType[] types, int[] columns, boolean[] descending, boolean[] nullsFirst) {
    this.columns = columns;
    PgType[] keyTypes = new PgType[columns.length];
    for (int i = 0; i < columns.length; i++) {
      keyTypes[i] = types[columns[i]];
    }
    codec = KeyCodec.index(List.of(keyTypes), descending, nullsFirst);
  }

  /** The positions of all columns of rows with this many columns. */
  public static int[] allColumns(int count) {
    int[] columns = new int[count];
    Arrays.setAll(columns, i -> i);
    return columns;
  }

  public static KeyWriter forSort(PgType[] types, SortKey[] keys) {
    int[] columns = new int[keys.length];
    boolean[] descending = new boolean[keys.length];
    boolean[] nullsFirst = new boolean[keys.length];
    for (int i = 0; i < keys.length; i++) {
      columns[i] = keys[i].column();
      descending[i] = keys[i].descending();
      nullsFirst[i] = keys[i].nullsFirst();
    }
    return new KeyWriter(types, columns, descending, nullsFirst);
  }

  /** Appends the key of a row; returns whether a column of it is NULL. */
  public boolean write(RowBatch batch, int row, ByteSink out) {
    boolean anyNull = false;
    for (int i = 0; i < columns.length; i++) {
      batch.columns[columns[i]].get(row, value);
      anyNull |= value.isNull;
      codec.encodeColumn(i, value, out);
    }
    return anyNull;
  }
}
