package io.gauss.compute.type;

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

  public final String toText(Value value, TypeContext ctx) {
    ByteSink sink = new ByteSink();
    writeText(value, ctx, sink);
    return sink.toString();
  }

  /** Reads text given as a string; for literals and tests. */
  public final void fromText(String text, TypeContext ctx, Value out) {
    byte[] bytes = text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    readText(bytes, 0, bytes.length, ctx, out);
  }
}
