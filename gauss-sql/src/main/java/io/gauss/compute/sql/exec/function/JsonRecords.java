package io.gauss.compute.sql.exec.function;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.ColumnExpr;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.expr.call.CastContext;
import io.gauss.compute.expr.call.CastRegistry;
import io.gauss.compute.expr.json.JsonChildren;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.RowProducer;
import io.gauss.compute.sql.exec.row.Values;
import io.gauss.compute.type.ArrayBuilder;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.JsonParser;
import io.gauss.compute.type.JsonToken;
import io.gauss.compute.type.JsonbText;
import io.gauss.compute.type.JsonbView;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.Value;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * {@code json_to_record}, {@code json_populate_record} and their like: the fields of an object, or
 * of each object of an array, as columns. Arguments behind the first one are what the columns are
 * where an object does not have them, which is NULL without such arguments. Immutable.
 */
public final class JsonRecords implements RowProducer {
  private final String name;
  private final boolean set;
  private final boolean binary;
  private final byte[][] names;
  private final PgType[] types;

  /** Applies the modifier of a type to column 0 of a row; null where there is none. */
  private final Expr[] modifiers;

  /**
   * @param name of the function, for errors
   * @param set whether the argument is an array
   * @param binary whether the argument is jsonb, not json
   */
  public JsonRecords(
      String name, boolean set, boolean binary, List<String> names, List<PgType> types) {
    this.name = name;
    this.set = set;
    this.binary = binary;
    this.names = names.stream().map(n -> n.getBytes(StandardCharsets.UTF_8)).toArray(byte[][]::new);
    this.types = types.toArray(PgType[]::new);
    modifiers = new Expr[this.types.length];
    for (int i = 0; i < modifiers.length; i++) {
      PgType type = this.types[i];
      if (type.isConstrained()) {
        throw GaussException.notSupported(
            "domain %s in a column of %s".formatted(type.displayName(), name));
      }
      modifiers[i] =
          type.typmod() < 0
              ? null
              : CastRegistry.coerce(
                  new ColumnExpr(0, type.withTypmod(-1)), type, CastContext.ASSIGNMENT);
    }
  }

  private GaussException invalid(String message) {
    return new GaussException(SqlState.INVALID_PARAMETER_VALUE, message);
  }

  @Override
  public Rows open(ExecContext ctx, Value[] arguments) {
    Value json = null;
    if (!arguments[0].isNull) {
      json = text(arguments[0]);
    } else if (set) {
      return (out, maxRows) -> false;
    }
    if (json != null && json.len > 1 << 20) {
      ctx.eval.longWork.run();
    }
    if (!set) {
      JsonChildren object = json == null ? null : JsonChildren.of(json);
      if (object != null && !object.isObject()) {
        // The name is that of the function that does it in PostgreSQL.
        String on = object.isArray() ? " on an array" : " on a scalar";
        throw invalid("cannot call populate_composite" + on);
      }
      return new Objects(ctx, null, object, otherwise(arguments));
    }
    JsonChildren array = JsonChildren.of(json);
    if (!array.isArray()) {
      String on = binary ? " on a non-array" : array.isObject() ? " on an object" : " on a scalar";
      throw invalid("cannot call " + name + on);
    }
    return new Objects(ctx, array, null, otherwise(arguments));
  }

  /** The columns' values in objects that have none; null = NULL. */
  private static Value[] otherwise(Value[] arguments) {
    if (arguments.length == 1) {
      return null;
    }
    Value[] values = new Value[arguments.length - 1];
    for (int i = 0; i < values.length; i++) {
      values[i] = new Value();
      Values.copy(arguments[i + 1], values[i], null);
    }
    return values;
  }

  private Value text(Value argument) {
    Value json = new Value();
    if (binary) {
      ByteSink text = new ByteSink(argument.len, ByteSink.LARGEST_VALUE);
      JsonbText.write(new JsonbView(argument), text);
      json.setBytes(text.array, 0, text.length);
    } else {
      Values.copy(argument, json, null);
    }
    return json;
  }

