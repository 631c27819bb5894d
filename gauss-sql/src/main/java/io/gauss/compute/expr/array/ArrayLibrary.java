package io.gauss.compute.expr.array;

import io.gauss.compute.expr.Accumulator;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.call.AggregateDef;
import io.gauss.compute.expr.call.Define;
import io.gauss.compute.expr.call.FunctionDef;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.FunctionRegistry.Builder;
import io.gauss.compute.type.ArrayBuilder;
import io.gauss.compute.type.ArrayReader;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.PgTypes;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.Value;
import io.gauss.compute.type.ValueOrder;
import java.util.List;

/**
 * Functions and operators of arrays, one overload for each array type: PostgreSQL declares them
 * once over anyarray, with the same results of overload resolution.
 */
public final class ArrayLibrary implements FunctionRegistry.Library {
  /** {@code array[i]}; not a name that could be written without quotes. */
  static final String SUBSCRIPT = "[]";

  @Override
  public void register(Builder to) {
    Define define = new Define(to);
    for (PgType array : PgTypes.arrays()) {
      ofArray(to, define, array);
    }
  }

  @Override
  public void registerEnum(Builder to, PgType type) {
    ofArray(to, new Define(to), type.array());
  }

  private static void ofArray(Builder to, Define define, PgType array) {
    String name = define.name(array);
    String element = define.name(array.element());
    TypeCodec codec = TypeCodec.of(array.element());
    texts(define, name, codec);
    sizes(define, name);
    elements(define, name, element, array.element());
    joined(define, name, element, array.element());
    to.add(
        new AggregateDef(
            "array_agg",
            List.of(array.element()),
            array,
            false,
            true,
            types -> new ArrayAccumulator(types[0])));
  }

  private static void texts(Define define, String array, TypeCodec codec) {
    define.fn(
        "array_to_string(" + array + ", text) text stable",
        (ctx, a, b, out) -> join(ctx, codec, a, b, null, out));
    define.fn(
        "array_to_string(" + array + ", text, text) text stable nulls",
        (ctx, a, b, c, out) -> {
          if (a.isNull || b.isNull) {
            out.setNull();
          } else {
            join(ctx, codec, a, b, c.isNull ? null : c, out);
          }
        });
  }

  /**
   * @param nulls written for NULL elements; null = they are left out
   */
  private static void join(
      EvalContext ctx, TypeCodec codec, Value a, Value separator, Value nulls, Value out) {
    ByteSink text = new ByteSink(64, EvalContext.LARGEST_VALUE);
    ArrayReader array = new ArrayReader(a);
    Value item = ctx.acquire();
    boolean first = true;
    for (int i = 0; i < array.size(); i++) {
      array.next(codec, item);
      if (item.isNull && nulls == null) {
        continue;
      }
      if (!first) {
        text.putBytes(separator.bytes, separator.off, separator.len);
      }
      first = false;
      if (item.isNull) {
        text.putBytes(nulls.bytes, nulls.off, nulls.len);
      } else {
        codec.writeText(item, ctx, text);
      }
    }
    ctx.release();
    ctx.copyTo(text, out);
  }

  private static void sizes(Define define, String array) {
    define.fn(
        "array_length(" + array + ", int4) int4",
        (ctx, a, b, out) -> {
          int size = new ArrayReader(a).size();
          setBound(b.l, size, size, out);
        });
    define.fn(
        "array_upper(" + array + ", int4) int4",
        (ctx, a, b, out) -> {
          ArrayReader reader = new ArrayReader(a);
          setBound(b.l, reader.size(), reader.lowerBound() + reader.size() - 1, out);
        });
    define.fn(
        "array_lower(" + array + ", int4) int4",
        (ctx, a, b, out) -> {
          ArrayReader reader = new ArrayReader(a);
          setBound(b.l, reader.size(), reader.lowerBound(), out);
        });
    define.fn("array_ndims(" + array + ") int4", (ctx, a, out) -> setBound(1, sizeOf(a), 1, out));
    define.fn("cardinality(" + array + ") int4", (ctx, a, out) -> out.setLong(sizeOf(a)));
  }

  private static int sizeOf(Value array) {
    return new ArrayReader(array).size();
  }

  /** An empty array has no dimensions, and other arrays have only one. */
  private static void setBound(long dimension, int size, int bound, Value out) {
    if (dimension != 1 || size == 0) {
      out.setNull();
    } else {
      out.setLong(bound);
    }
  }

