package io.gauss.compute.expr.json;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.type.ArrayReader;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.JsonText;
import io.gauss.compute.type.JsonToken;
import io.gauss.compute.type.JsonbBuilder;
import io.gauss.compute.type.JsonbText;
import io.gauss.compute.type.JsonbView;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.Value;
import java.nio.charset.StandardCharsets;

/**
 * What values of a type become in JSON: PostgreSQL's datum_to_json and datum_to_jsonb. Immutable.
 */
final class JsonForm {
  private static final int BETWEEN_CHECKS = 1 << 14;

  private enum Category {
    BOOL,
    NUMBER,
    DATE,
    JSON,
    JSONB,
    ARRAY,
    /** A row: its JSON object. */
    RECORD,
    /** A string with the text form. */
    TEXT
  }

  private final PgType type;
  private final Category category;

  /** Null for rows. */
  private final TypeCodec codec;

  /** Of an array's elements. */
  private final JsonForm elements;

  private JsonForm(PgType type) {
    this.type = type;
    category = category(type);
    codec = category == Category.RECORD ? null : TypeCodec.of(type);
    elements = category == Category.ARRAY ? of(type.element()) : null;
  }

  static JsonForm of(PgType type) {
    return new JsonForm(type);
  }

  static JsonForm[] of(PgType[] types) {
    JsonForm[] forms = new JsonForm[types.length];
    for (int i = 0; i < types.length; i++) {
      forms[i] = of(types[i]);
    }
    return forms;
  }

  private static Category category(PgType type) {
    if (type.isArray()) {
      return Category.ARRAY;
    }
    return switch (type.oid()) {
      case 16 -> Category.BOOL;
      case 1082, 1114, 1184 -> Category.DATE;
      case 114 -> Category.JSON;
      case 3802 -> Category.JSONB;
      case 2249 -> Category.RECORD;
      default -> type.isNumber() ? Category.NUMBER : Category.TEXT;
    };
  }

  /** Whether json_agg begins a line for it. */
  boolean isStructured() {
    return category == Category.ARRAY || category == Category.RECORD;
  }

  // ------------------------------------------------------------------ json

  /** Appends the value as JSON text. */
  void put(EvalContext ctx, Value value, ByteSink out) {
    if (value.isNull) {
      out.putString("null");
      return;
    }
    switch (category) {
      case BOOL -> out.putString(value.l != 0 ? "true" : "false");
      case NUMBER -> {
        boolean quoted = !isFinite(value);
        if (quoted) {
          out.putByte('"');
        }
        codec.writeText(value, ctx, out);
        if (quoted) {
          out.putByte('"');
        }
      }
      case JSON, RECORD -> out.putBytes(value.bytes, value.off, value.len);
      case JSONB -> JsonbText.write(new JsonbView(value), out);
      case ARRAY -> putArray(ctx, value, false, out);
      case DATE, TEXT -> putQuoted(ctx, value, out);
    }
  }

  private void putQuoted(EvalContext ctx, Value value, ByteSink out) {
    if (type.isString()) {
      JsonText.putString(value.bytes, value.off, value.len, out);
      return;
    }
    ByteSink text = text(ctx, value);
    JsonText.putString(text.array, 0, text.length, out);
  }

  private ByteSink text(EvalContext ctx, Value value) {
    ByteSink text = new ByteSink(32, ByteSink.LARGEST_VALUE);
    codec.writeText(value, ctx, text);
    if (category != Category.DATE || type.is(PgType.DATE)) {
      return text;
    }
    ByteSink iso = new ByteSink(40);
    iso.putString(iso8601(text.toString()));
    return iso;
  }

  /** {@code 2000-01-01 12:00:00+00} as {@code 2000-01-01T12:00:00+00:00}. */
  private static String iso8601(String text) {
    int blank = text.indexOf(' ');
    if (blank < 0) {
      return text; // infinity
    }
    int end = text.endsWith(" BC") ? text.length() - 3 : text.length();
    int sign = Math.max(text.lastIndexOf('+'), text.indexOf('-', blank));
    boolean hoursOnly = sign > 0 && end - sign == 3;
    return text.substring(0, blank)
        + "T"
        + text.substring(blank + 1, end)
        + (hoursOnly ? ":00" : "")
        + text.substring(end);
  }

