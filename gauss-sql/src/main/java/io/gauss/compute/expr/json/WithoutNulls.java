package io.gauss.compute.expr.json;

import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.JsonHandler;
import io.gauss.compute.type.JsonText;
import io.gauss.compute.type.JsonToken;

/** Writes a JSON text again, without blanks and without fields whose value is null. */
final class WithoutNulls implements JsonHandler {
  private final ByteSink out;

  /** The name that has been read and not written, with what comes before it. */
  private final ByteSink field = new ByteSink(32, ByteSink.LARGEST_VALUE);

  private boolean hasField;

  /** Whether the scalar that follows is left out. */
  private boolean isDropped;

  WithoutNulls(ByteSink out) {
    this.out = out;
  }

  private void separate(ByteSink to) {
    int last = out.length == 0 ? '[' : out.array[out.length - 1];
    if (last != '{' && last != '[' && last != ':') {
      to.putByte(',');
    }
  }

  @Override
  public void name(byte[] bytes, int offset, int length) {
    field.clear();
    separate(field);
    JsonText.putString(bytes, offset, length, field);
    field.putByte(':');
    hasField = true;
  }

  @Override
  public void start(int position, JsonToken token) {
    if (!hasField) {
      separate(out);
      return;
    }
    hasField = false;
    if (token != JsonToken.NULL) {
      out.putBytes(field.array, 0, field.length);
    } else {
      isDropped = true;
    }
  }

  @Override
  public void scalar(JsonToken token, byte[] bytes, int offset, int length) {
    if (isDropped) {
      isDropped = false;
    } else if (token == JsonToken.STRING) {
      JsonText.putString(bytes, offset, length, out);
    } else {
      out.putBytes(bytes, offset, length);
    }
  }

  @Override
  public void objectStart() {
    out.putByte('{');
  }

  @Override
  public void objectEnd() {
    out.putByte('}');
  }

  @Override
  public void arrayStart() {
    out.putByte('[');
  }

  @Override
  public void arrayEnd() {
    out.putByte(']');
  }
}
