package io.gauss.jdbc.routing.statement;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;

/**
 * Values as routing sees them: Long, Double or String, whatever type the application or the wire
 * used. Points in time are microseconds since 1970, UTC; strings are cut at {@link #MAX_CHARS}.
 */
public final class RoutingValue {
  /** Longest part of a string that routing uses, in UTF-16 units. */
  public static final int MAX_CHARS = 64;

  private RoutingValue() {}

  /** The value as routing sees it; null for null and for types without meaning for routing. */
  static Object of(Object value) {
    if (value instanceof String s) {
      return cut(s);
    } else if (value instanceof Number n) {
      return ofNumber(n);
    } else if (value instanceof Boolean b) {
      return b ? 1L : 0L;
    } else if (value instanceof Character || value instanceof java.util.UUID) {
      return value.toString();
    }
    return ofTime(value);
  }

  /** Strings that are equal up to the cut are the same to routing. */
  static String cut(String value) {
    return value.length() <= MAX_CHARS ? value : value.substring(0, MAX_CHARS);
  }

  private static Object ofNumber(Number n) {
    if (n instanceof Long) {
      return n;
    } else if (n instanceof Integer || n instanceof Short || n instanceof Byte) {
      return n.longValue();
    } else if (n instanceof BigDecimal d) {
      return d.stripTrailingZeros().scale() <= 0 && d.precision() - d.scale() <= 18
          ? (Object) d.longValue()
          : (Object) d.doubleValue();
    } else if (n instanceof BigInteger i && i.bitLength() < 64) {
      return i.longValue();
    }
    return n.doubleValue();
  }

  private static Object ofTime(Object value) {
    if (value instanceof java.sql.Timestamp t) {
      return micros(t.toInstant());
    } else if (value instanceof java.sql.Date d) {
      return micros(d.toLocalDate().atStartOfDay().toInstant(ZoneOffset.UTC));
    } else if (value instanceof LocalDate d) {
      return micros(d.atStartOfDay().toInstant(ZoneOffset.UTC));
    } else if (value instanceof LocalDateTime t) {
      return micros(t.toInstant(ZoneOffset.UTC));
    } else if (value instanceof OffsetDateTime t) {
      return micros(t.toInstant());
    } else if (value instanceof ZonedDateTime t) {
      return micros(t.toInstant());
    } else if (value instanceof Instant t) {
      return micros(t);
    }
    return null;
  }

  private static Long micros(Instant t) {
    return t.getEpochSecond() * 1_000_000 + t.getNano() / 1000;
  }
}
