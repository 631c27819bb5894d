package io.gauss.compute.sql.exec.function;

import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.RowProducer;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.row.Values;
import io.gauss.compute.type.Value;

/** One row with the argument: a function of one value in FROM. */
public final class OneValue implements RowProducer {
  public static final OneValue INSTANCE = new OneValue();

  private OneValue() {}

  @Override
  public Rows open(ExecContext ctx, Value[] arguments) {
    Value value = new Value();
    Values.copy(arguments[0], value, null);
    boolean[] given = new boolean[1];
    return (out, maxRows) -> {
      if (given[0]) {
        return false;
      }
      given[0] = true;
      out.columns[0].set(0, value);
      out.size = 1;
      return true;
    };
  }
}
