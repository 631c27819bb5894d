package io.gauss.compute.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;

/** time without time zone. */
final class TimeCodec extends TypeCodec {
  @Override
  public void writeText(Value value, TypeContext ctx, ByteSink out) {
    DateTimeText.putTime(value.l, out);
  }

  @Override
  public void writeBinary(Value value, ByteSink out) {
    out.putLong(value.l);
  }

  @Override
  public void readText(byte[] from, int offset, int length, TypeContext ctx, Value out) {
    if (length >= 8) {
      long time = isoTime(from, offset, offset + length);
      if (time >= 0) {
        out.setLong(time);
        return;
      }
    }
    DateTimeParser parser =
        new DateTimeParser(PgType.TIME, TypeErrors.text(from, offset, length), ctx);
    parser.parse(true);
    if (parser.special != null) {
      if (!parser.special.equals("now")) {
        throw parser.bad();
      }
      out.setLong(DateTimes.timeOf(DateTimes.toLocal(ctx.timeZone(), ctx.now())));
      return;
    }
    long time = parser.timeOfDay();
    if (time > DateTimes.USECS_PER_DAY) {
      throw parser.fieldOverflow();
    }
    out.setLong(time);
  }

  /** µs of HH:MM:SS[.ffffff] that fills [p, end), or -1. */
  static long isoTime(byte[] b, int p, int end) {
    if (end - p < 8 || end - p > 15 || end - p == 9 || b[p + 2] != ':' || b[p + 5] != ':') {
      return -1;
    }
    int hour = DateCodec.two(b, p);
    int minute = DateCodec.two(b, p + 3);
    int second = DateCodec.two(b, p + 6);
    if ((hour | minute | second) < 0 || hour > 23 || minute > 59 || second > 59) {
      return -1;
    }
    long micros = 0;
    if (end - p > 8) {
      if (b[p + 8] != '.') {
        return -1;
      }
      for (int i = p + 9; i < p + 15; i++) {
        int digit = i < end ? b[i] - '0' : 0;
        if (digit < 0 || digit > 9) {
          return -1;
        }
        micros = micros * 10 + digit;
      }
    }
    return ((hour * 60L + minute) * 60 + second) * DateTimes.USECS_PER_SECOND + micros;
  }

  @Override
  public void readBinary(byte[] from, int offset, int length, Value out) {
    TypeErrors.checkLength(PgType.TIME, length, 8);
    long time = ByteSink.getLong(from, offset);
    if (time < 0 || time > DateTimes.USECS_PER_DAY) {
      throw new GaussException(SqlState.DATETIME_FIELD_OVERFLOW, "time out of range");
    }
    out.setLong(time);
  }
}
