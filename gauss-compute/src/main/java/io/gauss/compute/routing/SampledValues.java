package io.gauss.compute.routing;

import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Parameters of a statement as samples have them, see {@link AccessSample#values}. */
final class SampledValues {
  private static final int BYTES_OF_CHARACTER = 4;

  private SampledValues() {}

  /**
   * @param values at least as many as types
   */
  static List<Object> of(PgType[] types, Value[] values) {
    List<Object> kept = new ArrayList<>();
    for (int i = 0; i < Math.min(types.length, AccessSample.MOST_VALUES); i++) {
      kept.add(values[i].isNull ? null : of(types[i], values[i]));
    }
    return Collections.unmodifiableList(kept);
  }

  private static Object of(PgType type, Value value) {
    return switch (type.kind()) {
      case LONG -> value.l;
      case DOUBLE -> value.d;
      case NUMERIC -> numeric(value);
      case BYTES -> isText(type) ? text(value) : null;
    };
  }

  private static Object numeric(Value value) {
    if (value.special != 0) {
      return null;
    }
    if (value.big != null) {
      return value.big.doubleValue();
    }
    return value.scale == 0 ? (Object) value.l : value.l / Math.pow(10, value.scale);
  }

  private static boolean isText(PgType type) {
    return type.sameType(PgType.TEXT)
        || type.sameType(PgType.VARCHAR)
        || type.sameType(PgType.BPCHAR)
        || type.sameType(PgType.NAME);
  }

  private static String text(Value value) {
    int bytes = Math.min(value.len, AccessSample.MOST_VALUE_CHARACTERS * BYTES_OF_CHARACTER);
    String text = new String(value.bytes, value.off, bytes, StandardCharsets.UTF_8);
    return text.length() <= AccessSample.MOST_VALUE_CHARACTERS
        ? text
        : text.substring(0, AccessSample.MOST_VALUE_CHARACTERS);
  }
}
