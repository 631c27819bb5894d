package io.gauss.compute.expr.time;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.number.NumberFormat;
import io.gauss.compute.type.DateTimeWords;
import io.gauss.compute.type.DateTimes;
import io.gauss.compute.type.Interval;
import io.gauss.compute.type.Value;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Locale;

/** to_char of dates, times and intervals. One instance per value. */
public final class DateFormatter {
  private static final String[] ROMAN = {
    "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"
  };
  private static final String[] DAYS = {
    "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"
  };

  private final StringBuilder out = new StringBuilder();
  private boolean interval;
  private long days;
  private int year;
  private int month;
  private int day;
  private long hour;
  private int minute;
  private int second;
  private int micros;
  private int offset;
  private String zoneName = "";

  private DateFormatter() {}

  /**
   * @param zone null for a timestamp without time zone
   */
  public static String timestamp(
      long local, int offset, ZoneId zone, long instant, String template) {
    DateFormatter formatter = new DateFormatter();
    formatter.days = DateTimes.daysOf(local);
    long date = DateTimes.date(formatter.days);
    formatter.year = DateTimes.year(date);
    formatter.month = DateTimes.month(date);
    formatter.day = DateTimes.day(date);
    formatter.time(DateTimes.timeOf(local));
    formatter.offset = offset;
    formatter.zoneName = zone == null ? "" : zoneName(zone, instant);
    return formatter.format(DateFormat.of(template));
  }

  public static String interval(Value value, String template) {
    DateFormatter formatter = new DateFormatter();
    formatter.interval = true;
    formatter.year = Interval.months(value) / 12;
    formatter.month = Interval.months(value) % 12;
    formatter.day = Interval.days(value);
    formatter.days = Interval.months(value) * 30L + Interval.days(value);
    formatter.time(Interval.micros(value));
    return formatter.format(DateFormat.of(template));
  }

  private static String zoneName(ZoneId zone, long instant) {
    if (zone instanceof ZoneOffset fixed) {
      return fixed.getTotalSeconds() == 0 ? "UTC" : "";
    }
    java.time.Instant at =
        java.time.Instant.ofEpochSecond(
            Math.floorDiv(instant, DateTimes.USECS_PER_SECOND) + DateTimes.UNIX_EPOCH_SECONDS);
    boolean summer = zone.getRules().isDaylightSavings(at);
    return java.util.TimeZone.getTimeZone(zone)
        .getDisplayName(summer, java.util.TimeZone.SHORT, Locale.ROOT);
  }

  private void time(long time) {
    hour = time / DateTimes.USECS_PER_HOUR;
    minute = (int) (time / DateTimes.USECS_PER_MINUTE % 60);
    second = (int) (time / DateTimes.USECS_PER_SECOND % 60);
    micros = (int) (time % DateTimes.USECS_PER_SECOND);
  }

  private String format(DateFormat format) {
    for (DateFormat.Part part : format.parts) {
      if (part.key() == null) {
        out.append(part.text());
      } else {
        part(part);
      }
    }
    return out.toString();
  }

  private int shownYear(int value) {
    return interval || value > 0 ? value : 1 - value;
  }

  private int dayOfYear() {
    return interval ? (int) days : (int) (days - DateTimes.days(year, 1, 1) + 1);
  }

  private void part(DateFormat.Part part) {
    String key = part.key();
    switch (part.pattern()) {
      case "HH24" -> number(hour, 2, part);
      case "HH", "HH12" -> number(hour % 12 == 0 ? 12 : hour % 12, 2, part);
      case "MI" -> number(minute, 2, part);
      case "SS" -> number(second, 2, part);
      case "MS", "FF3" -> number(micros / 1000, 3, part);
      case "US", "FF6" -> number(micros, 6, part);
      case "FF1" -> number(micros / 100_000, 1, part);
      case "FF2" -> number(micros / 10_000, 2, part);
      case "FF4" -> number(micros / 100, 4, part);
      case "FF5" -> number(micros / 10, 5, part);
      case "SSSS", "SSSSS" -> number((hour * 60 + minute) * 60 + second, 1, part);
      case "AM", "PM", "A.M.", "P.M." -> {
        boolean afternoon = hour % 24 >= 12;
        String word =
            key.indexOf('.') > 0 ? (afternoon ? "P.M." : "A.M.") : afternoon ? "PM" : "AM";
        out.append(sameCase(word, key));
      }
      case "AD", "BC", "A.D.", "B.C." -> {
        refuseForInterval();
        String word =
            key.indexOf('.') > 0 ? (year <= 0 ? "B.C." : "A.D.") : year <= 0 ? "BC" : "AD";
        out.append(sameCase(word, key));
      }
      case "YYYY" -> number(shownYear(year), 4, part);
      case "YYY" -> number(shownYear(year) % 1000, 3, part);
      case "YY" -> number(shownYear(year) % 100, 2, part);
      case "Y" -> number(shownYear(year) % 10, 1, part);
      case "Y,YYY" -> {
        int shown = shownYear(year);
        out.append(shown / 1000).append(",%03d".formatted(shown % 1000));
        ordinal(shown, part);
      }
      case "IYYY" -> number(shownYear(isoYear()), 4, part);
      case "IYY" -> number(shownYear(isoYear()) % 1000, 3, part);
      case "IY" -> number(shownYear(isoYear()) % 100, 2, part);
      case "I" -> number(shownYear(isoYear()) % 10, 1, part);
      case "CC" -> {
        int century = interval ? year / 100 : year > 0 ? (year - 1) / 100 + 1 : year / 100 - 1;
        number(century, 2, part);
      }
      case "MM" -> number(month, 2, part);
      case "DD" -> number(day, 2, part);
      case "DDD" -> number(dayOfYear(), 3, part);
      case "Q" -> {
        if (month != 0) {
          number((month - 1) / 3 + 1L, 1, part);
        }
      }
      case "WW" -> number((dayOfYear() - 1) / 7 + 1L, 2, part);
      case "W" -> number((day - 1) / 7 + 1L, 1, part);
      case "J" -> number(days + 2451545, 1, part);
      case "RM" -> {
        if (month != 0) {
          String roman = ROMAN[Math.floorMod(month - 1, 12)];
          text(sameCase(roman, key), 4, part.fill());
        }
      }
      case "TZ", "TZH", "TZM", "OF" -> {
        refuseForInterval();
        zone(part);
      }
      default -> calendarName(part);
    }
  }

