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

  /**
   * Oid of the relation that a text names, for regclass; 0 when there is none, or no such schema.
   *
   * @throws io.gauss.common.error.GaussException 42602 and others when the text is no name, 42501
   *     when the role may not use the schema
   */
  default int relationOid(String text) {
    return 0;
  }

  /** Name of a relation as regclass prints it, null when there is none. */
  default String relationName(int oid) {
    return null;
  }

  /** Oid of a schema, 0 when there is none. */
  default int schemaOid(String name) {
    return 0;
  }

  /** Name of a schema, null when there is none. */
  default String schemaName(int oid) {
    return null;
  }

  /** Oid of a role, 0 when there is none. */
  default int roleOid(String name) {
    return 0;
  }

  /**
   * Oid of a type of CREATE TYPE, 0 when there is none.
   *
   * @param schema null = any of the search path
   * @param array finds the array type over it
   */
  default int typeOid(String schema, String name, boolean array) {
    return 0;
  }

  /**
   * Name of a type of CREATE TYPE, or of an array of it, as a statement can write it; null when
   * there is none.
   */
  default String typeName(int oid) {
    return null;
  }

  /** Name of a role, null when there is none. */
  default String roleName(int oid) {
    return null;
  }
}
