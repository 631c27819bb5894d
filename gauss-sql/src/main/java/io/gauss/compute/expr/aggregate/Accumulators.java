package io.gauss.compute.expr.aggregate;

import io.gauss.compute.expr.Accumulator;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.number.IntegerArithmetic;
import io.gauss.compute.expr.number.NumericFunctions;
import io.gauss.compute.expr.number.NumericMath;
import io.gauss.compute.expr.time.DateTimeMath;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.Interval;
import io.gauss.compute.type.Numerics;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeErrors;
import io.gauss.compute.type.Value;
import io.gauss.compute.type.ValueKind;
import io.gauss.compute.type.ValueOrder;
import java.math.BigDecimal;
import java.math.BigInteger;

/** The accumulators of the built-in aggregates. */
final class Accumulators {
  private Accumulators() {}

  /** count. */
  static final class Count extends Accumulator {
    private long count;

    @Override
    public void add(EvalContext ctx, Value[] arguments) {
      count++;
    }

    @Override
    public void merge(EvalContext ctx, Accumulator other) {
      count += ((Count) other).count;
    }

    @Override
    public void result(EvalContext ctx, Value out) {
      out.setLong(count);
    }

    @Override
    public void reset() {
      count = 0;
    }
  }

  /** sum of smallint and integer, in 64 bits. */
  static final class IntegerSum extends Accumulator {
    private long sum;
    private boolean any;

    @Override
    public void add(EvalContext ctx, Value[] arguments) {
      sum = IntegerArithmetic.apply('+', sum, arguments[0].l, PgType.INT8);
      any = true;
    }

    @Override
    public void merge(EvalContext ctx, Accumulator other) {
      IntegerSum that = (IntegerSum) other;
      sum = IntegerArithmetic.apply('+', sum, that.sum, PgType.INT8);
      any |= that.any;
    }

    @Override
    public void result(EvalContext ctx, Value out) {
      if (any) {
        out.setLong(sum);
      } else {
        out.setNull();
      }
    }

    @Override
    public void reset() {
      sum = 0;
      any = false;
    }
  }

  /** sum of bigint and avg of integers: a long that carries over into a BigInteger. */
  static final class BigSum extends Accumulator {
    private final boolean average;
    private long low;
    private BigInteger high = BigInteger.ZERO;
    private long count;

    BigSum(boolean average) {
      this.average = average;
    }

    @Override
    public void add(EvalContext ctx, Value[] arguments) {
      addLong(arguments[0].l);
      count++;
    }

    private void addLong(long value) {
      long sum = low + value;
      if (((low ^ sum) & (value ^ sum)) < 0) {
        high = high.add(BigInteger.valueOf(low));
        low = value;
      } else {
        low = sum;
      }
    }

    @Override
    public void merge(EvalContext ctx, Accumulator other) {
      BigSum that = (BigSum) other;
      high = high.add(that.high);
      addLong(that.low);
      count += that.count;
    }

    @Override
    public void result(EvalContext ctx, Value out) {
      if (count == 0) {
        out.setNull();
        return;
      }
      if (high.signum() == 0) {
        out.setNumeric(low, 0);
      } else {
        out.setNumeric(new BigDecimal(high.add(BigInteger.valueOf(low))));
      }
      if (average) {
        divide(ctx, out, count);
      }
    }

    @Override
    public void reset() {
      low = 0;
      high = BigInteger.ZERO;
      count = 0;
    }
  }

  private static void divide(EvalContext ctx, Value sum, long count) {
    Value dividend = ctx.acquire();
    Value divisor = ctx.acquire();
    dividend.set(sum);
    divisor.setNumeric(count, 0);
    NumericMath.divide(dividend, divisor, sum);
    ctx.release(2);
  }

  /**
   * sum and avg of numeric: scaled longs as long as they fit; the result shows the largest scale
   * seen.
   */
  static final class NumericSum extends Accumulator {
    private final boolean average;
    private final Value sum = new Value();
    private final Value next = new Value();
    private long count;

    NumericSum(boolean average) {
      this.average = average;
    }

