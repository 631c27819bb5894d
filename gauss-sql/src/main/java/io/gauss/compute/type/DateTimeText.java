package io.gauss.compute.type;

import java.time.ZoneId;

/** Prints dates and times in PostgreSQL's ISO style. */
final class DateTimeText {
  private DateTimeText() {}

  static void putDate(long days, ByteSink out) {
    if (!DateTimes.isFiniteDate(days)) {
      out.putString(days > 0 ? "infinity" : "-infinity");
      return;
    }
    long date = DateTimes.date(days);
    int year = DateTimes.year(date);
    putYearMonthDay(date, year, out);
    if (year <= 0) {
      out.putString(" BC");
    }
  }

  private static void putYearMonthDay(long date, int year, ByteSink out) {
    int shown = year > 0 ? year : 1 - year;
    out.putDigits(shown, Math.max(4, ByteSink.digits(shown)));
    out.putByte('-');
    out.putDigits(DateTimes.month(date), 2);
    out.putByte('-');
    out.putDigits(DateTimes.day(date), 2);
  }

  /**
   * @param micros time of day, 0 to 24 hours
   */
  static void putTime(long micros, ByteSink out) {
    long seconds = micros / DateTimes.USECS_PER_SECOND;
    out.putDigits(seconds / 3600, 2);
    out.putByte(':');
    out.putDigits(seconds / 60 % 60, 2);
    out.putByte(':');
    out.putDigits(seconds % 60, 2);
    putFraction(micros % DateTimes.USECS_PER_SECOND, out);
  }

  /** Point and digits without trailing zeros; nothing for 0. */
  static void putFraction(long micros, ByteSink out) {
    if (micros == 0) {
      return;
    }
    out.putByte('.');
    out.putDigits(micros, 6);
    while (out.array[out.length - 1] == '0') {
      out.length--;
    }
  }

  static void putTimestamp(long micros, ByteSink out) {
    if (!DateTimes.isFinite(micros)) {
      out.putString(micros > 0 ? "infinity" : "-infinity");
      return;
    }
    long days = DateTimes.daysOf(micros);
    long date = DateTimes.date(days);
    int year = DateTimes.year(date);
    putYearMonthDay(date, year, out);
    out.putByte(' ');
    putTime(micros - days * DateTimes.USECS_PER_DAY, out);
    if (year <= 0) {
      out.putString(" BC");
    }
  }

  static void putTimestampTz(long micros, ZoneId zone, ByteSink out) {
    if (!DateTimes.isFinite(micros)) {
      out.putString(micros > 0 ? "infinity" : "-infinity");
      return;
    }
    int offset = DateTimes.offsetAt(zone, micros);
    long local = micros + offset * DateTimes.USECS_PER_SECOND;
    long days = DateTimes.daysOf(local);
    long date = DateTimes.date(days);
    int year = DateTimes.year(date);
    putYearMonthDay(date, year, out);
    out.putByte(' ');
    putTime(local - days * DateTimes.USECS_PER_DAY, out);
    putOffset(offset, out);
    if (year <= 0) {
      out.putString(" BC");
    }
  }

  private static void putOffset(int seconds, ByteSink out) {
    out.putByte(seconds < 0 ? '-' : '+');
    int size = Math.abs(seconds);
    out.putDigits(size / 3600, 2);
    if (size % 3600 != 0) {
      out.putByte(':');
      out.putDigits(size / 60 % 60, 2);
      if (size % 60 != 0) {
        out.putByte(':');
        out.putDigits(size % 60, 2);
      }
    }
  }
}