  private void zone(DateFormat.Part part) {
    String key = part.key();
    switch (part.pattern()) {
      case "TZ" -> out.append(sameCase(zoneName, key));
      case "TZH" ->
          out.append(offset < 0 ? '-' : '+').append("%02d".formatted(Math.abs(offset) / 3600));
      case "TZM" -> out.append("%02d".formatted(Math.abs(offset) / 60 % 60));
      case "OF" -> {
        out.append(offset < 0 ? '-' : '+').append("%02d".formatted(Math.abs(offset) / 3600));
        if (offset / 60 % 60 != 0) {
          out.append(":%02d".formatted(Math.abs(offset) / 60 % 60));
        }
      }
      default -> throw new IllegalStateException(key);
    }
  }

  /** Fields that only dates have. */
  private void calendarName(DateFormat.Part part) {
    refuseForInterval();
    String key = part.key();
    switch (part.pattern()) {
      case "MONTH" -> text(sameCase(DateTimeWords.monthName(month), key), 9, part.fill());
      case "MON" -> out.append(sameCase(DateTimeWords.monthName(month).substring(0, 3), key));
      case "DAY" -> text(sameCase(DAYS[DateTimes.dayOfWeek(days)], key), 9, part.fill());
      case "DY" -> out.append(sameCase(DAYS[DateTimes.dayOfWeek(days)].substring(0, 3), key));
      case "D" -> number(DateTimes.dayOfWeek(days) + 1L, 1, part);
      case "ID" -> number((DateTimes.dayOfWeek(days) + 6) % 7 + 1L, 1, part);
      case "IDDD" -> {
        long first = DateTimes.days(isoYear(), 1, 4);
        long monday = first - (DateTimes.dayOfWeek(first) + 6) % 7;
        number(days - monday + 1, 3, part);
      }
      case "IW" -> number(DateTimeFields.isoWeek(days), 2, part);
      default -> throw new IllegalStateException(key);
    }
  }

  private int isoYear() {
    return interval ? year : DateTimeFields.isoYear(days);
  }

  private void refuseForInterval() {
    if (interval) {
      throw new GaussException(
              SqlState.INVALID_DATETIME_FORMAT,
              "invalid format specification for an interval value")
          .hint("Intervals are not tied to specific calendar dates.");
    }
  }

  private void number(long value, int width, DateFormat.Part part) {
    String digits = Long.toString(Math.abs(value));
    out.append(value < 0 ? "-" : "");
    int zeros = part.fill() ? width - digits.length() : 0;
    out.append("0".repeat(Math.max(0, zeros))).append(digits);
    ordinal(value, part);
  }

  private void ordinal(long value, DateFormat.Part part) {
    if (part.ordinal() != null) {
      out.append(NumberFormat.ordinal(value, part.ordinal().charAt(0) == 'T'));
    }
  }

  private void text(String word, int width, boolean fill) {
    out.append(word);
    if (fill) {
      out.append(" ".repeat(Math.max(0, width - word.length())));
    }
  }

  /** Upper case, Capitalised or lower case, like the pattern. */
  private static String sameCase(String word, String pattern) {
    if (Character.isLowerCase(pattern.charAt(0))) {
      return word.toLowerCase(Locale.ROOT);
    }
    boolean all = pattern.length() < 2 || !Character.isLowerCase(pattern.charAt(1));
    return all
        ? word.toUpperCase(Locale.ROOT)
        : word.substring(0, 1).toUpperCase(Locale.ROOT)
            + word.substring(1).toLowerCase(Locale.ROOT);
  }
}
