package io.gauss.compute.expr.time;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.Texts;
import io.gauss.compute.expr.number.NumericMath;
import io.gauss.compute.type.DateTimeWords;
import io.gauss.compute.type.DateTimes;
import io.gauss.compute.type.Interval;
import io.gauss.compute.type.Numerics;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.math.BigDecimal;
import java.time.ZoneId;
import java.util.Locale;

/** extract, date_part and date_trunc. */
final class DateTimeFields {
  private static final int JULIAN_OF_2000 = 2451545;

  private static final int MOST_OFFSET_HOURS = 15;
  private static final java.util.regex.Pattern OFFSET =
      java.util.regex.Pattern.compile(
          "([+-])(\\d{1,2}?)(?:(\\d{2})|:(?:(\\d{0,2})(?::(\\d{0,2}))?)?)?");

  private DateTimeFields() {}

  private static String unitName(Value unit) {
    return Texts.get(unit).toLowerCase(Locale.ROOT);
  }

  /** The unit's canonical name; unknown names are returned unchanged. */
  private static String canonical(String name) {
    String known = DateTimeWords.unit(name);
    return known == null ? name : known;
  }

  private static boolean isField(String unit) {
    return switch (unit) {
      case "epoch",
          "dow",
          "isodow",
          "doy",
          "isoyear",
          "julian",
          "timezone",
          "timezone_hour",
          "timezone_minute",
          "timezone_h",
          "timezone_m" ->
          true;
      default -> DateTimeWords.unit(unit) != null;
    };
  }

  private static GaussException unsupported(String name, PgType type) {
    if (isField(canonical(name))) {
      return new GaussException(
          SqlState.FEATURE_NOT_SUPPORTED,
          "unit \"" + name + "\" not supported for type " + type.displayName());
    }
    return unrecognized(name, type);
  }

  private static GaussException unrecognized(String name, PgType type) {
    return new GaussException(
        SqlState.INVALID_PARAMETER_VALUE,
        "unit \"" + name + "\" not recognized for type " + type.displayName());
  }

  /** extract from a date. */
  static void ofDate(Value unit, long days, Value out) {
    String name = unitName(unit);
    String field = canonical(name);
    boolean time =
        switch (field) {
          case "hour",
              "minute",
              "second",
              "millisecond",
              "microsecond",
              "timezone",
              "timezone_hour",
              "timezone_minute" ->
              true;
          default -> !isField(field);
        };
    if (time) {
      throw unsupported(name, PgType.DATE);
    }
    if (!DateTimes.isFiniteDate(days)) {
      ofInfinity(name, field, days > 0, PgType.DATE, out);
      return;
    }
    if (field.equals("epoch")) {
      out.setNumeric((days + DateTimes.UNIX_EPOCH_DAYS) * 86400, 0);
    } else if (field.equals("julian")) {
      out.setNumeric(days + JULIAN_OF_2000, 0);
    } else {
      dateField(name, field, days, PgType.DATE, out);
    }
  }

  private static void ofInfinity(
      String name, String field, boolean positive, PgType type, Value out) {
    switch (field) {
      case "year", "decade", "century", "millennium", "julian", "isoyear", "epoch" ->
          Numerics.setSpecial(out, positive ? Numerics.INFINITY : Numerics.MINUS_INFINITY);
      default -> {
        if (!isField(field)) {
          throw unsupported(name, type);
        }
        out.setNull();
      }
    }
  }