    @Override
    public void add(EvalContext ctx, Value[] arguments) {
      include(arguments[0]);
      count++;
    }

    private void include(Value value) {
      if (sum.isNull) {
        sum.set(value);
      } else {
        NumericMath.add(sum, value, next);
        sum.set(next);
      }
    }

    @Override
    public void merge(EvalContext ctx, Accumulator other) {
      NumericSum that = (NumericSum) other;
      if (that.count > 0) {
        include(that.sum);
        count += that.count;
      }
    }

    @Override
    public void result(EvalContext ctx, Value out) {
      if (count == 0) {
        out.setNull();
        return;
      }
      out.set(sum);
      if (average) {
        divide(ctx, out, count);
      }
    }

    @Override
    public void reset() {
      sum.setNull();
      count = 0;
    }

    @Override
    public int memorySize() {
      return 160;
    }
  }

  /** sum and avg of floats. */
  static final class FloatSum extends Accumulator {
    private final boolean single;
    private final boolean average;
    private double sum;
    private long count;

    FloatSum(boolean single, boolean average) {
      this.single = single;
      this.average = average;
    }

    @Override
    public void add(EvalContext ctx, Value[] arguments) {
      include(arguments[0].d);
      count++;
    }

    private void include(double value) {
      double next = single ? (float) (sum + value) : sum + value;
      if (Double.isInfinite(next) && !Double.isInfinite(sum) && !Double.isInfinite(value)) {
        throw TypeErrors.floatOverflow();
      }
      sum = next;
    }

    @Override
    public void merge(EvalContext ctx, Accumulator other) {
      FloatSum that = (FloatSum) other;
      if (that.count > 0) {
        include(that.sum);
        count += that.count;
      }
    }

    @Override
    public void result(EvalContext ctx, Value out) {
      if (count == 0) {
        out.setNull();
      } else {
        out.setDouble(average ? sum / count : sum);
      }
    }

    @Override
    public void reset() {
      sum = 0;
      count = 0;
    }
  }

  /** sum and avg of intervals. */
  static final class IntervalSum extends Accumulator {
    private final boolean average;
    private long months;
    private long days;
    private long micros;
    private long count;

    IntervalSum(boolean average) {
      this.average = average;
    }

    @Override
    public void add(EvalContext ctx, Value[] arguments) {
      include(
          Interval.months(arguments[0]),
          Interval.days(arguments[0]),
          Interval.micros(arguments[0]));
      count++;
    }

    private void include(long moreMonths, long moreDays, long moreMicros) {
      months += moreMonths;
      days += moreDays;
      micros = IntegerArithmetic.apply('+', micros, moreMicros, PgType.INTERVAL);
    }

    @Override
    public void merge(EvalContext ctx, Accumulator other) {
      IntervalSum that = (IntervalSum) other;
      include(that.months, that.days, that.micros);
      count += that.count;
    }

    @Override
    public void result(EvalContext ctx, Value out) {
      if (count == 0) {
        out.setNull();
        return;
      }
      Interval.set(out, months, days, micros);
      if (average) {
        Value sum = new Value();
        sum.set(out);
        DateTimeMath.divide(sum, count, out);
      }
    }

    @Override
    public void reset() {
      months = 0;
      days = 0;
      micros = 0;
      count = 0;
    }
  }

  /** min and max of any ordered type. */
  static final class Extreme extends Accumulator {
    private final ValueOrder order;
    private final boolean bytes;
    private final int sign;
    private final Value best = new Value();
    private byte[] own = new byte[0];

    Extreme(PgType type, int sign) {
      this.order = ValueOrder.of(type);
      this.bytes = type.kind() == ValueKind.BYTES;
      this.sign = sign;
    }

    @Override
    public void add(EvalContext ctx, Value[] arguments) {
      include(arguments[0]);
    }

    private void include(Value value) {
      if (!best.isNull && sign * order.compare(value, best) <= 0) {
        return;
      }
      if (!bytes) {
        best.set(value);
        return;
      }
      if (own.length < value.len) {
        own = new byte[value.len];
      }
      System.arraycopy(value.bytes, value.off, own, 0, value.len);
      best.setBytes(own, 0, value.len);
    }

