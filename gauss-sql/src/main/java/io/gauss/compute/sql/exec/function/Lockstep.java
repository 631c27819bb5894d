package io.gauss.compute.sql.exec.function;

import io.gauss.compute.row.ColumnVector;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.RowProducer;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.util.Arrays;

/**
 * Several set-returning functions side by side: the n-th row has the n-th row of each, and NULLs
 * for those that have ended, as in PostgreSQL's select lists and {@code unnest(a, b)}. Immutable.
 */
public final class Lockstep implements RowProducer {
  /**
   * @param arguments how many of the arguments belong to this part
   */
  public record Part(RowProducer producer, int arguments, PgType[] types) {}

  private final Part[] parts;
  private final boolean ordinality;

  /**
   * @param ordinality whether a last column counts the rows from 1
   */
  public Lockstep(Part[] parts, boolean ordinality) {
    this.parts = parts;
    this.ordinality = ordinality;
  }

  @Override
  public Rows open(ExecContext ctx, Value[] arguments) {
    Input[] inputs = new Input[parts.length];
    int at = 0;
    for (int i = 0; i < parts.length; i++) {
      Part part = parts[i];
      Value[] own = Arrays.copyOfRange(arguments, at, at + part.arguments());
      at += part.arguments();
      inputs[i] = new Input(part, part.producer().open(ctx, own));
    }
    return new Together(inputs);
  }

  private static final class Input {
    final Rows rows;
    final RowBatch batch;
    boolean ended;

    Input(Part part, Rows rows) {
      this.rows = rows;
      this.batch = io.gauss.compute.sql.exec.row.Rows.batch(part.types());
    }

    /** Reads up to a number of rows; reads fewer only at the end. */
    void fill(int maxRows) {
      batch.clear();
      if (!ended) {
        ended = !rows.next(batch, maxRows) || batch.size < maxRows;
      }
    }
  }

  private final class Together implements Rows {
    private final Input[] inputs;
    private long rowsBefore;

    Together(Input[] inputs) {
      this.inputs = inputs;
    }

    @Override
    public boolean next(RowBatch out, int maxRows) {
      int size = 0;
      for (Input input : inputs) {
        input.fill(maxRows);
        size = Math.max(size, input.batch.size);
      }
      int column = 0;
      for (Input input : inputs) {
        for (ColumnVector from : input.batch.columns) {
          ColumnVector to = out.columns[column++];
          for (int row = 0; row < size; row++) {
            if (row < input.batch.size) {
              io.gauss.compute.sql.exec.row.Rows.copy(from, row, to, row);
            } else {
              to.setNull(row);
            }
          }
        }
      }
      for (int row = 0; ordinality && row < size; row++) {
        out.columns[column].setLong(row, rowsBefore + row + 1);
      }
      rowsBefore += size;
      out.size = size;
      return size > 0;
    }
  }
}
