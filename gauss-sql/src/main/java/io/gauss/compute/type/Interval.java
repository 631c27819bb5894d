package io.gauss.compute.type;

/** The fields of an interval value and its 16 bytes. */
public final class Interval {
  public static final int BYTES = 16;
  private static final int DAYS = 8;
  private static final int MONTHS = 12;
  private static final long DAYS_PER_MONTH = 30;

  private Interval() {}

  /** Time part, µs. */
  public static long micros(Value value) {
    return ByteSink.getLong(value.bytes, value.off);
  }

  public static int days(Value value) {
    return ByteSink.getInt(value.bytes, value.off + DAYS);
  }

  public static int months(Value value) {
    return ByteSink.getInt(value.bytes, value.off + MONTHS);
  }

  /** Sets a value to an interval, in a byte array that it does not share. */
  public static void set(Value out, long months, long days, long micros) {
    if ((int) months != months || (int) days != days) {
      throw TypeErrors.intervalOutOfRange();
    }
    ByteSink sink = new ByteSink(BYTES);
    sink.putLong(micros);
    sink.putInt((int) days);
    sink.putInt((int) months);
    out.setBytes(sink.array, 0, BYTES);
  }

  /** Orders by length, a month being 30 days and a day 24 hours. */
  static int compare(Value a, Value b) {
    // 128-bit comparison in two parts: whole days, then the rest.
    int byDays = Long.compare(wholeDays(a), wholeDays(b));
    return byDays != 0 ? byDays : Long.compare(restMicros(a), restMicros(b));
  }

  /** Length in days, rounded down. */
  public static long wholeDays(Value value) {
    return months(value) * DAYS_PER_MONTH
        + days(value)
        + Math.floorDiv(micros(value), DateTimes.USECS_PER_DAY);
  }

  /** The remainder of {@link #wholeDays}: µs, less than a day. */
  public static long restMicros(Value value) {
    return Math.floorMod(micros(value), DateTimes.USECS_PER_DAY);
  }
}
