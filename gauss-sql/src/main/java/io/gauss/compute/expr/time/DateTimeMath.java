package io.gauss.compute.expr.time;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.type.DateTimes;
import io.gauss.compute.type.Interval;
import io.gauss.compute.type.TypeErrors;
import io.gauss.compute.type.Value;
import java.time.ZoneId;

/**
 * Arithmetic on dates, times, timestamps and intervals, as PostgreSQL's timestamp.c and date.c do
 * it.
 */
public final class DateTimeMath {
  private static final int DAYS_PER_MONTH = 30;
  private static final double SECONDS_PER_DAY = 86400.0;
  private static final double MICROS = 1_000_000.0;

  private DateTimeMath() {}

  static long addDays(long date, long days) {
    if (!DateTimes.isFiniteDate(date)) {
      return date;
    }
    long result = date + days;
    if (!DateTimes.isValidDate(result)) {
      throw TypeErrors.dateOutOfRange();
    }
    return result;
  }

  static long subtractDates(long a, long b) {
    if (!DateTimes.isFiniteDate(a) || !DateTimes.isFiniteDate(b)) {
      throw new GaussException(SqlState.DATETIME_FIELD_OVERFLOW, "cannot subtract infinite dates");
    }
    return a - b;
  }

  private static long checkTimestamp(long micros) {
    if (!DateTimes.isValidTimestamp(micros)) {
      throw TypeErrors.timestampOutOfRange();
    }
    return micros;
  }

  private static long addExact(long a, long b) {
    long sum = a + b;
    if (((a ^ sum) & (b ^ sum)) < 0) {
      throw TypeErrors.timestampOutOfRange();
    }
    return sum;
  }

  /** Months first (the day is limited to the month's end), then days, then time. */
  static long addLocal(long timestamp, long months, long days, long micros) {
    if (!DateTimes.isFinite(timestamp)) {
      return timestamp;
    }
    return checkTimestamp(addExact(addMonthsAndDays(timestamp, months, days), micros));
  }

  private static long addMonthsAndDays(long timestamp, long months, long days) {
    if (months == 0 && days == 0) {
      return timestamp;
    }
    long day = DateTimes.daysOf(timestamp);
    long time = timestamp - day * DateTimes.USECS_PER_DAY;
    if (months != 0) {
      long date = DateTimes.date(day);
      long month = DateTimes.year(date) * 12L + DateTimes.month(date) - 1 + months;
      long year = Math.floorDiv(month, 12L);
      if (year < -4713 || year > 294277) {
        throw TypeErrors.timestampOutOfRange();
      }
      int monthOfYear = (int) Math.floorMod(month, 12L) + 1;
      int dayOfMonth =
          Math.min(DateTimes.day(date), DateTimes.daysOfMonth((int) year, monthOfYear));
      day = DateTimes.days((int) year, monthOfYear, dayOfMonth);
    }
    day += days;
    if (Math.abs(day) > 200_000_000L) {
      throw TypeErrors.timestampOutOfRange();
    }
    return checkTimestamp(day * DateTimes.USECS_PER_DAY + time);
  }

  /** Months and days move local time, the time part moves the instant. */
  static long addZoned(ZoneId zone, long instant, long months, long days, long micros) {
    if (!DateTimes.isFinite(instant)) {
      return instant;
    }
    long moved = instant;
    if (months != 0 || days != 0) {
      long local = addMonthsAndDays(DateTimes.toLocal(zone, instant), months, days);
      moved = DateTimes.toInstant(zone, local);
    }
    return checkTimestamp(addExact(moved, micros));
  }

