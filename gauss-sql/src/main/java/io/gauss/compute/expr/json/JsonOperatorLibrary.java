package io.gauss.compute.expr.json;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.call.Define;
import io.gauss.compute.expr.call.FunctionDef.Fn2;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.FunctionRegistry.Builder;
import io.gauss.compute.expr.json.JsonbPathEdit.Change;
import io.gauss.compute.type.ArrayReader;
import io.gauss.compute.type.JsonbBuilder;
import io.gauss.compute.type.JsonbKind;
import io.gauss.compute.type.JsonbView;
import io.gauss.compute.type.Value;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Operators of json and jsonb, and the functions that do the same. */
public final class JsonOperatorLibrary implements FunctionRegistry.Library {
  private static final String SUBSCRIPT = "[]";
  private static final String ASSIGNMENT = "[]=";

  @Override
  public void register(Builder to) {
    Define define = new Define(to);
    for (boolean asText : new boolean[] {false, true}) {
      partsOfJson(define, asText);
      partsOfJsonb(define, asText);
    }
    subscripts(define);
    containment(define);
    changes(define);
  }

  // ------------------------------------------------------------------ parts

  private static void partsOfJson(Define define, boolean asText) {
    String result = asText ? "text" : "json";
    String suffix = asText ? "_text" : "";
    String arrow = asText ? "->>" : "->";
    define.both(
        "json_object_field" + suffix,
        arrow,
        "(json, text) " + result,
        (Fn2)
            (ctx, a, b, out) -> {
              checkLength(ctx, a);
              JsonParts.field(a, b, asText, out);
            });
    define.both(
        "json_array_element" + suffix,
        arrow,
        "(json, int4) " + result,
        (Fn2)
            (ctx, a, b, out) -> {
              checkLength(ctx, a);
              JsonParts.element(a, b.l, asText, out);
            });
    define.op(
        (asText ? "#>>" : "#>") + "(json, _text) " + result,
        (ctx, a, b, out) -> {
          checkLength(ctx, a);
          Value[] path = JsonParts.path(b);
          if (path == null) {
            out.setNull();
          } else {
            JsonParts.path(a, path, asText, out);
          }
        });
    define.fnN(
        "json_extract_path" + suffix + "(json, text) " + result + " variadic",
        (ctx, arguments, out) -> {
          checkLength(ctx, arguments[0]);
          JsonParts.path(arguments[0], rest(arguments), asText, out);
        });
  }

  /** What reads or writes a value as a whole takes long with a long one. */
  static void checkLength(EvalContext ctx, Value json) {
    if (!json.isNull && json.len > 1 << 20) {
      ctx.longWork.run();
    }
  }

  private static Value[] rest(Value[] arguments) {
    return Arrays.copyOfRange(arguments, 1, arguments.length);
  }

  private static void partsOfJsonb(Define define, boolean asText) {
    String result = asText ? "text" : "jsonb";
    String suffix = asText ? "_text" : "";
    String arrow = asText ? "->>" : "->";
    define.both(
        "jsonb_object_field" + suffix,
        arrow,
        "(jsonb, text) " + result,
        (Fn2)
            (ctx, a, b, out) -> {
              JsonbView view = new JsonbView(a);
              JsonParts.result(ctx, view, JsonParts.toField(view, b), asText, out);
            });
    define.both(
        "jsonb_array_element" + suffix,
        arrow,
        "(jsonb, int4) " + result,
        (Fn2)
            (ctx, a, b, out) -> {
              JsonbView view = new JsonbView(a);
              JsonParts.result(ctx, view, JsonParts.toElement(view, b.l), asText, out);
            });
    define.op(
        (asText ? "#>>" : "#>") + "(jsonb, _text) " + result,
        (ctx, a, b, out) -> {
          Value[] path = JsonParts.path(b);
          if (path == null) {
            out.setNull();
            return;
          }
          JsonbView view = new JsonbView(a);
          JsonParts.result(ctx, view, JsonParts.toPath(view, path), asText, out);
        });
    define.fnN(
        "jsonb_extract_path" + suffix + "(jsonb, text) " + result + " variadic",
        (ctx, arguments, out) -> {
          JsonbView view = new JsonbView(arguments[0]);
          boolean found = JsonParts.toPath(view, rest(arguments));
          JsonParts.result(ctx, view, found, asText, out);
        });
  }

  // ------------------------------------------------------------------ subscripts

  private static Value text(long number) {
    byte[] bytes = Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    Value value = new Value();
    value.setBytes(bytes, 0, bytes.length);
    return value;
  }

