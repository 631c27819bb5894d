package io.gauss.compute.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;

/**
 * One-dimensional arrays. A value's bytes are PostgreSQL's binary format: dimensions (int4, 0 when
 * empty), has-nulls flag (int4), element oid (int4), then length and lower bound (int4 each), then
 * for each element its length (-1 = NULL) and binary form; that of enums is not the label, which
 * may be renamed, but its code.
 */
final class ArrayCodec extends TypeCodec {
  /** Where the header has the oid of the elements' type. */
  private static final int ELEMENT_OID = 8;

  private final PgType element;
  private final TypeCodec codec;

  ArrayCodec(PgType element, TypeCodec codec) {
    this.element = element;
    this.codec = codec;
  }

  @Override
  public void writeText(Value value, TypeContext ctx, ByteSink out) {
    ArrayReader reader = new ArrayReader(value);
    if (reader.lowerBound() != 1) {
      int upper = reader.lowerBound() + reader.size() - 1;
      out.putString("[" + reader.lowerBound() + ":" + upper + "]=");
    }
    out.putByte('{');
    Value item = new Value();
    ByteSink text = new ByteSink();
    for (int i = 0; i < reader.size(); i++) {
      if (i > 0) {
        out.putByte(',');
      }
      reader.next(codec, item);
      if (item.isNull) {
        out.putString("NULL");
        continue;
      }
      text.clear();
      codec.writeText(item, ctx, text);
      putItem(text, out);
    }
    out.putByte('}');
  }

  private static void putItem(ByteSink text, ByteSink out) {
    boolean quote = text.length == 0 || Ascii.equalsIgnoreCase(text.array, 0, text.length, "null");
    for (int i = 0; i < text.length && !quote; i++) {
      int c = text.array[i];
      quote = c == '"' || c == '\\' || c == '{' || c == '}' || c == ',' || Ascii.isSpace(c);
    }
    if (!quote) {
      out.putBytes(text.array, 0, text.length);
      return;
    }
    out.putByte('"');
    for (int i = 0; i < text.length; i++) {
      int c = text.array[i];
      if (c == '"' || c == '\\') {
        out.putByte('\\');
      }
      out.putByte(c);
    }
    out.putByte('"');
  }

  @Override
  public void writeBinary(Value value, ByteSink out) {
    if (isStoredAsSent()) {
      out.putBytes(value.bytes, value.off, value.len);
      return;
    }
    ArrayReader reader = new ArrayReader(value);
    int header = out.length;
    out.putBytes(value.bytes, value.off, reader.headerBytes());
    out.setInt(header + ELEMENT_OID, element.declaredOid());
    Value item = new Value();
    for (int i = 0; i < reader.size(); i++) {
      reader.next(codec, item);
      int at = out.length;
      out.putInt(-1);
      if (!item.isNull) {
        codec.writeBinary(item, out);
        out.setInt(at, out.length - at - Integer.BYTES);
      }
    }
  }

  @Override
  public void writeStored(Value value, ByteSink out) {
    out.putBytes(value.bytes, value.off, value.len);
  }

  @Override
  public void readStored(byte[] from, int offset, int length, Value out) {
    out.setBytes(from, offset, length);
  }

  @Override
  boolean isStoredAsSent() {
    return codec.isStoredAsSent() && !element.isDomain();
  }

  @Override
  public void readText(byte[] from, int offset, int length, TypeContext ctx, Value out) {
    int end = Ascii.trimSpace(from, offset, offset + length);
    int p = Ascii.skipSpace(from, offset, end);
    int[] bounds = null;
    if (p < end && from[p] == '[') {
      bounds = new int[2];
      p = readBounds(from, p, end, bounds, offset, length);
    }
    if (p == end || from[p] != '{') {
      throw malformed(from, offset, length)
          .detail("Array value must start with \"{\" or dimension information.");
    }
    p++;
    ArrayBuilder builder = new ArrayBuilder(element);
    ByteSink text = new ByteSink();
    Value item = new Value();
    p = Ascii.skipSpace(from, p, end);
    if (p < end && from[p] == '}') {
      p++;
    } else {
      while (true) {
        p = Ascii.skipSpace(from, p, end);
        if (p < end && from[p] == '{') {
          throw GaussException.notSupported("an array of more than one dimension");
        }
        text.clear();
        boolean quoted = p < end && from[p] == '"';
        p = readItem(from, p, end, text, offset, length);
        if (!quoted && Ascii.equalsIgnoreCase(text.array, 0, text.length, "null")) {
          item.setNull();
        } else {
          byte[] bytes = text.toByteArray();
          codec.readText(bytes, 0, bytes.length, ctx, item);
        }
        builder.add(codec, item);
        p = Ascii.skipSpace(from, p, end);
        if (p < end && from[p] == ',') {
          p++;
        } else if (p < end && from[p] == '}') {
          p++;
          break;
        } else {
          GaussException malformed = malformed(from, offset, length);
          throw p < end ? malformed : malformed.detail("Unexpected end of input.");
        }
      }
    }
    if (p != end) {
      throw malformed(from, offset, length).detail("Junk after closing right brace.");
    }
    if (bounds != null) {
      if (builder.size() != bounds[1] - (long) bounds[0] + 1) {
        throw malformed(from, offset, length)
            .detail("Specified array dimensions do not match array contents.");
      }
      builder.from(bounds[0]);
    }
    builder.finish(out);
  }

