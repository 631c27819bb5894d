package io.gauss.compute.expr.json;

import io.gauss.compute.type.JsonHandler;
import io.gauss.compute.type.JsonParser;
import io.gauss.compute.type.JsonToken;
import io.gauss.compute.type.Value;

/** Counts the elements of a JSON text's array. */
final class ElementCount implements JsonHandler {
  private int depth;
  private int count;

  private ElementCount() {}

  static int of(Value json) {
    ElementCount counter = new ElementCount();
    JsonParser.parse(json.bytes, json.off, json.len, false, counter);
    return counter.count;
  }

  /**
   * Counts the elements of an array inside of a valid text.
   *
   * @param open where the array begins
   */
  static int at(Value json, int open) {
    byte[] bytes = json.bytes;
    int depth = 0;
    int commas = 0;
    boolean isEmpty = true;
    for (int p = open; ; p++) {
      int c = bytes[p];
      switch (c) {
        case '[', '{' -> {
          isEmpty &= depth == 0;
          depth++;
        }
        case ']', '}' -> {
          depth--;
          if (depth == 0) {
            return isEmpty ? 0 : commas + 1;
          }
        }
        case ',' -> commas += depth == 1 ? 1 : 0;
        case '"' -> {
          isEmpty = false;
          p = endOfString(bytes, p);
        }
        case ' ', '\t', '\n', '\r' -> {
          // Between tokens.
        }
        default -> isEmpty = false;
      }
    }
  }

  /** The position of the quote that ends a string. */
  private static int endOfString(byte[] bytes, int open) {
    int p = open + 1;
    while (bytes[p] != '"') {
      p += bytes[p] == '\\' ? 2 : 1;
    }
    return p;
  }

  @Override
  public void start(int position, JsonToken token) {
    depth++;
    count += depth == 2 ? 1 : 0;
  }

  @Override
  public void end(int position) {
    depth--;
  }
}
