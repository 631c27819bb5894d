package io.gauss.compute.sql.copy;

import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.row.ColumnVector;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.Value;

/**
 * The columns that COPY FROM fills: where they are in a row and how their values are read.
 * Immutable except for scratch; belongs to one execution.
 */
public final class CopyColumns {
  private final String[] names;
  private final int[] positions;
  private final TypeCodec[] codecs;
  private final Expr[] conversions;
  private final EvalContext eval;
  private final Value value = new Value();

  /**
   * @param positions of the columns in a row, in the order of the data
   * @param types by column of the data
   * @param conversions over the row, to apply the type's length, precision or domain; elements may
   *     be null
   */
  public CopyColumns(
      String[] names, int[] positions, PgType[] types, Expr[] conversions, EvalContext eval) {
    this.names = names;
    this.positions = positions;
    this.conversions = conversions;
    this.eval = eval;
    this.codecs = new TypeCodec[types.length];
    for (int i = 0; i < types.length; i++) {
      codecs[i] = TypeCodec.of(types[i]);
    }
  }

  int count() {
    return positions.length;
  }

  String name(int column) {
    return names[column];
  }

  void setNull(RowBatch row, int column) {
    row.columns[positions[column]].setNull(0);
    convert(row, column);
  }

  void readText(RowBatch row, int column, byte[] from, int offset, int length) {
    codecs[column].readText(from, offset, length, eval, value);
    put(row, column);
  }

  void readBinary(RowBatch row, int column, byte[] from, int offset, int length) {
    codecs[column].readBinary(from, offset, length, value);
    put(row, column);
  }

  private void put(RowBatch row, int column) {
    ColumnVector vector = row.columns[positions[column]];
    vector.set(0, value);
    convert(row, column);
  }

  private void convert(RowBatch row, int column) {
    if (conversions[column] != null) {
      conversions[column].eval(eval, row, 0, value);
      row.columns[positions[column]].set(0, value);
    }
  }
}