  /** extract from a timestamp, or from an instant as seen in a zone. */
  static void ofTimestamp(Value unit, long micros, long local, int offset, PgType type, Value out) {
    String name = unitName(unit);
    String field = canonical(name);
    boolean zoned = type.is(PgType.TIMESTAMPTZ);
    if (!DateTimes.isFinite(micros)) {
      ofInfinity(name, field, micros > 0, type, out);
      return;
    }
    switch (field) {
      case "epoch" -> {
        BigDecimal seconds =
            BigDecimal.valueOf(micros, 6).add(BigDecimal.valueOf(DateTimes.UNIX_EPOCH_SECONDS));
        out.setNumeric(seconds);
      }
      case "timezone", "timezone_hour", "timezone_minute", "timezone_h", "timezone_m" -> {
        if (!zoned) {
          throw unsupported(name, type);
        }
        out.setNumeric(
            field.equals("timezone")
                ? offset
                : field.startsWith("timezone_h") ? offset / 3600 : offset / 60 % 60,
            0);
      }
      case "julian" -> {
        Value a = new Value();
        Value b = new Value();
        a.setNumeric(DateTimes.timeOf(local), 0);
        b.setNumeric(DateTimes.USECS_PER_DAY, 0);
        NumericMath.divide(a, b, out);
        a.set(out);
        b.setNumeric(DateTimes.daysOf(local) + JULIAN_OF_2000, 0);
        NumericMath.add(a, b, out);
      }
      case "hour", "minute", "second", "millisecond", "microsecond" ->
          timeField(name, field, DateTimes.timeOf(local), type, out);
      default -> dateField(name, field, DateTimes.daysOf(local), type, out);
    }
  }

  /** extract from a time. */
  static void ofTime(Value unit, long micros, Value out) {
    String name = unitName(unit);
    String field = canonical(name);
    if (field.equals("epoch")) {
      out.setNumeric(micros, 6);
    } else {
      timeField(name, field, micros, PgType.TIME, out);
    }
  }

  private static void timeField(String name, String field, long time, PgType type, Value out) {
    switch (field) {
      case "hour" -> out.setNumeric(time / DateTimes.USECS_PER_HOUR, 0);
      case "minute" -> out.setNumeric(time / DateTimes.USECS_PER_MINUTE % 60, 0);
      case "second" -> out.setNumeric(time % DateTimes.USECS_PER_MINUTE, 6);
      case "millisecond" -> out.setNumeric(time % DateTimes.USECS_PER_MINUTE, 3);
      case "microsecond" -> out.setNumeric(time % DateTimes.USECS_PER_MINUTE, 0);
      default -> throw unsupported(name, type);
    }
  }

  private static void dateField(String name, String field, long days, PgType type, Value out) {
    long date = DateTimes.date(days);
    int year = DateTimes.year(date);
    out.setNumeric(
        switch (field) {
          case "year" -> year > 0 ? year : year - 1;
          case "month" -> DateTimes.month(date);
          case "day" -> DateTimes.day(date);
          case "quarter" -> (DateTimes.month(date) - 1) / 3 + 1;
          case "decade" -> year >= 0 ? year / 10 : -((8 - (year - 1)) / 10);
          case "century" -> year > 0 ? (year + 99) / 100 : -((99 - (year - 1)) / 100);
          case "millennium" -> year > 0 ? (year + 999) / 1000 : -((999 - (year - 1)) / 1000);
          case "dow" -> DateTimes.dayOfWeek(days);
          case "isodow" -> (DateTimes.dayOfWeek(days) + 6) % 7 + 1;
          case "doy" -> days - DateTimes.days(year, 1, 1) + 1;
          case "week" -> isoWeek(days);
          case "isoyear" -> {
            int isoYear = isoYear(days);
            yield isoYear > 0 ? isoYear : isoYear - 1;
          }
          default -> throw unsupported(name, type);
        },
        0);
  }

  /** Monday of the ISO week that a day is in. */
  private static long monday(long days) {
    return days - (DateTimes.dayOfWeek(days) + 6) % 7;
  }

  static int isoYear(long days) {
    return DateTimes.year(DateTimes.date(monday(days) + 3));
  }

  static int isoWeek(long days) {
    long first = monday(DateTimes.days(isoYear(days), 1, 4));
    return (int) ((monday(days) - first) / 7 + 1);
  }

