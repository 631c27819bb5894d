package io.gauss.compute.expr.json;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Texts;
import io.gauss.compute.expr.call.Define;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.FunctionRegistry.Builder;
import io.gauss.compute.expr.json.JsonbPathEdit.Change;
import io.gauss.compute.type.ArrayReader;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.JsonParser;
import io.gauss.compute.type.JsonToken;
import io.gauss.compute.type.JsonbBuilder;
import io.gauss.compute.type.JsonbKind;
import io.gauss.compute.type.JsonbText;
import io.gauss.compute.type.JsonbView;
import io.gauss.compute.type.Value;

/** Functions that look at json and jsonb values, and that change jsonb values. */
public final class JsonFunctionLibrary implements FunctionRegistry.Library {
  @Override
  public void register(Builder to) {
    Define define = new Define(to);
    kinds(define);
    lengths(define);
    nulls(define);
    paths(define);
    define.fn(
        "jsonb_pretty(jsonb) text",
        (ctx, a, out) -> {
          JsonOperatorLibrary.checkLength(ctx, a);
          ByteSink text = new ByteSink(a.len, ByteSink.LARGEST_VALUE);
          JsonbText.writePretty(new JsonbView(a), text);
          ctx.copyTo(text, out);
        });
  }

  private static GaussException invalid(String message) {
    return new GaussException(SqlState.INVALID_PARAMETER_VALUE, message);
  }

  private static void kinds(Define define) {
    define.fn(
        "json_typeof(json) text",
        (ctx, a, out) -> Texts.set(ctx, typeName(JsonParser.first(a.bytes, a.off, a.len)), out));
    define.fn(
        "jsonb_typeof(jsonb) text",
        (ctx, a, out) -> Texts.set(ctx, new JsonbView(a).kind().typeName(), out));
  }

  private static String typeName(JsonToken token) {
    return switch (token) {
      case OBJECT_START -> "object";
      case ARRAY_START -> "array";
      case STRING -> "string";
      case NUMBER -> "number";
      case TRUE, FALSE -> "boolean";
      default -> "null";
    };
  }

  private static void lengths(Define define) {
    define.fn(
        "json_array_length(json) int4",
        (ctx, a, out) -> {
          JsonOperatorLibrary.checkLength(ctx, a);
          JsonToken token = JsonParser.first(a.bytes, a.off, a.len);
          requireArray(token == JsonToken.ARRAY_START, token == JsonToken.OBJECT_START);
          out.setLong(ElementCount.of(a));
        });
    define.fn(
        "jsonb_array_length(jsonb) int4",
        (ctx, a, out) -> {
          JsonbView view = new JsonbView(a);
          requireArray(view.kind() == JsonbKind.ARRAY, view.kind() == JsonbKind.OBJECT);
          out.setLong(view.count());
        });
  }

  private static void requireArray(boolean isArray, boolean isObject) {
    if (!isArray) {
      throw invalid("cannot get array length of a " + (isObject ? "non-array" : "scalar"));
    }
  }

  private static void nulls(Define define) {
    define.fn(
        "json_strip_nulls(json) json",
        (ctx, a, out) -> {
          JsonOperatorLibrary.checkLength(ctx, a);
          ByteSink text = new ByteSink(a.len, ByteSink.LARGEST_VALUE);
          JsonParser.parse(a.bytes, a.off, a.len, true, new WithoutNulls(text));
          ctx.copyTo(text, out);
        });
    define.fn(
        "jsonb_strip_nulls(jsonb) jsonb",
        (ctx, a, out) -> {
          JsonOperatorLibrary.checkLength(ctx, a);
          JsonbView view = new JsonbView(a);
          if (!view.kind().isContainer()) {
            out.set(a);
            return;
          }
          JsonbBuilder result = new JsonbBuilder(a.len);
          withoutNulls(view, result);
          result.finish(out);
        });
  }

  private static void withoutNulls(JsonbView view, JsonbBuilder to) {
    JsonbView inner = new JsonbView();
    switch (view.kind()) {
      case OBJECT -> {
        to.objectStart();
        for (int i = 0; i < view.count(); i++) {
          view.fieldValue(i, inner);
          if (inner.kind() != JsonbKind.NULL) {
            to.name(view.bytes(), view.nameOffset(i), view.nameLength(i));
            withoutNulls(inner, to);
          }
        }
        to.objectEnd();
      }
      case ARRAY -> {
        to.arrayStart();
        for (int i = 0; i < view.count(); i++) {
          view.element(i, inner);
          withoutNulls(inner, to);
        }
        to.arrayEnd();
      }
      default -> to.node(view);
    }
  }

