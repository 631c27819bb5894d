package io.gauss.compute.type;

/**
 * What {@link JsonParser} reports of a text. Positions are offsets into the array that is parsed;
 * bytes of names and strings are valid only during the call.
 *
 * <p>For each value, also for the whole text: {@link #start}, then one scalar, or the beginning of
 * an object or array, its content and its end, then {@link #end}.
 */
public interface JsonHandler {
  /** A value begins. */
  default void start(int position, JsonToken token) {}

  /** The value that began last and has not ended ends before a position. */
  default void end(int position) {}

  default void objectStart() {}

  /** The name of the field whose value follows. */
  default void name(byte[] bytes, int offset, int length) {}

  default void objectEnd() {}

  default void arrayStart() {}

  default void arrayEnd() {}

  /**
   * A string, number, true, false or null.
   *
   * @param bytes content of a string, without quotes and escapes when the parser decodes; the
   *     written form of other scalars
   */
  default void scalar(JsonToken token, byte[] bytes, int offset, int length) {}
}
