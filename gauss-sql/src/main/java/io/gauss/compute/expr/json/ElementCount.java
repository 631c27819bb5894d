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