    @Override
    public void merge(EvalContext ctx, Accumulator other) {
      Extreme that = (Extreme) other;
      if (!that.best.isNull) {
        include(that.best);
      }
    }

    @Override
    public void result(EvalContext ctx, Value out) {
      out.set(best);
    }

    @Override
    public void reset() {
      best.setNull();
    }

    @Override
    public int memorySize() {
      return 96 + own.length;
    }
  }

  /** bool_and and bool_or. */
  static final class BooleanFold extends Accumulator {
    private final boolean and;
    private boolean any;
    private boolean value;

    BooleanFold(boolean and) {
      this.and = and;
    }

    @Override
    public void add(EvalContext ctx, Value[] arguments) {
      include(arguments[0].l != 0);
    }

    private void include(boolean next) {
      value = !any ? next : and ? value && next : value || next;
      any = true;
    }

    @Override
    public void merge(EvalContext ctx, Accumulator other) {
      BooleanFold that = (BooleanFold) other;
      if (that.any) {
        include(that.value);
      }
    }

    @Override
    public void result(EvalContext ctx, Value out) {
      if (any) {
        out.setBoolean(value);
      } else {
        out.setNull();
      }
    }

    @Override
    public void reset() {
      any = false;
    }
  }

  /** bit_and, bit_or, bit_xor. */
  static final class BitFold extends Accumulator {
    private final char operator;
    private boolean any;
    private long bits;

    BitFold(char operator) {
      this.operator = operator;
    }

    @Override
    public void add(EvalContext ctx, Value[] arguments) {
      include(arguments[0].l);
    }

    private void include(long value) {
      bits =
          !any
              ? value
              : switch (operator) {
                case '&' -> bits & value;
                case '|' -> bits | value;
                default -> bits ^ value;
              };
      any = true;
    }

    @Override
    public void merge(EvalContext ctx, Accumulator other) {
      BitFold that = (BitFold) other;
      if (that.any) {
        include(that.bits);
      }
    }

    @Override
    public void result(EvalContext ctx, Value out) {
      if (any) {
        out.setLong(bits);
      } else {
        out.setNull();
      }
    }

    @Override
    public void reset() {
      any = false;
    }
  }

  /** string_agg: each value but the first after its own delimiter. */
  static final class Joined extends Accumulator {
    private final ByteSink text = new ByteSink(64, EvalContext.LARGEST_VALUE);
    private boolean any;

    /** The first value's own delimiter, which a merge needs. */
    private byte[] firstDelimiter = new byte[0];

    @Override
    public void add(EvalContext ctx, Value[] arguments) {
      Value delimiter = arguments[1];
      if (!any) {
        firstDelimiter =
            delimiter.isNull
                ? new byte[0]
                : java.util.Arrays.copyOfRange(
                    delimiter.bytes, delimiter.off, delimiter.off + delimiter.len);
      } else if (!delimiter.isNull) {
        text.putBytes(delimiter.bytes, delimiter.off, delimiter.len);
      }
      text.putBytes(arguments[0].bytes, arguments[0].off, arguments[0].len);
      any = true;
    }

    @Override
    public void merge(EvalContext ctx, Accumulator other) {
      Joined that = (Joined) other;
      if (!that.any) {
        return;
      }
      if (any) {
        text.putBytes(that.firstDelimiter);
      } else {
        firstDelimiter = that.firstDelimiter;
      }
      text.putBytes(that.text.array, 0, that.text.length);
      any = true;
    }

    @Override
    public void result(EvalContext ctx, Value out) {
      if (any) {
        out.setBytes(text.array, 0, text.length);
      } else {
        out.setNull();
      }
    }

    @Override
    public void reset() {
      text.clear();
      any = false;
    }

    @Override
    public int memorySize() {
      return 96 + text.array.length;
    }
  }