  /** The beginning of the interval of a width, counted from an origin, that a timestamp lies in. */
  static long bin(Value width, long timestamp, long origin) {
    if (!DateTimes.isFinite(timestamp)) {
      return timestamp;
    }
    if (!DateTimes.isFinite(origin)) {
      throw new GaussException(SqlState.DATETIME_FIELD_OVERFLOW, "origin out of range");
    }
    if (Interval.months(width) != 0) {
      throw new GaussException(
          SqlState.FEATURE_NOT_SUPPORTED,
          "timestamps cannot be binned into intervals containing months or years");
    }
    long stride;
    long difference;
    try {
      stride =
          Math.addExact(
              Math.multiplyExact((long) Interval.days(width), DateTimes.USECS_PER_DAY),
              Interval.micros(width));
      difference = Math.subtractExact(timestamp, origin);
    } catch (ArithmeticException e) {
      throw new GaussException(SqlState.DATETIME_FIELD_OVERFLOW, "interval out of range", e);
    }
    if (stride <= 0) {
      throw new GaussException(
          SqlState.DATETIME_FIELD_OVERFLOW, "stride must be greater than zero");
    }
    long start;
    try {
      start = Math.subtractExact(timestamp, Math.floorMod(difference, stride));
    } catch (ArithmeticException e) {
      throw TypeErrors.timestampOutOfRange();
    }
    return checkTimestamp(start);
  }

  /** Difference in days and time. */
  static void subtractTimestamps(long a, long b, Value out) {
    if (!DateTimes.isFinite(a) || !DateTimes.isFinite(b)) {
      throw new GaussException(
          SqlState.DATETIME_FIELD_OVERFLOW, "cannot subtract infinite timestamps");
    }
    if (((a ^ b) & (a ^ (a - b))) < 0) {
      throw TypeErrors.intervalOutOfRange();
    }
    long micros = a - b;
    long days = micros / DateTimes.USECS_PER_DAY;
    Interval.set(out, 0, days, micros - days * DateTimes.USECS_PER_DAY);
  }

  /** Difference in years, months, days and time of two local times. */
  static void age(long a, long b, Value out) {
    if (!DateTimes.isFinite(a) || !DateTimes.isFinite(b)) {
      throw TypeErrors.timestampOutOfRange();
    }
    boolean negative = a < b;
    long later = negative ? b : a;
    long earlier = negative ? a : b;
    long laterDate = DateTimes.date(DateTimes.daysOf(later));
    long earlierDate = DateTimes.date(DateTimes.daysOf(earlier));
    long months =
        (DateTimes.year(laterDate) - DateTimes.year(earlierDate)) * 12L
            + DateTimes.month(laterDate)
            - DateTimes.month(earlierDate);
    int days = DateTimes.day(laterDate) - DateTimes.day(earlierDate);
    long micros = DateTimes.timeOf(later) - DateTimes.timeOf(earlier);
    if (micros < 0) {
      micros += DateTimes.USECS_PER_DAY;
      days--;
    }
    while (days < 0) {
      // Days are borrowed from the month of the earlier time.
      long borrowed = earlierDate;
      days += DateTimes.daysOfMonth(DateTimes.year(borrowed), DateTimes.month(borrowed));
      months--;
    }
    if (negative) {
      Interval.set(out, -months, -days, -micros);
    } else {
      Interval.set(out, months, days, micros);
    }
  }

  public static void add(Value a, Value b, Value out) {
    Interval.set(
        out,
        (long) Interval.months(a) + Interval.months(b),
        (long) Interval.days(a) + Interval.days(b),
        addTimes(Interval.micros(a), Interval.micros(b)));
  }

  public static void subtract(Value a, Value b, Value out) {
    long micros = Interval.micros(a) - Interval.micros(b);
    if (((Interval.micros(a) ^ Interval.micros(b)) & (Interval.micros(a) ^ micros)) < 0) {
      throw TypeErrors.intervalOutOfRange();
    }
    Interval.set(
        out,
        (long) Interval.months(a) - Interval.months(b),
        (long) Interval.days(a) - Interval.days(b),
        micros);
  }

  static void negate(Value a, Value out) {
    if (Interval.micros(a) == Long.MIN_VALUE) {
      throw TypeErrors.intervalOutOfRange();
    }
    Interval.set(out, -(long) Interval.months(a), -(long) Interval.days(a), -Interval.micros(a));
  }

