package io.gauss.compute.expr.json;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.expr.Volatility;
import io.gauss.compute.expr.call.Calls;
import io.gauss.compute.expr.call.Define;
import io.gauss.compute.expr.call.FunctionDef;
import io.gauss.compute.expr.call.FunctionDef.FnN;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.FunctionRegistry.Builder;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.JsonText;
import io.gauss.compute.type.JsonbBuilder;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.PgTypes;
import io.gauss.compute.type.Value;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;

/** Functions that make json and jsonb of values of any type. */
public final class JsonBuildLibrary implements FunctionRegistry.Library {
  @Override
  public void register(Builder to) {
    Define define = new Define(to);
    anyType(define);
    rows(define);
    objects(define);
    arrays(define);
    ofTexts(define);
  }

  private static void add(Define define, String signature, Function<JsonForm[], FnN> body) {
    define.add(signature, false, (f, args) -> new Calls.CallN(f, args, body.apply(forms(args))));
  }

  private static JsonForm[] forms(Expr[] arguments) {
    PgType[] types = new PgType[arguments.length];
    for (int i = 0; i < types.length; i++) {
      types[i] = arguments[i].type();
    }
    return JsonForm.of(types);
  }

  static ByteSink text() {
    return new ByteSink(64, ByteSink.LARGEST_VALUE);
  }

  private static void anyType(Define define) {
    add(
        define,
        "to_json(anyelement) json stable",
        forms ->
            (ctx, v, out) -> {
              ByteSink text = text();
              forms[0].put(ctx, v[0], text);
              ctx.copyTo(text, out);
            });
    add(
        define,
        "to_jsonb(anyelement) jsonb stable",
        forms ->
            (ctx, v, out) -> {
              JsonbBuilder builder = new JsonbBuilder();
              forms[0].add(ctx, v[0], builder);
              builder.finish(out);
            });
    for (PgType array : PgTypes.arrays()) {
      ofArray(define, array);
    }
  }

  @Override
  public void registerEnum(Builder to, PgType type) {
    ofArray(new Define(to), type.array());
  }

  private static void ofArray(Define define, PgType array) {
    JsonForm form = JsonForm.of(array);
    define.fn(
        "array_to_json(" + define.name(array) + ") json stable",
        (ctx, a, out) -> array(ctx, form, a, false, out));
    define.fn(
        "array_to_json(" + define.name(array) + ", bool) json stable",
        (ctx, a, b, out) -> array(ctx, form, a, b.l != 0, out));
  }

  private static void array(
      EvalContext ctx, JsonForm form, Value array, boolean pretty, Value out) {
    ByteSink text = text();
    form.putArray(ctx, array, pretty, text);
    ctx.copyTo(text, out);
  }

  private static void rows(Define define) {
    define.fn("row_to_json(record) json stable", (ctx, a, out) -> out.set(a));
    define.fn(
        "row_to_json(record, bool) json stable",
        (ctx, a, b, out) -> {
          if (b.l == 0) {
            out.set(a);
          } else {
            ByteSink text = text();
            putLines(a, text);
            ctx.copyTo(text, out);
          }
        });
  }

  /** A row's object with a line for each field. */
  private static void putLines(Value row, ByteSink out) {
    JsonChildren fields = JsonChildren.ofWritten(row);
    Value part = new Value();
    out.putByte('{');
    for (int i = 0; i < fields.count(); i++) {
      if (i > 0) {
        out.putString(",\n ");
      }
      fields.name(i, part);
      out.putByte('"');
      out.putBytes(part.bytes, part.off, part.len);
      out.putString("\":");
      fields.get(i, part);
      out.putBytes(part.bytes, part.off, part.len);
    }
    out.putByte('}');
  }

  /** The function that makes a row of its fields. */
  public static FunctionDef row(List<String> names, List<PgType> types) {
    ByteSink[] labels = new ByteSink[names.size()];
    for (int i = 0; i < labels.length; i++) {
      byte[] name = names.get(i).getBytes(StandardCharsets.UTF_8);
      labels[i] = new ByteSink(name.length + 4);
      labels[i].putByte(i == 0 ? '{' : ',');
      JsonText.putString(name, 0, name.length, labels[i]);
      labels[i].putByte(':');
    }
    JsonForm[] forms = JsonForm.of(types.toArray(PgType[]::new));
    FnN body =
        (ctx, v, out) -> {
          ByteSink text = text();
          if (v.length == 0) {
            text.putByte('{');
          }
          for (int i = 0; i < v.length; i++) {
            text.putBytes(labels[i].array, 0, labels[i].length);
            forms[i].put(ctx, v[i], text);
          }
          text.putByte('}');
          ctx.copyTo(text, out);
        };
    return new FunctionDef(
        "row" + names,
        false,
        List.copyOf(types),
        false,
        PgType.RECORD,
        Volatility.STABLE,
        false,
        (f, args) -> new Calls.CallN(f, args, body));
  }

  // ------------------------------------------------------------------ objects and arrays

  private static void objects(Define define) {
    for (String arguments : new String[] {"() json stable", "(any) json stable nulls variadic"}) {
      add(define, "json_build_object" + arguments, JsonBuildLibrary::jsonObject);
    }
    for (String arguments : new String[] {"() jsonb stable", "(any) jsonb stable nulls variadic"}) {
      add(define, "jsonb_build_object" + arguments, JsonBuildLibrary::jsonbObject);
    }
  }

  private static GaussException invalid(String message) {
    return new GaussException(SqlState.INVALID_PARAMETER_VALUE, message);
  }

