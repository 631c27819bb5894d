package io.gauss.compute.expr.aggregate;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.Accumulator;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.time.DateTimeMath;
import io.gauss.compute.type.ArrayBuilder;
import io.gauss.compute.type.ArrayReader;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.Value;
import java.util.ArrayList;
import java.util.List;

/**
 * percentile_cont and percentile_disc: holds all values of the group, which arrive in order, and
 * the requested fractions.
 */
final class PercentileAccumulator extends Accumulator {
  private static final TypeCodec FRACTION = TypeCodec.of(PgType.FLOAT8);

  private final PgType type;
  private final boolean continuous;
  private final boolean several;
  private final TypeCodec codec;
  private final KeptValues values;

  /** Of the first row; null = a NULL. */
  private List<Double> fractions;

  private boolean known;

  /**
   * @param continuous between two values, rather than one of them
   * @param several the fractions are an array, and so is the result
   */
  PercentileAccumulator(PgType type, boolean continuous, boolean several) {
    this.type = type.withTypmod(-1);
    this.continuous = continuous;
    this.several = several;
    this.codec = TypeCodec.of(type);
    this.values = new KeptValues(codec);
  }

  @Override
  public void add(EvalContext ctx, Value[] arguments) {
    if (!known) {
      known = true;
      fractions = read(arguments[1]);
    }
    values.add(arguments[0]);
  }

  private List<Double> read(Value argument) {
    if (argument.isNull) {
      return null;
    }
    List<Double> read = new ArrayList<>();
    if (!several) {
      read.add(checked(argument.d));
      return read;
    }
    ArrayReader reader = new ArrayReader(argument);
    Value item = new Value();
    for (int i = 0; i < reader.size(); i++) {
      reader.next(FRACTION, item);
      read.add(item.isNull ? null : checked(item.d));
    }
    return read;
  }

  private static double checked(double fraction) {
    if (Double.isNaN(fraction) || fraction < 0 || fraction > 1) {
      String shown =
          fraction == Math.rint(fraction) ? Long.toString((long) fraction) : "" + fraction;
      throw new GaussException(
          SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
          "percentile value " + shown + " is not between 0 and 1");
    }
    return fraction;
  }

  @Override
  public void merge(EvalContext ctx, Accumulator other) {
    throw new IllegalStateException("values that come in order are not taken in in parts");
  }

  @Override
  public void result(EvalContext ctx, Value out) {
    if (fractions == null || values.size() == 0) {
      out.setNull();
    } else if (!several) {
      at(fractions.getFirst(), out);
    } else {
      ArrayBuilder array = new ArrayBuilder(type);
      Value item = new Value();
      for (Double fraction : fractions) {
        if (fraction == null) {
          item.setNull();
        } else {
          at(fraction, item);
        }
        array.add(codec, item);
      }
      array.finish(out);
    }
  }

  private void at(double fraction, Value out) {
    if (!continuous) {
      values.get((int) Math.max(0, Math.ceil(fraction * values.size()) - 1), out);
      return;
    }
    double place = fraction * (values.size() - 1);
    int low = (int) Math.floor(place);
    int high = (int) Math.ceil(place);
    values.get(low, out);
    if (low != high) {
      Value upper = new Value();
      values.get(high, upper);
      between(out, upper, place - low, out);
    }
  }

  private void between(Value low, Value high, double part, Value out) {
    if (!type.is(PgType.INTERVAL)) {
      out.setDouble(low.d + part * (high.d - low.d));
      return;
    }
    Value difference = new Value();
    Value share = new Value();
    Value from = new Value();
    from.set(low);
    DateTimeMath.subtract(high, from, difference);
    DateTimeMath.multiply(difference, part, share);
    DateTimeMath.add(share, from, out);
  }

  @Override
  public void reset() {
    values.clear();
    known = false;
    fractions = null;
  }

  @Override
  public int memorySize() {
    return 96 + values.bytes();
  }
}