  private static void elements(Define define, String array, String element, PgType type) {
    TypeCodec codec = TypeCodec.of(type);
    ValueOrder order = ValueOrder.of(type);
    define.fn(
        SUBSCRIPT + "(" + array + ", int4) " + element,
        (ctx, a, b, out) -> {
          ArrayReader reader = new ArrayReader(a);
          long index = b.l - reader.lowerBound();
          out.setNull();
          if (index < reader.size()) {
            for (long i = 0; i <= index; i++) {
              reader.next(codec, out);
            }
          }
        });
    define.fn(
        "array_position(" + array + ", " + element + ") int4 nulls",
        (ctx, a, b, out) -> {
          if (a.isNull) {
            out.setNull();
            return;
          }
          ArrayReader reader = new ArrayReader(a);
          Value item = ctx.acquire();
          int found = -1;
          for (int i = 0; i < reader.size() && found < 0; i++) {
            reader.next(codec, item);
            found = same(order, item, b) ? i : -1;
          }
          ctx.release();
          if (found < 0) {
            out.setNull();
          } else {
            out.setLong(reader.lowerBound() + found);
          }
        });
    define.fn(
        "array_remove(" + array + ", " + element + ") " + array + " nulls",
        (ctx, a, b, out) -> {
          if (a.isNull) {
            out.setNull();
            return;
          }
          ArrayReader reader = new ArrayReader(a);
          ArrayBuilder builder = new ArrayBuilder(type).from(reader.lowerBound());
          Value item = ctx.acquire();
          for (int i = 0; i < reader.size(); i++) {
            reader.next(codec, item);
            if (!same(order, item, b)) {
              builder.add(codec, item);
            }
          }
          ctx.release();
          builder.finish(out);
        });
  }

  private static boolean same(ValueOrder order, Value a, Value b) {
    return a.isNull ? b.isNull : !b.isNull && order.equal(a, b);
  }

  private static void joined(Define define, String array, String element, PgType type) {
    FunctionDef.Fn2 both =
        (ctx, a, b, out) -> {
          ArrayBuilder builder = new ArrayBuilder(type).from(isEmpty(a) ? first(b) : first(a));
          addAll(ctx, builder, a, type);
          addAll(ctx, builder, b, type);
          finish(builder, a.isNull && b.isNull, out);
        };
    FunctionDef.Fn2 append =
        (ctx, a, b, out) -> {
          ArrayBuilder builder = new ArrayBuilder(type).from(first(a));
          addAll(ctx, builder, a, type);
          builder.add(TypeCodec.of(type), b);
          finish(builder, false, out);
        };
    FunctionDef.Fn2 prepend =
        (ctx, a, b, out) -> {
          ArrayBuilder builder = new ArrayBuilder(type).from(first(b));
          builder.add(TypeCodec.of(type), a);
          addAll(ctx, builder, b, type);
          finish(builder, false, out);
        };
    define.both("array_cat", "||", "(" + array + ", " + array + ") " + array + " nulls", both);
    define.both(
        "array_append", "||", "(" + array + ", " + element + ") " + array + " nulls", append);
    define.both(
        "array_prepend", "||", "(" + element + ", " + array + ") " + array + " nulls", prepend);
  }

  private static boolean isEmpty(Value array) {
    return array.isNull || new ArrayReader(array).size() == 0;
  }

  /** Subscript of the first element, which the result has as well. */
  private static int first(Value array) {
    return isEmpty(array) ? 1 : new ArrayReader(array).lowerBound();
  }

  private static void addAll(EvalContext ctx, ArrayBuilder builder, Value array, PgType type) {
    if (array.isNull) {
      return;
    }
    TypeCodec codec = TypeCodec.of(type);
    ArrayReader reader = new ArrayReader(array);
    Value item = ctx.acquire();
    for (int i = 0; i < reader.size(); i++) {
      reader.next(codec, item);
      builder.add(codec, item);
    }
    ctx.release();
  }

  private static void finish(ArrayBuilder builder, boolean isNull, Value out) {
    if (isNull) {
      out.setNull();
    } else {
      builder.finish(out);
    }
  }

  /** array_agg: all values in an array, including NULLs. */
  private static final class ArrayAccumulator extends Accumulator {
    private final PgType element;
    private final TypeCodec codec;
    private ArrayBuilder builder;

    ArrayAccumulator(PgType element) {
      this.element = element.withTypmod(-1);
      this.codec = TypeCodec.of(element);
    }

    @Override
    public void add(EvalContext ctx, Value[] arguments) {
      if (builder == null) {
        builder = new ArrayBuilder(element);
      }
      builder.add(codec, arguments[0]);
    }

    @Override
    public void merge(EvalContext ctx, Accumulator other) {
      ArrayAccumulator that = (ArrayAccumulator) other;
      if (that.builder == null) {
        return;
      }
      Value array = new Value();
      that.builder.finish(array);
      if (builder == null) {
        builder = new ArrayBuilder(element);
      }
      addAll(ctx, builder, array, element);
    }

    @Override
    public void result(EvalContext ctx, Value out) {
      if (builder == null) {
        out.setNull();
      } else {
        builder.finish(out);
      }
    }

    @Override
    public void reset() {
      builder = null;
    }

    @Override
    public int memorySize() {
      return builder == null ? 48 : 96 + builder.bytes();
    }
  }
}