  /** Variances of exact numbers: exact sums of values and squares. */
  static final class NumericVariance extends Accumulator {
    private final boolean population;
    private final boolean root;
    private final boolean integers;
    private BigDecimal sum = BigDecimal.ZERO;
    private BigDecimal squares = BigDecimal.ZERO;
    private long count;
    private boolean special;

    NumericVariance(boolean population, boolean root, PgType type) {
      this.population = population;
      this.root = root;
      this.integers = type.isInteger();
    }

    @Override
    public void add(EvalContext ctx, Value[] arguments) {
      Value value = arguments[0];
      count++;
      if (!integers && value.special != 0) {
        special = true;
        return;
      }
      BigDecimal x = integers ? BigDecimal.valueOf(value.l) : Numerics.toBig(value);
      sum = sum.add(x);
      squares = squares.add(x.multiply(x));
    }

    @Override
    public void merge(EvalContext ctx, Accumulator other) {
      NumericVariance that = (NumericVariance) other;
      sum = sum.add(that.sum);
      squares = squares.add(that.squares);
      count += that.count;
      special |= that.special;
    }

    @Override
    public void result(EvalContext ctx, Value out) {
      if (count == 0 || (!population && count == 1)) {
        out.setNull();
        return;
      }
      if (special) {
        Numerics.setSpecial(out, Numerics.NAN);
        return;
      }
      BigDecimal n = BigDecimal.valueOf(count);
      // (n * sum of squares - square of sum) / (n * n or n * (n - 1))
      BigDecimal numerator = n.multiply(squares).subtract(sum.multiply(sum));
      Value a = ctx.acquire();
      Value b = ctx.acquire();
      if (numerator.signum() <= 0) {
        out.setNumeric(0, 0);
      } else {
        a.setNumeric(numerator);
        b.setNumeric(n.multiply(population ? n : n.subtract(BigDecimal.ONE)));
        if (root) {
          Value quotient = ctx.acquire();
          NumericMath.divide(a, b, quotient);
          NumericFunctions.sqrt(Numerics.toBig(quotient), quotient.scale, out);
          ctx.release();
        } else {
          NumericMath.divide(a, b, out);
        }
      }
      ctx.release(2);
    }

    @Override
    public void reset() {
      sum = BigDecimal.ZERO;
      squares = BigDecimal.ZERO;
      count = 0;
      special = false;
    }

    @Override
    public int memorySize() {
      return 160;
    }
  }

  /** Variances of floats by the Youngs-Cramer recurrence, as PostgreSQL computes them. */
  static final class FloatVariance extends Accumulator {
    private final boolean population;
    private final boolean root;
    private double count;
    private double sum;
    private double squares;

    FloatVariance(boolean population, boolean root) {
      this.population = population;
      this.root = root;
    }

    @Override
    public void add(EvalContext ctx, Value[] arguments) {
      double x = arguments[0].d;
      count++;
      sum += x;
      if (count > 1) {
        double difference = x * count - sum;
        squares += difference * difference / (count * (count - 1));
        if (Double.isInfinite(squares) && !Double.isInfinite(x)) {
          throw TypeErrors.floatOverflow();
        }
      } else if (Double.isNaN(x) || Double.isInfinite(x)) {
        squares = Double.NaN;
      }
    }

    @Override
    public void merge(EvalContext ctx, Accumulator other) {
      FloatVariance that = (FloatVariance) other;
      if (that.count == 0) {
        return;
      }
      if (count == 0) {
        count = that.count;
        sum = that.sum;
        squares = that.squares;
        return;
      }
      double difference = sum / count - that.sum / that.count;
      double total = count + that.count;
      squares += that.squares + count * that.count * difference * difference / total;
      sum += that.sum;
      count = total;
    }

    @Override
    public void result(EvalContext ctx, Value out) {
      if (count == 0 || (!population && count <= 1)) {
        out.setNull();
        return;
      }
      double variance = squares / (population ? count : count - 1);
      out.setDouble(root ? Math.sqrt(variance) : variance);
    }

    @Override
    public void reset() {
      count = 0;
      sum = 0;
      squares = 0;
    }
  }
}