  private boolean isFinite(Value value) {
    return switch (type.kind()) {
      case DOUBLE -> Double.isFinite(value.d);
      case NUMERIC -> value.special == 0;
      default -> true;
    };
  }

  /**
   * Appends an array as array_to_json shows it.
   *
   * @param pretty whether each element begins a line
   */
  void putArray(EvalContext ctx, Value array, boolean pretty, ByteSink out) {
    ArrayReader reader = new ArrayReader(array);
    Value item = new Value();
    TypeCodec reads = TypeCodec.of(type.element());
    out.putByte('[');
    for (int i = 0; i < reader.size(); i++) {
      if (i > 0) {
        out.putString(pretty ? ",\n " : ",");
      }
      if (i % BETWEEN_CHECKS == BETWEEN_CHECKS - 1) {
        ctx.longWork.run();
      }
      reader.next(reads, item);
      elements.put(ctx, item, out);
    }
    out.putByte(']');
  }

  /**
   * Appends the value as the name of a field.
   *
   * @throws GaussException 22023 for arrays, rows and JSON
   */
  void putName(EvalContext ctx, Value value, ByteSink out) {
    requireScalar();
    if (category == Category.BOOL || (category == Category.NUMBER && isFinite(value))) {
      out.putByte('"');
      put(ctx, value, out);
      out.putByte('"');
    } else {
      put(ctx, value, out);
    }
  }

  private void requireScalar() {
    switch (category) {
      case ARRAY, RECORD, JSON, JSONB ->
          throw new GaussException(
              SqlState.INVALID_PARAMETER_VALUE,
              "key value must be scalar, not array, composite, or json");
      default -> {
        // May be a name.
      }
    }
  }

  // ------------------------------------------------------------------ jsonb

  /** Adds the value. */
  void add(EvalContext ctx, Value value, JsonbBuilder to) {
    if (value.isNull) {
      to.nothing();
      return;
    }
    switch (category) {
      case BOOL -> to.bool(value.l != 0);
      case NUMBER -> addNumber(ctx, value, to);
      case JSON, RECORD -> to.text(value.bytes, value.off, value.len);
      case JSONB -> to.node(value);
      case ARRAY -> addArray(ctx, value, to);
      case DATE, TEXT -> {
        if (type.isString()) {
          to.string(value.bytes, value.off, value.len);
        } else {
          ByteSink text = text(ctx, value);
          to.string(text.array, 0, text.length);
        }
      }
    }
  }

  private void addNumber(EvalContext ctx, Value value, JsonbBuilder to) {
    if (!isFinite(value)) {
      ByteSink text = text(ctx, value);
      to.string(text.array, 0, text.length);
      return;
    }
    switch (type.kind()) {
      case LONG -> {
        Value number = new Value();
        number.setNumeric(java.math.BigDecimal.valueOf(value.l));
        to.number(number);
      }
      case DOUBLE -> {
        byte[] text = text(ctx, value).toString().getBytes(StandardCharsets.US_ASCII);
        to.scalar(JsonToken.NUMBER, text, 0, text.length);
      }
      default -> to.number(value);
    }
  }

  private void addArray(EvalContext ctx, Value array, JsonbBuilder to) {
    ArrayReader reader = new ArrayReader(array);
    Value item = new Value();
    TypeCodec reads = TypeCodec.of(type.element());
    to.arrayStart();
    for (int i = 0; i < reader.size(); i++) {
      if (i % BETWEEN_CHECKS == BETWEEN_CHECKS - 1) {
        ctx.longWork.run();
      }
      reader.next(reads, item);
      elements.add(ctx, item, to);
    }
    to.arrayEnd();
  }

  /**
   * Adds the value as the name of a field.
   *
   * @throws GaussException 22023 for arrays, rows and JSON
   */
  void addName(EvalContext ctx, Value value, JsonbBuilder to) {
    requireScalar();
    if (type.isString()) {
      to.name(value.bytes, value.off, value.len);
      return;
    }
    ByteSink text;
    if (category == Category.BOOL) {
      text = new ByteSink(8);
      text.putString(value.l != 0 ? "true" : "false");
    } else {
      text = text(ctx, value);
    }
    to.name(text.array, 0, text.length);
  }
}
