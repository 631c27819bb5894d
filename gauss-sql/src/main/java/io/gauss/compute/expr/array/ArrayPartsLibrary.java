package io.gauss.compute.expr.array;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Texts;
import io.gauss.compute.expr.call.Define;
import io.gauss.compute.expr.call.FunctionDef;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.FunctionRegistry.Builder;
import io.gauss.compute.type.ArrayBuilder;
import io.gauss.compute.type.ArrayReader;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.PgTypes;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.Utf8;
import io.gauss.compute.type.Value;
import io.gauss.compute.type.ValueOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Slices of arrays, assignment to their elements, and arrays as sets. */
public final class ArrayPartsLibrary implements FunctionRegistry.Library {
  /** PostgreSQL's MaxArraySize for elements of one byte. */
  private static final long ELEMENTS_MAX = 134_217_727;

  /** Bytes of an element that is NULL. */
  private static final int LEAST_OF_ELEMENT = 4;

  private static final int COMPARED_BETWEEN_CHECKS = 1 << 18;
  private static final TypeCodec TEXT = TypeCodec.of(PgType.TEXT);

  @Override
  public void register(Builder to) {
    Define define = new Define(to);
    splitting(define);
    for (PgType array : PgTypes.arrays()) {
      ofArray(define, array);
    }
  }

  @Override
  public void registerEnum(Builder to, PgType type) {
    ofArray(new Define(to), type.array());
  }

  private static void ofArray(Define define, PgType array) {
    PgType element = array.element();
    String name = define.name(array);
    String elementName = define.name(element);
    slices(define, name, element);
    assignments(define, name, elementName, element);
    sets(define, name, element);
    searches(define, name, elementName, element);
  }

  private static void splitting(Define define) {
    define.fn(
        "string_to_array(text, text) _text nulls",
        (ctx, text, separator, out) -> split(ctx, text, separator, null, out));
    define.fn(
        "string_to_array(text, text, text) _text nulls",
        (ctx, text, separator, nulls, out) -> split(ctx, text, separator, nulls, out));
  }

  /**
   * @param separator NULL = after each character
   * @param nulls text that becomes NULL; null or NULL = none
   */
  private static void split(EvalContext ctx, Value text, Value separator, Value nulls, Value out) {
    if (text.isNull) {
      out.setNull();
      return;
    }
    Value absent = nulls == null || nulls.isNull ? null : nulls;
    ArrayBuilder builder = new ArrayBuilder(PgType.TEXT);
    Value item = ctx.acquire();
    int from = 0;
    while (separator.isNull && from < text.len) {
      int end = from + Utf8.sequenceLength(text.bytes[text.off + from]);
      add(builder, text, from, end, absent, item);
      from = end;
    }
    if (!separator.isNull && text.len > 0) {
      int at = separator.len == 0 ? -1 : Texts.find(ctx, text, separator, 0);
      while (at >= 0) {
        add(builder, text, from, at, absent, item);
        from = at + separator.len;
        at = Texts.find(ctx, text, separator, from);
      }
      add(builder, text, from, text.len, absent, item);
    }
    ctx.release();
    builder.finish(out);
  }

  private static void add(
      ArrayBuilder to, Value text, int from, int end, Value absent, Value item) {
    int start = text.off + from;
    boolean isAbsent =
        absent != null
            && Arrays.equals(
                text.bytes,
                start,
                text.off + end,
                absent.bytes,
                absent.off,
                absent.off + absent.len);
    if (isAbsent) {
      item.setNull();
    } else {
      item.isNull = false;
      item.setBytes(text.bytes, start, end - from);
    }
    to.add(TEXT, item);
  }

  /** The elements of an array with subscripts. */
  private static final class Elements {
    /** Shared: items are replaced and not changed. */
    private static final Value NOTHING = new Value();

    static {
      NOTHING.setNull();
    }

    final TypeCodec codec;
    final PgType type;
    final List<Value> items = new ArrayList<>();
    int lowerBound = 1;

    Elements(PgType element, Value array) {
      type = element;
      codec = TypeCodec.of(element);
      if (array.isNull) {
        return;
      }
      ArrayReader reader = new ArrayReader(array);
      lowerBound = reader.lowerBound();
      for (int i = 0; i < reader.size(); i++) {
        Value item = new Value();
        reader.next(codec, item);
        items.add(item);
      }
    }

    int upperBound() {
      return lowerBound + items.size() - 1;
    }

