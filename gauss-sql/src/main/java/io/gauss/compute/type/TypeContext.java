package io.gauss.compute.type;

import java.time.ZoneId;

/**
 * The context of text input and output of values besides the bytes: session settings and the
 * statement's time.
 */
public interface TypeContext {
  /** UTC, default settings, the epoch as time: for literals that depend on none of them. */
  TypeContext DEFAULT =
      new TypeContext() {
        @Override
        public ZoneId timeZone() {
          return java.time.ZoneOffset.UTC;
        }

        @Override
        public long now() {
          return 0;
        }
      };

  ZoneId timeZone();

  /**
   * Transaction start for inputs such as {@code 'now'} and {@code 'today'}: µs since 2000-01-01
   * UTC.
   */
  long now();

  /**
   * extra_float_digits; above 0 (the default is 1) floats print the shortest digits that read back.
   */
  default int extraFloatDigits() {
    return 1;
  }

  /** bytea_output is hex, not escape. */
  default boolean byteaHex() {
    return true;
  }

  /** Oid of the relation that a text names, 0 when there is none; for regclass. */
  default int relationOid(String text) {
    return 0;
  }

  /** Name of a relation as regclass prints it, null when there is none. */
  default String relationName(int oid) {
    return null;
  }
}