  /** {@code j['name']} and {@code j[0]}: a step of a path, whichever way it is written. */
  private static void subscripts(Define define) {
    define.fn(
        SUBSCRIPT + "(jsonb, text) jsonb",
        (ctx, a, b, out) -> {
          JsonbView view = new JsonbView(a);
          JsonParts.result(ctx, view, JsonParts.toPath(view, b), false, out);
        });
    define.fn(
        SUBSCRIPT + "(jsonb, int4) jsonb",
        (ctx, a, b, out) -> {
          JsonbView view = new JsonbView(a);
          JsonParts.result(ctx, view, JsonParts.toPath(view, text(b.l)), false, out);
        });
    define.fnN(
        ASSIGNMENT + "(jsonb, _text, bool, jsonb) jsonb nulls",
        (ctx, v, out) -> {
          checkLength(ctx, v[0]);
          assign(v[0], JsonParts.withNulls(v[1]), v[2].l != 0, v[3], out);
        });
  }

  /**
   * @param isIndex whether the first step is an index, so that NULL becomes an array
   */
  private static void assign(
      Value jsonb, Value[] steps, boolean isIndex, Value newValue, Value out) {
    if (Arrays.stream(steps).anyMatch(step -> step.isNull)) {
      throw new GaussException(
          SqlState.NULL_VALUE_NOT_ALLOWED, "jsonb subscript in assignment must not be null");
    }
    JsonbBuilder empty = new JsonbBuilder();
    Value before = jsonb;
    if (jsonb.isNull) {
      JsonbPathEdit.putEmpty(isIndex, empty);
      before = new Value();
      empty.finish(before);
    }
    JsonbBuilder result = new JsonbBuilder(before.len + newValueLength(newValue));
    new JsonbPathEdit(steps, orNull(newValue), Change.ASSIGN, result).apply(new JsonbView(before));
    result.finish(out);
  }

  private static int newValueLength(Value newValue) {
    return newValue.isNull ? 1 : newValue.len;
  }

  /** The JSON value null for NULL. */
  static Value orNull(Value jsonb) {
    if (!jsonb.isNull) {
      return jsonb;
    }
    JsonbBuilder builder = new JsonbBuilder();
    builder.nothing();
    Value result = new Value();
    builder.finish(result);
    return result;
  }

  // ------------------------------------------------------------------ containment

  private static void containment(Define define) {
    define.both(
        "jsonb_contains",
        "@>",
        "(jsonb, jsonb) bool",
        (Fn2)
            (ctx, a, b, out) -> out.setBoolean(new JsonbContainment(ctx.longWork).contains(a, b)));
    define.both(
        "jsonb_contained",
        "<@",
        "(jsonb, jsonb) bool",
        (Fn2)
            (ctx, a, b, out) -> out.setBoolean(new JsonbContainment(ctx.longWork).contains(b, a)));
    define.both(
        "jsonb_exists",
        "?",
        "(jsonb, text) bool",
        (Fn2)
            (ctx, a, b, out) ->
                out.setBoolean(new JsonbContainment(ctx.longWork).exists(new JsonbView(a), b)));
    define.both(
        "jsonb_exists_any",
        "?|",
        "(jsonb, _text) bool",
        (Fn2) (ctx, a, b, out) -> out.setBoolean(exists(ctx, a, b, true)));
    define.both(
        "jsonb_exists_all",
        "?&",
        "(jsonb, _text) bool",
        (Fn2) (ctx, a, b, out) -> out.setBoolean(!exists(ctx, a, b, false)));
  }

  /** Whether one of the texts exists, or one does not; NULLs do not count. */
  private static boolean exists(EvalContext ctx, Value jsonb, Value texts, boolean wanted) {
    JsonbContainment containment = new JsonbContainment(ctx.longWork);
    JsonbView view = new JsonbView(jsonb);
    for (Value text : JsonParts.withNulls(texts)) {
      if (!text.isNull && containment.exists(view, text) == wanted) {
        return true;
      }
    }
    return false;
  }

  // ------------------------------------------------------------------ changes

  private static void changes(Define define) {
    define.both(
        "jsonb_concat",
        "||",
        "(jsonb, jsonb) jsonb",
        (Fn2)
            (ctx, a, b, out) -> {
              checkLength(ctx, a);
              checkLength(ctx, b);
              concat(new JsonbView(a), new JsonbView(b), out);
            });
    define.both(
        "jsonb_delete",
        "-",
        "(jsonb, text) jsonb",
        (Fn2) (ctx, a, b, out) -> delete(ctx, a, new Value[] {b}, out));
    define.both(
        "jsonb_delete",
        "-",
        "(jsonb, _text) jsonb",
        (Fn2) (ctx, a, b, out) -> delete(ctx, a, JsonParts.withNulls(b), out));
    define.both(
        "jsonb_delete",
        "-",
        "(jsonb, int4) jsonb",
        (Fn2)
            (ctx, a, b, out) -> {
              checkLength(ctx, a);
              deleteElement(a, b.l, out);
            });
    define.both(
        "jsonb_delete_path",
        "#-",
        "(jsonb, _text) jsonb",
        (Fn2)
            (ctx, a, b, out) -> {
              checkLength(ctx, a);
              deletePath(a, b, out);
            });
  }