    /** Extends the array so that the subscripts of a range exist. */
    void extend(long low, long high) {
      if (items.isEmpty()) {
        lowerBound = (int) low;
      }
      long before = Math.max(0, lowerBound - low);
      long behind = Math.max(0, high - upperBound());
      if (before + items.size() + behind > ELEMENTS_MAX || high == Integer.MAX_VALUE) {
        throw new GaussException(
            SqlState.PROGRAM_LIMIT_EXCEEDED,
            "array size exceeds the maximum allowed (%d)".formatted(ELEMENTS_MAX));
      }
      EvalContext.checkLength((before + items.size() + behind) * LEAST_OF_ELEMENT);
      items.addAll(0, Collections.nCopies((int) before, NOTHING));
      items.addAll(Collections.nCopies((int) behind, NOTHING));
      lowerBound -= (int) before;
    }

    void finish(Value out) {
      ArrayBuilder builder = new ArrayBuilder(type).from(lowerBound);
      for (Value item : items) {
        builder.add(codec, item);
      }
      builder.finish(out);
    }
  }

  private static void slices(Define define, String array, PgType element) {
    define.fn(
        "[:](" + array + ", int4, int4) " + array,
        (ctx, a, low, high, out) -> {
          Elements source = new Elements(element, a);
          long first = Math.max(low.l, source.lowerBound);
          long last = Math.min(high.l, source.upperBound());
          ArrayBuilder builder = new ArrayBuilder(element);
          for (long i = first; i <= last; i++) {
            builder.add(source.codec, source.items.get((int) (i - source.lowerBound)));
          }
          builder.finish(out);
        });
    define.fn(
        "trim_array(" + array + ", int4) " + array,
        (ctx, a, count, out) -> {
          Elements source = new Elements(element, a);
          int size = source.items.size();
          if (count.l < 0 || count.l > size) {
            throw new GaussException(
                SqlState.ARRAY_SUBSCRIPT_ERROR,
                "number of elements to trim must be between 0 and " + size);
          }
          ArrayBuilder builder = new ArrayBuilder(element);
          for (int i = 0; i < size - count.l; i++) {
            builder.add(source.codec, source.items.get(i));
          }
          builder.finish(out);
        });
    define.fn(
        "array_dims(" + array + ") text",
        (ctx, a, out) -> {
          ArrayReader reader = new ArrayReader(a);
          if (reader.size() == 0) {
            out.setNull();
            return;
          }
          int low = reader.lowerBound();
          Texts.set(ctx, "[" + low + ":" + (low + reader.size() - 1) + "]", out);
        });
  }

  private static void assignments(Define define, String array, String name, PgType element) {
    define.fn(
        "[]=(" + array + ", int4, " + name + ") " + array + " nulls",
        (ctx, a, index, value, out) -> {
          checkSubscript(index);
          Elements target = new Elements(element, a);
          target.extend(index.l, index.l);
          target.items.set((int) (index.l - target.lowerBound), value);
          target.finish(out);
        });
    define.fnN(
        "[:]=(" + array + ", int4, int4, " + array + ") " + array + " nulls",
        (ctx, arguments, out) -> assignSlice(element, arguments, out));
  }

  private static void checkSubscript(Value subscript) {
    if (subscript.isNull) {
      throw new GaussException(
          SqlState.NULL_VALUE_NOT_ALLOWED, "array subscript in assignment must not be null");
    }
  }

  private static void assignSlice(PgType element, Value[] arguments, Value out) {
    checkSubscript(arguments[1]);
    checkSubscript(arguments[2]);
    Elements target = new Elements(element, arguments[0]);
    long low = arguments[1].l;
    long high = arguments[2].l;
    boolean open = low == Integer.MIN_VALUE || high == Integer.MAX_VALUE;
    if (open && target.items.isEmpty()) {
      throw new GaussException(
              SqlState.ARRAY_SUBSCRIPT_ERROR, "array slice subscript must provide both boundaries")
          .detail(
              "When assigning to a slice of an empty array value, slice boundaries must be fully"
                  + " specified.");
    }
    low = low == Integer.MIN_VALUE ? target.lowerBound : low;
    high = high == Integer.MAX_VALUE ? target.upperBound() : high;
    if (arguments[3].isNull) {
      // As in PostgreSQL, assigning NULL to a slice changes nothing.
      target.finish(out);
      return;
    }
    Elements source = new Elements(element, arguments[3]);
    if (low > high) {
      throw new GaussException(
          SqlState.ARRAY_SUBSCRIPT_ERROR, "upper bound cannot be less than lower bound");
    }
    if (source.items.size() < high - low + 1) {
      throw new GaussException(SqlState.ARRAY_SUBSCRIPT_ERROR, "source array too small");
    }
    target.extend(low, high);
    for (long i = low; i <= high; i++) {
      target.items.set((int) (i - target.lowerBound), source.items.get((int) (i - low)));
    }
    target.finish(out);
  }

  // ---------------------------------------------------------------- sets

