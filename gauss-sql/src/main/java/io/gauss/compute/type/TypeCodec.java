package io.gauss.compute.type;

import java.util.HexFormat;

/**
 * Text and binary form of a type's values, as PostgreSQL's wire protocol has them. Stateless,
 * shared.
 *
 * <p>Where the value's bytes are those of the input (text), reading keeps a byte range of the
 * input, so the caller must not change the input while the value is in use. Modifiers (length,
 * precision) are not applied here: that is a conversion.
 */
public abstract class TypeCodec {
  /** The codec of a type; there is one for every type in {@link PgTypes} but {@code any}. */
  public static TypeCodec of(PgType type) {
    return TypeCodecs.of(type);
  }

  /** Appends the text form of a value that is not NULL. */
  public abstract void writeText(Value value, TypeContext ctx, ByteSink out);

  /** Appends the binary form of a value that is not NULL. */
  public abstract void writeBinary(Value value, ByteSink out);

  /**
   * Reads the text form.
   *
   * @throws io.gauss.common.error.GaussException 22P02, 22003, 22007, 22008, 22021 as PostgreSQL
   */
  public abstract void readText(byte[] from, int offset, int length, TypeContext ctx, Value out);

  /**
   * Reads the binary form.
   *
   * @throws io.gauss.common.error.GaussException 22P03 or 08P01 when it is malformed, 22003 or
   *     22008 when out of range
   */
  public abstract void readBinary(byte[] from, int offset, int length, Value out);

  /**
   * Appends the form in which a value is kept: in arrays, and where rows are kept for a statement.
   * It is the binary form, unless that may change while the value does not.
   */
  public void writeStored(Value value, ByteSink out) {
    writeBinary(value, out);
  }

  /** Reads what {@link #writeStored} has written. */
  public void readStored(byte[] from, int offset, int length, Value out) {
    readBinary(from, offset, length, out);
  }

  /** Whether the stored form is the binary form. */
  boolean isStoredAsSent() {
    return true;
  }

  public final String toText(Value value, TypeContext ctx) {
    ByteSink sink = new ByteSink();
    writeText(value, ctx, sink);
    return sink.toString();
  }

  /** The text form in which the catalog keeps a value: it stays valid while types change. */
  public final String toCatalogText(Value value) {
    if (isStoredAsSent()) {
      return toText(value, TypeContext.DEFAULT);
    }
    ByteSink sink = new ByteSink();
    writeStored(value, sink);
    return HexFormat.of().formatHex(sink.toByteArray());
  }

  /** Reads what {@link #toCatalogText} has written. */
  public final void fromCatalogText(String text, Value out) {
    if (isStoredAsSent()) {
      fromText(text, TypeContext.DEFAULT, out);
    } else {
      byte[] stored = HexFormat.of().parseHex(text);
      readStored(stored, 0, stored.length, out);
    }
  }

  /** Reads text given as a string; for literals and tests. */
  public final void fromText(String text, TypeContext ctx, Value out) {
    byte[] bytes = text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    readText(bytes, 0, bytes.length, ctx, out);
  }
}
