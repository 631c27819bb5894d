package io.gauss.compute.routing;

import io.gauss.compute.routing.data.AccessSample;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;

/**
 * Parameters of a statement in the form for samples and routers, see {@link AccessSample#values}.
 */
public final class SampledValues {
  private static final int BYTES_OF_CHARACTER = 4;
  private static final long MICROS_FROM_1970_TO_2000 = 946_684_800_000_000L;
  private static final long MICROS_PER_DAY = 86_400_000_000L;

  private SampledValues() {}

  /**
   * @param values at least as many as types
   */
  public static List<Object> of(PgType[] types, Value[] values) {
    List<Object> kept = new ArrayList<>();
    for (int i = 0; i < Math.min(types.length, AccessSample.MOST_VALUES); i++) {
      kept.add(values[i].isNull ? null : of(types[i], values[i]));
    }
    return Collections.unmodifiableList(kept);
  }

  private static Object of(PgType type, Value value) {
    return switch (type.kind()) {
      case LONG -> number(type, value.l);
      case DOUBLE -> value.d;
      case NUMERIC -> numeric(value);
      case BYTES -> bytes(type, value);
    };
  }

  /** The value as drivers see it: they do not use days and microseconds since 2000. */
  private static Object number(PgType type, long value) {
    if (type.sameType(PgType.DATE)) {
      return value * MICROS_PER_DAY + MICROS_FROM_1970_TO_2000;
    }
    if (type.sameType(PgType.TIMESTAMP) || type.sameType(PgType.TIMESTAMPTZ)) {
      return value + MICROS_FROM_1970_TO_2000;
    }
    // Drivers see the labels of enums, whose codes only the catalog knows.
    return type.sameType(PgType.TIME) || type.isEnum() ? null : (Object) value;
  }

  private static Object numeric(Value value) {
    if (value.special != 0) {
      return null;
    }
    if (value.big != null) {
      return value.big.doubleValue();
    }
    long unscaled = value.l;
    int scale = value.scale;
    while (scale > 0 && unscaled % 10 == 0) {
      unscaled /= 10;
      scale--;
    }
    return scale == 0 ? (Object) unscaled : BigDecimal.valueOf(unscaled, scale).doubleValue();
  }

  private static Object bytes(PgType type, Value value) {
    if (type.sameType(PgType.UUID)) {
      ByteBuffer bits = ByteBuffer.wrap(value.bytes, value.off, value.len);
      return new UUID(bits.getLong(), bits.getLong()).toString();
    }
    return isText(type) ? text(value) : null;
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