  private static void sets(Define define, String array, PgType element) {
    ValueOrder order = ValueOrder.of(element);
    String both = "(" + array + ", " + array + ") bool";
    define.both(
        "arraycontains",
        "@>",
        both,
        (FunctionDef.Fn2) (ctx, a, b, out) -> setBool(out, contains(ctx, order, element, a, b)));
    define.both(
        "arraycontained",
        "<@",
        both,
        (FunctionDef.Fn2) (ctx, a, b, out) -> setBool(out, contains(ctx, order, element, b, a)));
    define.both(
        "arrayoverlap",
        "&&",
        both,
        (FunctionDef.Fn2)
            (ctx, a, b, out) -> {
              Elements left = new Elements(element, a);
              Elements right = new Elements(element, b);
              setBool(out, holdsAny(ctx, order, right, left, true));
            });
  }

  private static void setBool(Value out, boolean value) {
    out.setLong(value ? 1 : 0);
  }

  private static boolean contains(
      EvalContext ctx, ValueOrder order, PgType element, Value whole, Value part) {
    return !holdsAny(ctx, order, new Elements(element, whole), new Elements(element, part), false);
  }

  /** Whether there is an item that is in the array, or one that is not. */
  private static boolean holdsAny(
      EvalContext ctx, ValueOrder order, Elements in, Elements of, boolean wanted) {
    long compared = 0;
    for (Value item : of.items) {
      if (holds(order, in, item) == wanted) {
        return true;
      }
      compared += in.items.size();
      if (compared > COMPARED_BETWEEN_CHECKS) {
        compared = 0;
        ctx.longWork.run();
      }
    }
    return false;
  }

  /** NULL is in no array. */
  private static boolean holds(ValueOrder order, Elements in, Value item) {
    return !item.isNull && in.items.stream().anyMatch(x -> !x.isNull && order.equal(x, item));
  }

  // ---------------------------------------------------------------- searches

  private static void searches(Define define, String array, String name, PgType element) {
    ValueOrder order = ValueOrder.of(element);
    define.fn(
        "array_positions(" + array + ", " + name + ") _int4 nulls",
        (ctx, a, b, out) -> {
          if (a.isNull) {
            out.setNull();
            return;
          }
          Elements source = new Elements(element, a);
          ArrayBuilder found = new ArrayBuilder(PgType.INT4);
          Value position = new Value();
          for (int i = 0; i < source.items.size(); i++) {
            if (same(order, source.items.get(i), b)) {
              position.setLong(source.lowerBound + i);
              found.add(TypeCodec.of(PgType.INT4), position);
            }
          }
          found.finish(out);
        });
    define.fnN(
        "array_position(" + array + ", " + name + ", int4) int4 nulls",
        (ctx, arguments, out) -> {
          out.setNull();
          if (arguments[0].isNull) {
            return;
          }
          if (arguments[2].isNull) {
            throw new GaussException(
                SqlState.NULL_VALUE_NOT_ALLOWED, "initial position must not be null");
          }
          Elements source = new Elements(element, arguments[0]);
          long from = Math.max(0, arguments[2].l - source.lowerBound);
          for (long i = from; i < source.items.size(); i++) {
            if (same(order, source.items.get((int) i), arguments[1])) {
              out.setLong(source.lowerBound + i);
              return;
            }
          }
        });
    define.fnN(
        "array_replace(" + array + ", " + name + ", " + name + ") " + array + " nulls",
        (ctx, arguments, out) -> {
          if (arguments[0].isNull) {
            out.setNull();
            return;
          }
          Elements source = new Elements(element, arguments[0]);
          source.items.replaceAll(x -> same(order, x, arguments[1]) ? arguments[2] : x);
          source.finish(out);
        });
    define.fn(
        "array_fill(" + name + ", _int4) " + array + " nulls",
        (ctx, value, sizes, out) -> {
          if (sizes.isNull) {
            throw new GaussException(
                SqlState.NULL_VALUE_NOT_ALLOWED,
                "dimension array or low bound array cannot be null");
          }
          Elements dimensions = new Elements(PgType.INT4, sizes);
          if (dimensions.items.size() > 1) {
            throw GaussException.notSupported("an array of more than one dimension");
          }
          ArrayBuilder builder = new ArrayBuilder(element);
          long count = dimensions.items.isEmpty() ? 0 : dimensions.items.getFirst().l;
          if (count > ELEMENTS_MAX) {
            throw new GaussException(
                SqlState.PROGRAM_LIMIT_EXCEEDED,
                "array size exceeds the maximum allowed (%d)".formatted(ELEMENTS_MAX));
          }
          EvalContext.checkLength(count * LEAST_OF_ELEMENT);
          for (long i = 0; i < count; i++) {
            builder.add(TypeCodec.of(element), value);
          }
          builder.finish(out);
        });
  }

  private static boolean same(ValueOrder order, Value a, Value b) {
    return a.isNull ? b.isNull : !b.isNull && order.equal(a, b);
  }
}
