package io.gauss.compute.sql.exec.function;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.RowProducer;
import io.gauss.compute.type.Value;

/** {@code generate_series(start, stop [, step])} over integers. */
public final class SeriesProducer implements RowProducer {
  public static final SeriesProducer INSTANCE = new SeriesProducer();

  private SeriesProducer() {}

  @Override
  public Rows open(ExecContext ctx, Value[] arguments) {
    for (Value argument : arguments) {
      if (argument.isNull) {
        return (out, maxRows) -> {
          out.size = 0;
          return false;
        };
      }
    }
    long step = arguments.length > 2 ? arguments[2].l : 1;
    if (step == 0) {
      throw new GaussException(SqlState.INVALID_PARAMETER_VALUE, "step size cannot equal zero");
    }
    return new Series(arguments[0].l, arguments[1].l, step);
  }

  private static final class Series implements Rows {
    private final long last;
    private final long step;
    private long next;
    private boolean done;

    Series(long first, long last, long step) {
      this.next = first;
      this.last = last;
      this.step = step;
    }

    @Override
    public boolean next(RowBatch out, int maxRows) {
      int row = 0;
      while (!done && row < maxRows) {
        if (step > 0 ? next > last : next < last) {
          done = true;
          break;
        }
        out.columns[0].setLong(row++, next);
        long following = next + step;
        // The series ends at the limit of the type.
        done = step > 0 ? following < next : following > next;
        next = following;
      }
      out.size = row;
      return row > 0;
    }
  }
}
