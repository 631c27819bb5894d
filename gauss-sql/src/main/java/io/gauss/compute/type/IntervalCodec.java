package io.gauss.compute.type;

/** interval, IntervalStyle postgres. */
final class IntervalCodec extends TypeCodec {
  @Override
  public void writeText(Value value, TypeContext ctx, ByteSink out) {
    int months = Interval.months(value);
    int days = Interval.days(value);
    long micros = Interval.micros(value);
    int start = out.length;
    boolean before = putPart(months / 12, "year", false, start, out);
    before = putPart(months % 12, "mon", before, start, out);
    before = putPart(days, "day", before, start, out);
    if (out.length > start && micros == 0) {
      return;
    }
    if (out.length > start) {
      out.putByte(' ');
    }
    if (micros < 0) {
      out.putByte('-');
    } else if (before) {
      out.putByte('+');
    }
    // Computes with negative numbers, since the smallest long has no positive counterpart.
    long rest = micros < 0 ? micros : -micros;
    long hours = -(rest / DateTimes.USECS_PER_HOUR);
    long minutes = -(rest / DateTimes.USECS_PER_MINUTE % 60);
    long seconds = -(rest / DateTimes.USECS_PER_SECOND % 60);
    out.putDigits(hours, Math.max(2, ByteSink.digits(hours)));
    out.putByte(':');
    out.putDigits(minutes, 2);
    out.putByte(':');
    out.putDigits(seconds, 2);
    DateTimeText.putFraction(-(rest % DateTimes.USECS_PER_SECOND), out);
  }

  /** Appends a part unless it is 0; returns whether the last part printed is negative. */
  private static boolean putPart(int amount, String unit, boolean before, int start, ByteSink out) {
    if (amount == 0) {
      return before;
    }
    if (out.length > start) {
      out.putByte(' ');
    }
    if (before && amount > 0) {
      out.putByte('+');
    }
    out.putDecimal(amount);
    out.putByte(' ');
    out.putString(unit);
    if (amount != 1) {
      out.putByte('s');
    }
    return amount < 0;
  }

  @Override
  public void writeBinary(Value value, ByteSink out) {
    out.putBytes(value.bytes, value.off, Interval.BYTES);
  }

  @Override
  public void readText(byte[] from, int offset, int length, TypeContext ctx, Value out) {
    IntervalParser parser = new IntervalParser(TypeErrors.text(from, offset, length));
    parser.parse();
    Interval.set(out, parser.months(), parser.days(), parser.micros());
  }

  @Override
  public void readBinary(byte[] from, int offset, int length, Value out) {
    TypeErrors.checkLength(PgType.INTERVAL, length, Interval.BYTES);
    out.setBytes(from, offset, length);
  }
}
