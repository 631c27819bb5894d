package io.gauss.compute.type;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;

/**
 * Calendar arithmetic on PostgreSQL's representations: days and microseconds since 2000-01-01,
 * proleptic Gregorian. Year 0 is 1 BC. The conversions between days and dates are PostgreSQL's
 * date2j and j2date.
 */
public final class DateTimes {
  public static final long USECS_PER_SECOND = 1_000_000L;
  public static final long USECS_PER_MINUTE = 60 * USECS_PER_SECOND;
  public static final long USECS_PER_HOUR = 60 * USECS_PER_MINUTE;
  public static final long USECS_PER_DAY = 24 * USECS_PER_HOUR;

  /** Julian day of 2000-01-01. */
  static final int EPOCH_JULIAN = 2451545;

  /** Julian day of 1970-01-01. */
  static final int UNIX_EPOCH_JULIAN = 2440588;

  /** Days from 1970-01-01 to 2000-01-01. */
  public static final int UNIX_EPOCH_DAYS = EPOCH_JULIAN - UNIX_EPOCH_JULIAN;

  public static final long UNIX_EPOCH_SECONDS = UNIX_EPOCH_DAYS * 86400L;

  public static final long DATE_INFINITY = Integer.MAX_VALUE;
  public static final long DATE_MINUS_INFINITY = Integer.MIN_VALUE;
  public static final long INFINITY = Long.MAX_VALUE;
  public static final long MINUS_INFINITY = Long.MIN_VALUE;

  /** Smallest timestamp, 4714-11-24 BC. */
  public static final long MIN_TIMESTAMP = -211813488000000000L;

  /** First timestamp that is too large, 294277-01-01. */
  public static final long END_TIMESTAMP = 9223371331200000000L;

  private static final int MIN_DATE = -EPOCH_JULIAN;
  private static final int END_DATE = 2147483494 - EPOCH_JULIAN;
  private static final int[] MONTH_DAYS = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

  private DateTimes() {}

  public static boolean isValidDate(long days) {
    return days >= MIN_DATE && days < END_DATE;
  }

  public static boolean isValidTimestamp(long micros) {
    return micros >= MIN_TIMESTAMP && micros < END_TIMESTAMP;
  }

  public static boolean isFiniteDate(long days) {
    return days != DATE_INFINITY && days != DATE_MINUS_INFINITY;
  }

  public static boolean isFinite(long micros) {
    return micros != INFINITY && micros != MINUS_INFINITY;
  }

  public static boolean isLeapYear(int year) {
    return (year & 3) == 0 && (year % 100 != 0 || year % 400 == 0);
  }

  public static int daysOfMonth(int year, int month) {
    return month == 2 && isLeapYear(year) ? 29 : MONTH_DAYS[month - 1];
  }

  /** Julian day number of a date. */
  static int julian(int year, int month, int day) {
    int m = month;
    int y = year;
    if (m > 2) {
      m += 1;
      y += 4800;
    } else {
      m += 13;
      y += 4799;
    }
    int century = y / 100;
    int result = y * 365 - 32167;
    result += y / 4 - century + century / 4;
    return result + 7834 * m / 256 + day;
  }

  /** Days since 2000-01-01. */
  public static int days(int year, int month, int day) {
    return julian(year, month, day) - EPOCH_JULIAN;
  }

  /** Whether the julian day of this date can be computed; PostgreSQL's IS_VALID_JULIAN. */
  static boolean isValidJulian(int year, int month) {
    return (year > -4713 || (year == -4713 && month >= 11))
        && (year < 5874898 || (year == 5874898 && month < 6));
  }

  /** Year, month and day packed; see {@link #year}, {@link #month}, {@link #day}. */
  public static long date(long days) {
    long julian = (days + EPOCH_JULIAN) & 0xFFFF_FFFFL;
    julian += 32044;
    long quad = julian / 146097;
    long extra = (julian - quad * 146097) * 4 + 3;
    julian += 60 + quad * 3 + extra / 146097;
    quad = julian / 1461;
    julian -= quad * 1461;
    long y = julian * 4 / 1461;
    julian = (y != 0 ? (julian + 305) % 365 : (julian + 306) % 366) + 123;
    y += quad * 4;
    long year = y - 4800;
    quad = julian * 2141 / 65536;
    long day = julian - 7834 * quad / 256;
    long month = (quad + 10) % 12 + 1;
    return year << 16 | month << 8 | day;
  }

  public static int year(long date) {
    return (int) (date >> 16);
  }

  public static int month(long date) {
    return (int) (date >> 8) & 0xFF;
  }

  public static int day(long date) {
    return (int) date & 0xFF;
  }

  /** 0 = Sunday. */
  public static int dayOfWeek(long days) {
    return (int) Math.floorMod(days + EPOCH_JULIAN + 1, 7L);
  }

  /** Day part of a timestamp. */
  public static long daysOf(long micros) {
    return Math.floorDiv(micros, USECS_PER_DAY);
  }

  /** Time-of-day part of a timestamp, µs. */
  public static long timeOf(long micros) {
    return Math.floorMod(micros, USECS_PER_DAY);
  }

  /** Seconds to add to UTC for local time at an instant. */
  public static int offsetAt(ZoneId zone, long micros) {
    if (zone instanceof ZoneOffset fixed) {
      return fixed.getTotalSeconds();
    }
    long unixSeconds = Math.floorDiv(micros, USECS_PER_SECOND) + UNIX_EPOCH_SECONDS;
    return zone.getRules().getOffset(Instant.ofEpochSecond(unixSeconds)).getTotalSeconds();
  }

  /** Local time (timestamp) of an instant (timestamptz). Infinity stays. */
  public static long toLocal(ZoneId zone, long micros) {
    return isFinite(micros) ? micros + offsetAt(zone, micros) * USECS_PER_SECOND : micros;
  }

  /**
   * Instant of a local time. Where the clock is put forward, the offset before the change applies;
   * where it is put back, the offset after it.
   */
  public static long toInstant(ZoneId zone, long local) {
    return isFinite(local) ? local - offsetOfLocal(zone, local) * USECS_PER_SECOND : local;
  }

  static int offsetOfLocal(ZoneId zone, long local) {
    if (zone instanceof ZoneOffset fixed) {
      return fixed.getTotalSeconds();
    }
    ZoneRules rules = zone.getRules();
    long unixSeconds = Math.floorDiv(local, USECS_PER_SECOND) + UNIX_EPOCH_SECONDS;
    LocalDateTime time = LocalDateTime.ofEpochSecond(unixSeconds, 0, ZoneOffset.UTC);
    ZoneOffsetTransition transition = rules.getTransition(time);
    if (transition == null) {
      return rules.getOffset(time).getTotalSeconds();
    }
    return (transition.isGap() ? transition.getOffsetBefore() : transition.getOffsetAfter())
        .getTotalSeconds();
  }

  /** Rounds µs half away from zero to fraction digits (0 to 6). */
  public static long roundFraction(long micros, int digits) {
    if (digits >= 6 || !isFinite(micros)) {
      return micros;
    }
    long unit = Numerics.power(6 - digits);
    long offset = unit / 2;
    return micros >= 0 ? (micros + offset) / unit * unit : -((-micros + offset) / unit * unit);
  }
}
