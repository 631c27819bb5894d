package io.gauss.compute.expr.json;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.JsonHandler;
import io.gauss.compute.type.JsonParser;
import io.gauss.compute.type.JsonToken;
import io.gauss.compute.type.Value;
import java.util.Arrays;

/**
 * The elements of a JSON text's array, or the fields of its object, as parts of the text. Immutable
 * once read; it refers to the text's bytes.
 */
public final class JsonChildren implements JsonHandler {
  private static final int OF_CHILD = 2;

  /** What is remembered of each. */
  private static final int BYTES_OF_CHILD = 13;

  private static final JsonToken[] TOKENS = JsonToken.values();

  private final byte[] bytes;
  private JsonToken root;
  private int depth;
  private int count;

  /** Start and end of each. */
  private int[] places = new int[16];

  private byte[] tokens = new byte[8];

  /** Names of an object's fields, one after the other, and where each ends. */
  private final ByteSink names = new ByteSink(64, ByteSink.LARGEST_VALUE);

  private int[] nameEnds = new int[8];

  private JsonChildren(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Reads a value of type json, whose bytes it keeps. */
  public static JsonChildren of(Value json) {
    return of(json.bytes, json.off, json.len, true);
  }

  /**
   * The same without a look at what escapes in strings stand for: names are as they are written.
   */
  public static JsonChildren ofWritten(Value json) {
    return of(json.bytes, json.off, json.len, false);
  }

  private static JsonChildren of(byte[] bytes, int offset, int length, boolean decodes) {
    JsonChildren children = new JsonChildren(bytes);
    JsonParser.parse(bytes, offset, length, decodes, children);
    return children;
  }

  @Override
  public void start(int position, JsonToken token) {
    depth++;
    if (depth == 1) {
      root = token;
    } else if (depth == 2) {
      if (count == tokens.length) {
        checkRoom();
        places = Arrays.copyOf(places, places.length * 2);
        tokens = Arrays.copyOf(tokens, tokens.length * 2);
        nameEnds = Arrays.copyOf(nameEnds, nameEnds.length * 2);
      }
      places[OF_CHILD * count] = position;
      tokens[count] = (byte) token.ordinal();
      nameEnds[count] = names.length;
    }
  }

  /**
   * @throws GaussException 54000 when the places would take more than a value can
   */
  private void checkRoom() {
    if (count > ByteSink.LARGEST_VALUE / BYTES_OF_CHILD) {
      throw new GaussException(SqlState.PROGRAM_LIMIT_EXCEEDED, "out of memory")
          .detail("Cannot take apart JSON of more than %d elements.".formatted(count));
    }
  }

  @Override
  public void end(int position) {
    if (depth == 2) {
      places[OF_CHILD * count + 1] = position;
      count++;
    }
    depth--;
  }

  @Override
  public void name(byte[] from, int offset, int length) {
    if (depth == 1) {
      names.putBytes(from, offset, length);
    }
  }

  public boolean isArray() {
    return root == JsonToken.ARRAY_START;
  }

  public boolean isObject() {
    return root == JsonToken.OBJECT_START;
  }

  public int count() {
    return count;
  }

  /** The name of a field. */
  public void name(int index, Value out) {
    int start = index == 0 ? 0 : nameEnds[index - 1];
    out.setBytes(names.array, start, nameEnds[index] - start);
  }

  /** The place of the last field of a name, -1 when there is none. */
  public int find(byte[] name, int offset, int length) {
    for (int i = count - 1; i >= 0; i--) {
      int start = i == 0 ? 0 : nameEnds[i - 1];
      if (Arrays.equals(names.array, start, nameEnds[i], name, offset, offset + length)) {
        return i;
      }
    }
    return -1;
  }

  /** An element or a field's value as json. */
  public void get(int index, Value out) {
    int start = places[OF_CHILD * index];
    out.setBytes(bytes, start, places[OF_CHILD * index + 1] - start);
  }

  /** The same as text: without quotes and escapes when it is a string, NULL when it is null. */
  public void getText(int index, Value out) {
    get(index, out);
    asText(TOKENS[tokens[index]], out);
  }

  /** Turns json into its text, in place. */
  public static void asText(JsonToken token, Value json) {
    if (token == JsonToken.NULL) {
      json.setNull();
      return;
    }
    if (token != JsonToken.STRING) {
      return;
    }
    int first = json.off + 1;
    int last = json.off + json.len - 1;
    for (int p = first; p < last; p++) {
      if (json.bytes[p] == '\\') {
        ByteSink decoded = new ByteSink(json.len);
        JsonParser.parse(
            json.bytes,
            json.off,
            json.len,
            true,
            new JsonHandler() {
              @Override
              public void scalar(JsonToken kind, byte[] from, int offset, int length) {
                decoded.putBytes(from, offset, length);
              }
            });
        json.setBytes(decoded.array, 0, decoded.length);
        return;
      }
    }
    json.setBytes(json.bytes, first, last - first);
  }
}