  // ------------------------------------------------------------------ paths

  private static void paths(Define define) {
    define.fn(
        "jsonb_set(jsonb, _text, jsonb) jsonb",
        (ctx, a, b, c, out) -> set(ctx, a, b, c, Change.CREATE, out));
    define.fnN(
        "jsonb_set(jsonb, _text, jsonb, bool) jsonb",
        (ctx, v, out) ->
            set(ctx, v[0], v[1], v[2], v[3].l != 0 ? Change.CREATE : Change.REPLACE, out));
    define.fn(
        "jsonb_insert(jsonb, _text, jsonb) jsonb",
        (ctx, a, b, c, out) -> set(ctx, a, b, c, Change.INSERT_BEFORE, out));
    define.fnN(
        "jsonb_insert(jsonb, _text, jsonb, bool) jsonb",
        (ctx, v, out) ->
            set(
                ctx,
                v[0],
                v[1],
                v[2],
                v[3].l != 0 ? Change.INSERT_AFTER : Change.INSERT_BEFORE,
                out));
    define.fnN(
        "jsonb_set_lax(jsonb, _text, jsonb) jsonb nulls",
        (ctx, v, out) -> setLax(ctx, v, true, "use_json_null", out));
    define.fnN(
        "jsonb_set_lax(jsonb, _text, jsonb, bool) jsonb nulls",
        (ctx, v, out) -> setLax(ctx, v, !v[3].isNull && v[3].l != 0, "use_json_null", out));
    define.fnN(
        "jsonb_set_lax(jsonb, _text, jsonb, bool, text) jsonb nulls",
        (ctx, v, out) ->
            setLax(ctx, v, !v[3].isNull && v[3].l != 0, v[4].isNull ? null : Texts.get(v[4]), out));
  }

  private static void set(
      EvalContext ctx, Value jsonb, Value path, Value newValue, Change change, Value out) {
    JsonOperatorLibrary.checkLength(ctx, jsonb);
    JsonOperatorLibrary.checkLength(ctx, newValue);
    JsonbView view = new JsonbView(jsonb);
    if (!view.kind().isContainer()) {
      throw invalid("cannot set path in scalar");
    }
    boolean nothing = view.count() == 0 && change == Change.REPLACE;
    if (nothing || new ArrayReader(path).size() == 0) {
      out.set(jsonb);
      return;
    }
    JsonbBuilder result = new JsonbBuilder(jsonb.len + newValue.len);
    new JsonbPathEdit(JsonParts.withNulls(path), newValue, change, result).apply(view);
    result.finish(out);
  }

  /**
   * @param treatment of a new value NULL; null = none was given
   */
  private static void setLax(
      EvalContext ctx, Value[] v, boolean create, String treatment, Value out) {
    boolean noCreate = v.length > 3 && v[3].isNull;
    if (v[0].isNull || v[1].isNull || noCreate) {
      out.setNull();
      return;
    }
    if (treatment == null) {
      throw wrongTreatment();
    }
    Change change = create ? Change.CREATE : Change.REPLACE;
    if (!v[2].isNull) {
      set(ctx, v[0], v[1], v[2], change, out);
      return;
    }
    switch (treatment) {
      case "raise_exception" ->
          throw new GaussException(SqlState.NULL_VALUE_NOT_ALLOWED, "JSON value must not be null")
              .detail("Exception was raised because null_value_treatment is \"raise_exception\".")
              .hint(
                  "To avoid, either change the null_value_treatment argument or ensure that an SQL"
                      + " NULL is not passed.");
      case "use_json_null" -> set(ctx, v[0], v[1], JsonOperatorLibrary.orNull(v[2]), change, out);
      case "delete_key" -> JsonOperatorLibrary.deletePath(v[0], v[1], out);
      case "return_target" -> out.set(v[0]);
      default -> throw wrongTreatment();
    }
  }

  private static GaussException wrongTreatment() {
    return invalid(
        "null_value_treatment must be \"delete_key\", \"return_target\", \"use_json_null\", or"
            + " \"raise_exception\"");
  }
}
