package io.gauss.compute.expr.json;

import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.type.ArrayReader;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.JsonParser;
import io.gauss.compute.type.JsonToken;
import io.gauss.compute.type.JsonbKind;
import io.gauss.compute.type.JsonbText;
import io.gauss.compute.type.JsonbView;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.Value;

/**
 * Parts of json and jsonb values: by name, by index, by path. What is not there is NULL. All
 * methods leave a part that shares the value's bytes.
 */
final class JsonParts {
  private static final int DECIMAL = 10;

  private JsonParts() {}

  // ------------------------------------------------------------------ json

  static void field(Value json, Value name, boolean asText, Value out) {
    take(json, JsonSearch.field(json, name), asText, out);
  }

  static void element(Value json, long index, boolean asText, Value out) {
    take(json, search(json, index), asText, out);
  }

  /** Negative indexes count from the end. */
  private static JsonSearch search(Value json, long index) {
    boolean isArray = JsonParser.first(json.bytes, json.off, json.len) == JsonToken.ARRAY_START;
    long at = index < 0 && isArray ? index + ElementCount.of(json) : index;
    return JsonSearch.element(json, (int) at);
  }

  private static void take(Value json, JsonSearch search, boolean asText, Value out) {
    if (!search.found()) {
      out.setNull();
      return;
    }
    search.get(json.bytes, out);
    if (asText) {
      JsonChildren.asText(search.token(), out);
    }
  }

  /** The index from 0, or -1 when there is none; negative ones count from the end. */
  static int index(long index, int count) {
    long at = index < 0 ? index + count : index;
    return at < 0 || at >= count ? -1 : (int) at;
  }

  /** {@code json #> path} and {@code #>>}. */
  static void path(Value json, Value[] path, boolean asText, Value out) {
    JsonPathSearch search = JsonPathSearch.of(json, path);
    if (!search.found()) {
      out.setNull();
      return;
    }
    search.get(out);
    JsonToken token = search.token();
    if (asText) {
      JsonChildren.asText(token, out);
    }
    boolean isScalar = token != JsonToken.OBJECT_START && token != JsonToken.ARRAY_START;
    if (path.length == 0 && isScalar && !(asText && token == JsonToken.STRING) && !out.isNull) {
      // As in PostgreSQL, which takes the text up to its end.
      out.setBytes(json.bytes, json.off, out.off + out.len - json.off);
    }
  }

  /** An index written as text; -1 when it is none, or out of range. */
  private static int indexOf(Value text, int count) {
    Integer number = integer(text);
    return number == null ? -1 : index(number, count);
  }

  /** As strtoint reads it: blanks and a sign may stand before it; null when it is no integer. */
  static Integer integer(Value text) {
    int p = text.off;
    int end = text.off + text.len;
    while (p < end && (text.bytes[p] == ' ' || (text.bytes[p] >= '\t' && text.bytes[p] <= '\r'))) {
      p++;
    }
    boolean negative = p < end && text.bytes[p] == '-';
    if (p < end && (text.bytes[p] == '-' || text.bytes[p] == '+')) {
      p++;
    }
    if (p == end) {
      return null;
    }
    long number = 0;
    for (; p < end; p++) {
      int digit = text.bytes[p] - '0';
      if (digit < 0 || digit >= DECIMAL) {
        return null;
      }
      number = number * DECIMAL + digit;
      if (number > Integer.MAX_VALUE + 1L) {
        return null;
      }
    }
    long signed = negative ? -number : number;
    return signed == (int) signed ? (int) signed : null;
  }

  /** The elements of a text array; null when one of them is NULL. */
  static Value[] path(Value array) {
    Value[] path = withNulls(array);
    for (Value item : path) {
      if (item.isNull) {
        return null;
      }
    }
    return path;
  }

  static Value[] withNulls(Value array) {
    ArrayReader reader = new ArrayReader(array);
    TypeCodec codec = TypeCodec.of(PgType.TEXT);
    Value[] items = new Value[reader.size()];
    for (int i = 0; i < items.length; i++) {
      items[i] = new Value();
      reader.next(codec, items[i]);
    }
    return items;
  }

  // ------------------------------------------------------------------ jsonb

  /** Moves to the field of a name; false when there is none. */
  static boolean toField(JsonbView view, Value name) {
    int at = view.kind() == JsonbKind.OBJECT ? view.find(name.bytes, name.off, name.len) : -1;
    if (at >= 0) {
      view.fieldValue(at, view);
    }
    return at >= 0;
  }

  /** Moves to an element; false when there is none. A scalar is, as in PostgreSQL, its own. */
  static boolean toElement(JsonbView view, long index) {
    if (!view.kind().isContainer()) {
      return index(index, 1) == 0;
    }
    int at = view.kind() == JsonbKind.ARRAY ? index(index, view.count()) : -1;
    if (at >= 0) {
      view.element(at, view);
    }
    return at >= 0;
  }

  /** Moves along a path, whose steps are names or written indexes; false when it leads nowhere. */
  static boolean toPath(JsonbView view, Value... path) {
    for (Value step : path) {
      boolean found;
      if (view.kind() == JsonbKind.ARRAY) {
        int at = indexOf(step, view.count());
        found = at >= 0 && toElement(view, at);
      } else {
        found = toField(view, step);
      }
      if (!found) {
        return false;
      }
    }
    return true;
  }

  /** The value that a view has been moved to. */
  static void result(EvalContext ctx, JsonbView view, boolean found, boolean asText, Value out) {
    if (!found) {
      out.setNull();
    } else if (asText) {
      text(ctx, view, out);
    } else {
      view.get(out);
    }
  }

  /** A node as text: a string's content, NULL for null, the text form of others. */
  static void text(EvalContext ctx, JsonbView view, Value out) {
    switch (view.kind()) {
      case NULL -> out.setNull();
      case STRING -> out.setBytes(view.bytes(), view.offset(), view.stringLength());
      default -> {
        ByteSink text = new ByteSink(64, ByteSink.LARGEST_VALUE);
        JsonbText.write(view, text);
        ctx.copyTo(text, out);
      }
    }
  }
}