  private static void requirePairs(Value[] arguments, String function) {
    if (arguments.length % 2 != 0) {
      throw invalid("argument list must have even number of elements")
          .hint(
              "The arguments of %s() must consist of alternating keys and values."
                  .formatted(function));
    }
  }

  private static FnN jsonObject(JsonForm[] forms) {
    return (ctx, v, out) -> {
      requirePairs(v, "json_build_object");
      ByteSink text = text();
      text.putByte('{');
      for (int i = 0; i < v.length; i += 2) {
        if (v[i].isNull) {
          throw invalid("argument %d cannot be null".formatted(i + 1))
              .hint("Object keys should be text.");
        }
        if (i > 0) {
          text.putString(", ");
        }
        forms[i].putName(ctx, v[i], text);
        text.putString(" : ");
        forms[i + 1].put(ctx, v[i + 1], text);
      }
      text.putByte('}');
      ctx.copyTo(text, out);
    };
  }

  private static FnN jsonbObject(JsonForm[] forms) {
    return (ctx, v, out) -> {
      requirePairs(v, "jsonb_build_object");
      JsonbBuilder builder = new JsonbBuilder();
      builder.objectStart();
      for (int i = 0; i < v.length; i += 2) {
        if (v[i].isNull) {
          throw invalid("argument %d: key must not be null".formatted(i + 1));
        }
        forms[i].addName(ctx, v[i], builder);
        forms[i + 1].add(ctx, v[i + 1], builder);
      }
      builder.objectEnd();
      builder.finish(out);
    };
  }

  private static void arrays(Define define) {
    for (String arguments : new String[] {"() json stable", "(any) json stable nulls variadic"}) {
      add(define, "json_build_array" + arguments, JsonBuildLibrary::jsonArray);
    }
    for (String arguments : new String[] {"() jsonb stable", "(any) jsonb stable nulls variadic"}) {
      add(define, "jsonb_build_array" + arguments, JsonBuildLibrary::jsonbArray);
    }
  }

  private static FnN jsonArray(JsonForm[] forms) {
    return (ctx, v, out) -> {
      ByteSink text = text();
      text.putByte('[');
      for (int i = 0; i < v.length; i++) {
        if (i > 0) {
          text.putString(", ");
        }
        forms[i].put(ctx, v[i], text);
      }
      text.putByte(']');
      ctx.copyTo(text, out);
    };
  }

  private static FnN jsonbArray(JsonForm[] forms) {
    return (ctx, v, out) -> {
      JsonbBuilder builder = new JsonbBuilder();
      builder.arrayStart();
      for (int i = 0; i < v.length; i++) {
        forms[i].add(ctx, v[i], builder);
      }
      builder.arrayEnd();
      builder.finish(out);
    };
  }

  // ------------------------------------------------------------------ objects of texts

  private static void ofTexts(Define define) {
    define.fn(
        "json_object(_text) json",
        (ctx, a, out) -> {
          Value[] pairs = pairs(a);
          jsonOfTexts(ctx, pairs, out);
        });
    define.fn(
        "json_object(_text, _text) json", (ctx, a, b, out) -> jsonOfTexts(ctx, pairs(a, b), out));
    define.fn("jsonb_object(_text) jsonb", (ctx, a, out) -> jsonbOfTexts(pairs(a), out));
    define.fn(
        "jsonb_object(_text, _text) jsonb", (ctx, a, b, out) -> jsonbOfTexts(pairs(a, b), out));
  }

  private static Value[] pairs(Value array) {
    Value[] pairs = JsonParts.withNulls(array);
    if (pairs.length % 2 != 0) {
      throw new GaussException(
          SqlState.ARRAY_SUBSCRIPT_ERROR, "array must have even number of elements");
    }
    return pairs;
  }

  private static Value[] pairs(Value names, Value values) {
    Value[] left = JsonParts.withNulls(names);
    Value[] right = JsonParts.withNulls(values);
    if (left.length != right.length) {
      throw new GaussException(SqlState.ARRAY_SUBSCRIPT_ERROR, "mismatched array dimensions");
    }
    Value[] pairs = new Value[2 * left.length];
    for (int i = 0; i < left.length; i++) {
      pairs[2 * i] = left[i];
      pairs[2 * i + 1] = right[i];
    }
    return pairs;
  }

  private static void requireName(Value name) {
    if (name.isNull) {
      throw new GaussException(
          SqlState.NULL_VALUE_NOT_ALLOWED, "null value not allowed for object key");
    }
  }

  private static void jsonOfTexts(EvalContext ctx, Value[] pairs, Value out) {
    JsonForm form = JsonForm.of(PgType.TEXT);
    ByteSink text = text();
    text.putByte('{');
    for (int i = 0; i < pairs.length; i += 2) {
      requireName(pairs[i]);
      if (i > 0) {
        text.putString(", ");
      }
      form.put(ctx, pairs[i], text);
      text.putString(" : ");
      form.put(ctx, pairs[i + 1], text);
    }
    text.putByte('}');
    ctx.copyTo(text, out);
  }

  private static void jsonbOfTexts(Value[] pairs, Value out) {
    JsonbBuilder builder = new JsonbBuilder();
    builder.objectStart();
    for (int i = 0; i < pairs.length; i += 2) {
      requireName(pairs[i]);
      builder.name(pairs[i].bytes, pairs[i].off, pairs[i].len);
      if (pairs[i + 1].isNull) {
        builder.nothing();
      } else {
        builder.string(pairs[i + 1].bytes, pairs[i + 1].off, pairs[i + 1].len);
      }
    }
    builder.objectEnd();
    builder.finish(out);
  }
}