  /** extract from an interval. */
  static void ofInterval(Value unit, Value interval, Value out) {
    String name = unitName(unit);
    String field = canonical(name);
    int months = Interval.months(interval);
    long time = Interval.micros(interval);
    switch (field) {
      case "hour" -> out.setNumeric(time / DateTimes.USECS_PER_HOUR, 0);
      case "minute", "second", "millisecond", "microsecond" ->
          timeField(name, field, time, PgType.INTERVAL, out);
      case "day" -> out.setNumeric(Interval.days(interval), 0);
      case "month" -> out.setNumeric(months % 12, 0);
      case "quarter" -> out.setNumeric(months % 12 / 3 + 1, 0);
      case "year" -> out.setNumeric(months / 12, 0);
      case "decade" -> out.setNumeric(months / 120, 0);
      case "century" -> out.setNumeric(months / 1200, 0);
      case "millennium" -> out.setNumeric(months / 12000, 0);
      case "epoch" -> {
        // A year counts 365.25 days, a month 30.
        long seconds =
            months / 12 * 31_557_600L + months % 12 * 2_592_000L + Interval.days(interval) * 86400L;
        out.setNumeric(BigDecimal.valueOf(time, 6).add(BigDecimal.valueOf(seconds)));
      }
      default -> throw unsupported(name, PgType.INTERVAL);
    }
  }

  /** The result of extract as a double, for date_part. */
  static void toDouble(Value a, Value out) {
    if (a.isNull) {
      out.setNull();
    } else {
      out.setDouble(Numerics.toDouble(a));
    }
  }

  /** date_trunc of a local time. */
  static long truncate(Value unit, long local, PgType type) {
    String name = unitName(unit);
    String field = canonical(name);
    if (!DateTimes.isFinite(local)) {
      return local;
    }
    long step =
        switch (field) {
          case "microsecond" -> 1;
          case "millisecond" -> 1000;
          case "second" -> DateTimes.USECS_PER_SECOND;
          case "minute" -> DateTimes.USECS_PER_MINUTE;
          case "hour" -> DateTimes.USECS_PER_HOUR;
          case "day" -> DateTimes.USECS_PER_DAY;
          default -> 0;
        };
    if (step != 0) {
      return local - Math.floorMod(local, step);
    }
    long days = DateTimes.daysOf(local);
    long date = DateTimes.date(days);
    int year = DateTimes.year(date);
    int month = DateTimes.month(date);
    long first =
        switch (field) {
          case "week" -> monday(days);
          case "month" -> DateTimes.days(year, month, 1);
          case "quarter" -> DateTimes.days(year, (month - 1) / 3 * 3 + 1, 1);
          case "year" -> DateTimes.days(year, 1, 1);
          case "decade" ->
              DateTimes.days(year > 0 ? year / 10 * 10 : -((8 - (year - 1)) / 10) * 10, 1, 1);
          case "century" ->
              DateTimes.days(
                  year > 0 ? (year + 99) / 100 * 100 - 99 : -((99 - (year - 1)) / 100) * 100 + 1,
                  1,
                  1);
          case "millennium" ->
              DateTimes.days(
                  year > 0
                      ? (year + 999) / 1000 * 1000 - 999
                      : -((999 - (year - 1)) / 1000) * 1000 + 1,
                  1,
                  1);
          default -> {
            boolean known = DateTimeWords.unit(field) != null || field.startsWith("timezone");
            throw known ? unsupported(name, type) : unrecognized(name, type);
          }
        };
    return first * DateTimes.USECS_PER_DAY;
  }

  /** date_trunc of an instant in a zone. */
  static long truncateZoned(Value unit, long instant, ZoneId zone) {
    long local = truncate(unit, DateTimes.toLocal(zone, instant), PgType.TIMESTAMPTZ);
    return DateTimes.toInstant(zone, local);
  }

  /** The months of the whole periods contained in a number of months. */
  private static int wholePeriods(int months, int period) {
    return months / period * period;
  }