  private static boolean isEmptyContainer(JsonbView view) {
    return view.kind().isContainer() && view.count() == 0;
  }

  private static void concat(JsonbView a, JsonbView b, Value out) {
    boolean bothObjects = a.kind() == JsonbKind.OBJECT && b.kind() == JsonbKind.OBJECT;
    boolean noObject = a.kind() != JsonbKind.OBJECT && b.kind() != JsonbKind.OBJECT;
    if (bothObjects || noObject) {
      if (isEmptyContainer(a) && b.kind().isContainer()) {
        b.get(out);
        return;
      }
      if (isEmptyContainer(b) && a.kind().isContainer()) {
        a.get(out);
        return;
      }
    }
    JsonbBuilder result = new JsonbBuilder(a.length() + b.length() + 8);
    if (bothObjects) {
      result.objectStart();
      addFields(a, result);
      addFields(b, result);
      result.objectEnd();
    } else {
      result.arrayStart();
      addElements(a, result);
      addElements(b, result);
      result.arrayEnd();
    }
    result.finish(out);
  }

  private static void addFields(JsonbView object, JsonbBuilder to) {
    JsonbView inner = new JsonbView();
    for (int i = 0; i < object.count(); i++) {
      to.name(object.bytes(), object.nameOffset(i), object.nameLength(i));
      object.fieldValue(i, inner);
      to.node(inner);
    }
  }

  /** The elements of an array; other values as one. */
  private static void addElements(JsonbView view, JsonbBuilder to) {
    if (view.kind() != JsonbKind.ARRAY) {
      to.node(view);
      return;
    }
    JsonbView inner = new JsonbView();
    for (int i = 0; i < view.count(); i++) {
      view.element(i, inner);
      to.node(inner);
    }
  }

  private static GaussException invalid(String message) {
    return new GaussException(SqlState.INVALID_PARAMETER_VALUE, message);
  }

  /** Leaves out the fields of some names, and the elements that are such strings. */
  private static void delete(EvalContext ctx, Value jsonb, Value[] names, Value out) {
    checkLength(ctx, jsonb);
    JsonbView view = new JsonbView(jsonb);
    if (!view.kind().isContainer()) {
      throw invalid("cannot delete from scalar");
    }
    JsonbBuilder result = new JsonbBuilder(jsonb.len);
    JsonbView inner = new JsonbView();
    long compared = 0;
    if (view.kind() == JsonbKind.OBJECT) {
      boolean[] left = new boolean[view.count()];
      for (Value name : names) {
        int at = name.isNull ? -1 : view.find(name.bytes, name.off, name.len);
        if (at >= 0) {
          left[at] = true;
        }
      }
      result.objectStart();
      for (int i = 0; i < view.count(); i++) {
        if (!left[i]) {
          result.name(view.bytes(), view.nameOffset(i), view.nameLength(i));
          view.fieldValue(i, inner);
          result.node(inner);
        }
      }
      result.objectEnd();
    } else {
      result.arrayStart();
      for (int i = 0; i < view.count(); i++) {
        view.element(i, inner);
        compared += names.length;
        if (compared > 1 << 18) {
          compared = 0;
          ctx.longWork.run();
        }
        if (!isOneOf(inner, names)) {
          result.node(inner);
        }
      }
      result.arrayEnd();
    }
    result.finish(out);
  }

  private static boolean isOneOf(JsonbView node, Value[] names) {
    for (Value name : names) {
      if (!name.isNull && JsonbContainment.isString(node, name)) {
        return true;
      }
    }
    return false;
  }

  private static void deleteElement(Value jsonb, long index, Value out) {
    JsonbView view = new JsonbView(jsonb);
    if (!view.kind().isContainer()) {
      throw invalid("cannot delete from scalar");
    }
    if (view.kind() == JsonbKind.OBJECT) {
      throw invalid("cannot delete from object using integer index");
    }
    int at = JsonParts.index(index, view.count());
    if (at < 0) {
      out.set(jsonb);
      return;
    }
    JsonbBuilder result = new JsonbBuilder(jsonb.len);
    JsonbView inner = new JsonbView();
    result.arrayStart();
    for (int i = 0; i < view.count(); i++) {
      if (i != at) {
        view.element(i, inner);
        result.node(inner);
      }
    }
    result.arrayEnd();
    result.finish(out);
  }

  static void deletePath(Value jsonb, Value path, Value out) {
    JsonbView view = new JsonbView(jsonb);
    if (!view.kind().isContainer()) {
      throw invalid("cannot delete path in scalar");
    }
    if (view.count() == 0 || new ArrayReader(path).size() == 0) {
      out.set(jsonb);
      return;
    }
    JsonbBuilder result = new JsonbBuilder(jsonb.len);
    new JsonbPathEdit(JsonParts.withNulls(path), null, Change.DELETE, result).apply(view);
    result.finish(out);
  }
}
