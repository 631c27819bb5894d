package io.gauss.compute.expr.array;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.call.Define;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.FunctionRegistry.Builder;
import io.gauss.compute.type.ArrayReader;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.PgTypes;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.Value;
import io.gauss.compute.type.ValueOrder;
import java.util.Arrays;

/** {@code width_bucket} over an array of bounds, and counting of NULL arguments. */
public final class ArrayBucketLibrary implements FunctionRegistry.Library {
  @Override
  public void register(Builder to) {
    Define define = new Define(to);
    define.fnN("num_nulls(any) int4 nulls variadic", (ctx, v, out) -> out.setLong(nulls(v)));
    define.fnN(
        "num_nonnulls(any) int4 nulls variadic", (ctx, v, out) -> out.setLong(v.length - nulls(v)));
    for (PgType array : PgTypes.arrays()) {
      buckets(define, array);
    }
  }

  @Override
  public void registerEnum(Builder to, PgType type) {
    buckets(new Define(to), type.array());
  }

  private static void buckets(Define define, PgType array) {
    PgType type = array.element();
    define.fn(
        "width_bucket(" + define.name(type) + ", " + define.name(array) + ") int4",
        (ctx, a, b, out) -> out.setLong(bucket(ctx, type, a, b)));
  }

  private static long nulls(Value[] values) {
    return Arrays.stream(values).filter(value -> value.isNull).count();
  }

  /** How many of the sorted bounds are not above the value. */
  private static long bucket(EvalContext ctx, PgType type, Value operand, Value bounds) {
    TypeCodec codec = TypeCodec.of(type);
    ValueOrder order = ValueOrder.of(type);
    ArrayReader reader = new ArrayReader(bounds);
    Value bound = ctx.acquire();
    long bucket = 0;
    for (int i = 0; i < reader.size(); i++) {
      reader.next(codec, bound);
      if (bound.isNull) {
        throw new GaussException(
            SqlState.NULL_VALUE_NOT_ALLOWED, "thresholds array must not contain NULLs");
      }
      bucket += order.compare(bound, operand) <= 0 ? 1 : 0;
    }
    ctx.release();
    return bucket;
  }
}