  /** Reads {@code [low:high]=}; returns the position of the brace. */
  private static int readBounds(byte[] from, int p, int end, int[] bounds, int offset, int length) {
    int close = p;
    while (close < end && from[close] != ']') {
      close++;
    }
    String written = TypeErrors.text(from, p + 1, close - p - 1);
    int colon = written.indexOf(':');
    try {
      bounds[0] = colon < 0 ? 1 : Integer.parseInt(written.substring(0, colon).strip());
      bounds[1] = Integer.parseInt(written.substring(colon + 1).strip());
    } catch (NumberFormatException e) {
      throw malformed(from, offset, length)
          .detail("\"[\" must introduce explicitly-specified array dimensions.");
    }
    if (bounds[1] < bounds[0]) {
      throw new GaussException(
          SqlState.ARRAY_SUBSCRIPT_ERROR, "upper bound cannot be less than lower bound");
    }
    p = Ascii.skipSpace(from, Math.min(close + 1, end), end);
    if (p < end && from[p] == '[') {
      throw GaussException.notSupported("an array of more than one dimension");
    }
    if (p == end || from[p] != '=') {
      throw malformed(from, offset, length).detail("Missing \"=\" after array dimensions.");
    }
    p = Ascii.skipSpace(from, p + 1, end);
    if (p == end || from[p] != '{') {
      throw malformed(from, offset, length).detail("Array contents must start with \"{\".");
    }
    return p;
  }

  private static int readItem(byte[] from, int p, int end, ByteSink text, int offset, int length) {
    if (p < end && from[p] == '"') {
      p++;
      while (p < end && from[p] != '"') {
        if (from[p] == '\\' && p + 1 < end) {
          p++;
        }
        text.putByte(from[p++]);
      }
      if (p == end) {
        throw malformed(from, offset, length).detail("Unexpected end of input.");
      }
      return p + 1;
    }
    while (p < end && from[p] != ',' && from[p] != '}') {
      if (from[p] == '"' || from[p] == '{') {
        throw malformed(from, offset, length)
            .detail("Unexpected \"" + (char) from[p] + "\" character.");
      }
      if (from[p] == '\\' && p + 1 < end) {
        p++;
      }
      text.putByte(from[p++]);
    }
    text.length = Ascii.trimSpace(text.array, 0, text.length);
    if (text.length == 0) {
      throw malformed(from, offset, length)
          .detail(
              p < end
                  ? "Unexpected \"" + (char) from[p] + "\" character."
                  : "Unexpected end of input.");
    }
    return p;
  }

  private static GaussException malformed(byte[] from, int offset, int length) {
    return new GaussException(
        SqlState.INVALID_TEXT_REPRESENTATION,
        "malformed array literal: \"" + TypeErrors.text(from, offset, length) + "\"");
  }

  @Override
  public void readBinary(byte[] from, int offset, int length, Value out) {
    if (length < 12) {
      throw new GaussException(SqlState.PROTOCOL_VIOLATION, "insufficient data left in message");
    }
    int dimensions = ByteSink.getInt(from, offset);
    if (dimensions > 1) {
      throw GaussException.notSupported("an array of more than one dimension");
    }
    int oid = ByteSink.getInt(from, offset + ELEMENT_OID);
    if (dimensions < 0) {
      throw new GaussException(
          SqlState.INVALID_BINARY_REPRESENTATION, "invalid number of dimensions: " + dimensions);
    }
    if (oid != element.declaredOid()) {
      throw new GaussException(
          SqlState.DATATYPE_MISMATCH,
          "binary data has array element type %d instead of expected %d"
              .formatted(oid, element.declaredOid()));
    }
    // Reading every element checks lengths and contents.
    Value array = new Value();
    array.setBytes(from, offset, length);
    ArrayReader reader = new ArrayReader(array);
    ArrayBuilder stored = isStoredAsSent() ? null : new ArrayBuilder(element);
    Value item = new Value();
    for (int i = 0; i < reader.size(); i++) {
      reader.nextSent(codec, item);
      if (stored != null) {
        stored.add(codec, item);
      }
    }
    if (stored == null) {
      out.setBytes(from, offset, length);
    } else {
      stored.from(reader.lowerBound()).finish(out);
    }
  }
}