  private static long addTimes(long a, long b) {
    long sum = a + b;
    if (((a ^ sum) & (b ^ sum)) < 0) {
      throw TypeErrors.intervalOutOfRange();
    }
    return sum;
  }

  public static void multiply(Value a, double factor, Value out) {
    scale(Interval.months(a) * factor, Interval.days(a) * factor, Interval.micros(a) * factor, out);
  }

  public static void divide(Value a, double divisor, Value out) {
    if (divisor == 0) {
      throw TypeErrors.divisionByZero();
    }
    scale(
        Interval.months(a) / divisor,
        Interval.days(a) / divisor,
        Interval.micros(a) / divisor,
        out);
  }

  /** Fractions of months are carried to days, fractions of days to time. */
  private static void scale(double months, double days, double micros, Value out) {
    if (!fitsInt(months) || !fitsInt(days)) {
      throw TypeErrors.intervalOutOfRange();
    }
    long wholeMonths = (long) months;
    long wholeDays = (long) days;
    double monthRest = roundMicros((months - wholeMonths) * DAYS_PER_MONTH);
    double seconds =
        roundMicros((days - wholeDays + monthRest - (int) monthRest) * SECONDS_PER_DAY);
    if (Math.abs(seconds) >= SECONDS_PER_DAY) {
      long carry = (long) (seconds / SECONDS_PER_DAY);
      wholeDays += carry;
      seconds -= carry * SECONDS_PER_DAY;
    }
    wholeDays += (int) monthRest;
    double total = Math.rint(micros + seconds * MICROS);
    if (Double.isNaN(total) || total < -0x1p63 || total >= 0x1p63) {
      throw TypeErrors.intervalOutOfRange();
    }
    Interval.set(out, wholeMonths, wholeDays, (long) total);
  }

  private static boolean fitsInt(double value) {
    return value >= Integer.MIN_VALUE && value < 0x1p31;
  }

  private static double roundMicros(double seconds) {
    return Math.rint(seconds * MICROS) / MICROS;
  }

  /** Moves whole days from time to days, so that |time| &lt; 24 h, and signs agree. */
  static void justifyHours(Value a, Value out) {
    long days = Interval.days(a) + Interval.micros(a) / DateTimes.USECS_PER_DAY;
    long micros = Interval.micros(a) % DateTimes.USECS_PER_DAY;
    if (days > 0 && micros < 0) {
      micros += DateTimes.USECS_PER_DAY;
      days--;
    } else if (days < 0 && micros > 0) {
      micros -= DateTimes.USECS_PER_DAY;
      days++;
    }
    Interval.set(out, Interval.months(a), days, micros);
  }

  /** Moves 30 days at a time from days to months. */
  static void justifyDays(Value a, Value out) {
    long months = Interval.months(a) + (long) (Interval.days(a) / DAYS_PER_MONTH);
    long days = Interval.days(a) % DAYS_PER_MONTH;
    if (months > 0 && days < 0) {
      days += DAYS_PER_MONTH;
      months--;
    } else if (months < 0 && days > 0) {
      days -= DAYS_PER_MONTH;
      months++;
    }
    Interval.set(out, months, days, Interval.micros(a));
  }

  static void justifyInterval(Value a, Value out) {
    long days = Interval.days(a) + Interval.micros(a) / DateTimes.USECS_PER_DAY;
    long micros = Interval.micros(a) % DateTimes.USECS_PER_DAY;
    long months = Interval.months(a) + days / DAYS_PER_MONTH;
    days %= DAYS_PER_MONTH;
    if (months > 0 && (days < 0 || (days == 0 && micros < 0))) {
      days += DAYS_PER_MONTH;
      months--;
    } else if (months < 0 && (days > 0 || (days == 0 && micros > 0))) {
      days -= DAYS_PER_MONTH;
      months++;
    }
    if (days > 0 && micros < 0) {
      micros += DateTimes.USECS_PER_DAY;
      days--;
    } else if (days < 0 && micros > 0) {
      micros -= DateTimes.USECS_PER_DAY;
      days++;
    }
    Interval.set(out, months, days, micros);
  }
}