  /** date_trunc of an interval. */
  static void truncateInterval(Value unit, Value a, Value out) {
    String name = unitName(unit);
    String field = canonical(name);
    int months = Interval.months(a);
    int days = Interval.days(a);
    long micros = Interval.micros(a);
    switch (field) {
      case "millennium" -> Interval.set(out, wholePeriods(months, 12000), 0, 0);
      case "century" -> Interval.set(out, wholePeriods(months, 1200), 0, 0);
      case "decade" -> Interval.set(out, wholePeriods(months, 120), 0, 0);
      case "year" -> Interval.set(out, wholePeriods(months, 12), 0, 0);
      case "quarter" -> Interval.set(out, wholePeriods(months, 3), 0, 0);
      case "month" -> Interval.set(out, months, 0, 0);
      case "day" -> Interval.set(out, months, days, 0);
      case "hour" -> Interval.set(out, months, days, cut(micros, DateTimes.USECS_PER_HOUR));
      case "minute" -> Interval.set(out, months, days, cut(micros, DateTimes.USECS_PER_MINUTE));
      case "second" -> Interval.set(out, months, days, cut(micros, DateTimes.USECS_PER_SECOND));
      case "millisecond" -> Interval.set(out, months, days, cut(micros, 1000));
      case "microsecond" -> out.set(a);
      default -> throw unsupported(name, PgType.INTERVAL);
    }
  }

  private static long cut(long micros, long unit) {
    return micros / unit * unit;
  }

  /** A zone by name, abbreviation or offset. */
  static ZoneId zone(Value text) {
    return zone(Texts.get(text));
  }

  /**
   * A zone as SET TimeZone and AT TIME ZONE accept it.
   *
   * @throws GaussException 22023
   */
  static ZoneId zone(String name) {
    Integer seconds = DateTimeWords.zoneAbbreviation(name.toLowerCase(Locale.ROOT));
    if (seconds != null) {
      return java.time.ZoneOffset.ofTotalSeconds(seconds);
    }
    ZoneId byName = DateTimeWords.zoneByName(name);
    if (byName != null) {
      return byName;
    }
    ZoneId posix = DateTimeWords.posixZone(name);
    if (posix != null) {
      return posix;
    }
    throw new GaussException(
        SqlState.INVALID_PARAMETER_VALUE, "time zone \"" + name + "\" not recognized");
  }

  /**
   * A zone as make_timestamptz accepts it: a number of hours <em>east</em> with a sign, or a name.
   *
   * @throws GaussException 22023
   */
  static ZoneId saneZone(Value text) {
    String name = Texts.get(text);
    if (name.isEmpty() || !(name.charAt(0) == '+' || name.charAt(0) == '-')) {
      if (!name.isEmpty() && name.charAt(0) >= '0' && name.charAt(0) <= '9') {
        throw invalidOffset(name)
            .hint("Numeric time zones must have \"-\" or \"+\" as first character.");
      }
      return zone(name);
    }
    java.util.regex.Matcher offset = OFFSET.matcher(name);
    if (!offset.matches()) {
      throw invalidOffset(name);
    }
    int hours = Integer.parseInt(offset.group(2));
    int minutes = number(offset.group(3)) + number(offset.group(4));
    int rest = number(offset.group(5));
    if (hours > MOST_OFFSET_HOURS || minutes > 59 || rest > 59) {
      throw new GaussException(
          SqlState.INVALID_PARAMETER_VALUE, "numeric time zone \"" + name + "\" out of range");
    }
    int seconds = (hours * 60 + minutes) * 60 + rest;
    return java.time.ZoneOffset.ofTotalSeconds(name.charAt(0) == '-' ? -seconds : seconds);
  }

  private static int number(String digits) {
    return digits == null || digits.isEmpty() ? 0 : Integer.parseInt(digits);
  }

  private static GaussException invalidOffset(String name) {
    return new GaussException(
        SqlState.INVALID_PARAMETER_VALUE,
        "invalid input syntax for type numeric time zone: \"" + name + "\"");
  }
}
