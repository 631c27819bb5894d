package io.gauss.compute.expr.json;

import io.gauss.compute.type.JsonHandler;
import io.gauss.compute.type.JsonParser;
import io.gauss.compute.type.JsonToken;
import io.gauss.compute.type.Value;
import java.util.Arrays;

/**
 * Finds one element or field of a JSON text, of several fields of a name the last one. The whole
 * text is read, as in PostgreSQL, but only one place is remembered. One use, one thread.
 */
final class JsonSearch implements JsonHandler {
  private static final int NOWHERE = -1;

  /** Null for an element. */
  private final Value name;

  private final int index;
  private int depth;
  private int elements;
  private JsonToken root;

  /** Whether the part that is being read is what was looked for. */
  private boolean isWanted;

  private int start = NOWHERE;
  private int end;
  private JsonToken token;

  private JsonSearch(Value name, int index) {
    this.name = name;
    this.index = index;
  }

  /** Finds the field of a name; a text that is no object has none. */
  static JsonSearch field(Value json, Value name) {
    return read(json, new JsonSearch(name, NOWHERE));
  }

  /** Finds an element, counted from 0; a text that is no array has none. */
  static JsonSearch element(Value json, int index) {
    return read(json, new JsonSearch(null, index));
  }

  private static JsonSearch read(Value json, JsonSearch search) {
    JsonParser.parse(json.bytes, json.off, json.len, true, search);
    return search;
  }

  @Override
  public void start(int position, JsonToken first) {
    depth++;
    if (depth == 1) {
      root = first;
    }
    if (depth != 2) {
      return;
    }
    if (root == JsonToken.ARRAY_START) {
      isWanted = name == null && elements++ == index;
    }
    if (isWanted) {
      start = position;
      token = first;
    }
  }

  @Override
  public void end(int position) {
    if (depth == 2 && isWanted) {
      end = position;
      isWanted = false;
    }
    depth--;
  }

  @Override
  public void name(byte[] bytes, int offset, int length) {
    if (depth == 1) {
      isWanted =
          name != null
              && Arrays.equals(
                  bytes, offset, offset + length, name.bytes, name.off, name.off + name.len);
    }
  }

  boolean found() {
    return start != NOWHERE;
  }

  /** The part that was found, of the text's bytes. */
  void get(byte[] bytes, Value out) {
    out.setBytes(bytes, start, end - start);
  }

  /** What the part begins with. */
  JsonToken token() {
    return token;
  }
}