  private final class Objects implements Rows {
    private final ExecContext ctx;
    private final JsonChildren array;
    private final JsonChildren only;
    private final Value[] otherwise;
    private final RowBatch[] cells = new RowBatch[types.length];
    private final Value part = new Value();
    private final Value value = new Value();
    private int at;

    Objects(ExecContext ctx, JsonChildren array, JsonChildren only, Value[] otherwise) {
      this.ctx = ctx;
      this.otherwise = otherwise;
      this.array = array;
      this.only = only;
      for (int i = 0; i < cells.length; i++) {
        PgType[] one = {types[i]};
        cells[i] = modifiers[i] == null ? null : io.gauss.compute.sql.exec.row.Rows.batch(one);
      }
    }

    @Override
    public boolean next(RowBatch out, int maxRows) {
      int count = array == null ? 1 : array.count();
      int row = 0;
      for (; row < maxRows && at < count; row++, at++) {
        fill(array == null ? only : element(at), out, row);
      }
      out.size = row;
      return row > 0;
    }

    private JsonChildren element(int index) {
      array.get(index, part);
      JsonToken token = JsonParser.first(part.bytes, part.off, part.len);
      if (token != JsonToken.OBJECT_START) {
        throw invalid("argument of " + name + " must be an array of objects");
      }
      return JsonChildren.of(part);
    }

    private void fill(JsonChildren object, RowBatch out, int row) {
      for (int i = 0; i < types.length; i++) {
        int field = object == null ? -1 : object.find(names[i], 0, names[i].length);
        if (field < 0) {
          if (otherwise == null) {
            out.columns[i].setNull(row);
          } else {
            set(out, i, row, otherwise[i]);
          }
          continue;
        }
        object.get(field, part);
        convert(part, types[i], names[i], value);
        if (modifiers[i] != null && !value.isNull) {
          cells[i].columns[0].set(0, value);
          modifiers[i].eval(ctx.eval, cells[i], 0, value);
        }
        set(out, i, row, value);
      }
    }

    private void set(RowBatch out, int column, int row, Value to) {
      out.columns[column].set(row, to);
      if (!to.isNull && to.len > 1 << 20) {
        out.checkSize();
      }
    }

    /** Reads JSON as a value of a type, without its modifier. */
    private void convert(Value json, PgType type, byte[] field, Value to) {
      JsonToken token = JsonParser.first(json.bytes, json.off, json.len);
      if (token == JsonToken.NULL) {
        to.setNull();
        return;
      }
      boolean elements = type.isArray() && !type.isVector() && token != JsonToken.STRING;
      if (elements) {
        array(json, token, type, field, to);
        return;
      }
      Value text = new Value();
      text.set(json);
      if (!type.isJson()) {
        JsonChildren.asText(token, text);
      }
      TypeCodec.of(type).readText(text.bytes, text.off, text.len, ctx.eval, to);
    }

    private void array(Value json, JsonToken token, PgType type, byte[] field, Value to) {
      if (token != JsonToken.ARRAY_START) {
        throw new GaussException(SqlState.INVALID_TEXT_REPRESENTATION, "expected JSON array")
            .hint(
                "See the value of key \"%s\"."
                    .formatted(new String(field, StandardCharsets.UTF_8)));
      }
      JsonChildren items = JsonChildren.of(json);
      PgType element = type.element();
      ArrayBuilder builder = new ArrayBuilder(element);
      Value item = new Value();
      Value read = new Value();
      for (int i = 0; i < items.count(); i++) {
        items.get(i, item);
        if (JsonParser.first(item.bytes, item.off, item.len) == JsonToken.ARRAY_START
            && !element.isJson()) {
          throw GaussException.notSupported("an array of more than one dimension");
        }
        convert(item, element, field, read);
        builder.add(TypeCodec.of(element), read);
      }
      builder.finish(to);
    }
  }
}
