package io.gauss.compute.sql.system;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.type.ArrayBuilder;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.Value;
import java.nio.charset.StandardCharsets;

/** Puts Java values of a system table's row into a batch. */
final class SystemRow {
  private SystemRow() {}

  /** An int2vector or oidvector: an array whose subscripts begin at 0. */
  record Vector(int... numbers) {}

  /**
   * @param value null, Boolean, Number, Character, String, int[], long[], Vector or String[], as
   *     the type requires; elements of String[] may be null
   */
  static void put(Object value, PgType type, RowBatch out, int column, int row, Value scratch) {
    set(value, type, scratch);
    out.columns[column].set(row, scratch);
  }

  private static void set(Object value, PgType type, Value out) {
    switch (value) {
      case null -> out.setNull();
      case Boolean flag -> out.setBoolean(flag);
      case Double number -> out.setDouble(number);
      case Number number -> out.setLong(number.longValue());
      // PostgreSQL shows the zero byte of an unset "char" as the empty string.
      case Character letter -> setText(letter == 0 ? "" : letter.toString(), out);
      case byte[] bytes -> out.setBytes(bytes, 0, bytes.length);
      case int[] numbers -> setArray(numbers, type, false, out);
      case long[] numbers -> setNumbers(numbers, type, out);
      case Vector vector -> setArray(vector.numbers(), type, true, out);
      case String[] texts -> setTexts(texts, type, out);
      case String text -> setText(text, out);
      default -> throw new IllegalStateException("no system table holds a " + value.getClass());
    }
  }

  private static void setText(String text, Value out) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.setBytes(bytes, 0, bytes.length);
  }

  private static void setTexts(String[] texts, PgType type, Value out) {
    PgType element = type.element();
    TypeCodec codec = TypeCodec.of(element);
    ArrayBuilder builder = new ArrayBuilder(element);
    Value item = new Value();
    for (String text : texts) {
      if (text == null) {
        item.setNull();
      } else {
        setText(text, item);
      }
      builder.add(codec, item);
    }
    builder.finish(out);
  }

  private static void setNumbers(long[] numbers, PgType type, Value out) {
    PgType element = type.element();
    TypeCodec codec = TypeCodec.of(element);
    ArrayBuilder builder = new ArrayBuilder(element);
    Value item = new Value();
    for (long number : numbers) {
      item.setLong(number);
      builder.add(codec, item);
    }
    builder.finish(out);
  }

  private static void setArray(int[] numbers, PgType type, boolean fromZero, Value out) {
    PgType element = type.element();
    TypeCodec codec = TypeCodec.of(element);
    ArrayBuilder builder = new ArrayBuilder(element);
    Value item = new Value();
    for (int number : numbers) {
      item.setLong(number);
      builder.add(codec, item);
    }
    (fromZero ? builder.from(0) : builder).finish(out);
  }
}
