package io.gauss.compute.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;

/** date. */
final class DateCodec extends TypeCodec {
  private static final int ISO_LENGTH = 10;

  @Override
  public void writeText(Value value, TypeContext ctx, ByteSink out) {
    DateTimeText.putDate(value.l, out);
  }

  @Override
  public void writeBinary(Value value, ByteSink out) {
    out.putInt((int) value.l);
  }

  @Override
  public void readText(byte[] from, int offset, int length, TypeContext ctx, Value out) {
    if (length == ISO_LENGTH) {
      long days = isoDate(from, offset);
      if (days != Long.MIN_VALUE) {
        out.setLong(days);
        return;
      }
    }
    String text = TypeErrors.text(from, offset, length);
    DateTimeParser parser = new DateTimeParser(PgType.DATE, text, ctx);
    parser.parse(false);
    if (parser.special != null) {
      out.setLong(
          switch (parser.special) {
            case "infinity" -> DateTimes.DATE_INFINITY;
            case "-infinity" -> DateTimes.DATE_MINUS_INFINITY;
            case "epoch" -> -DateTimes.UNIX_EPOCH_DAYS;
            default -> DateTimes.daysOf(DateTimes.toLocal(ctx.timeZone(), ctx.now()));
          });
      return;
    }
    if (!DateTimes.isValidJulian(parser.year, parser.month)) {
      throw outOfRange(text);
    }
    long days = DateTimes.days(parser.year, parser.month, parser.day);
    if (!DateTimes.isValidDate(days)) {
      throw outOfRange(text);
    }
    out.setLong(days);
  }

  private static GaussException outOfRange(String text) {
    return new GaussException(
        SqlState.DATETIME_FIELD_OVERFLOW, "date out of range: \"" + text + "\"");
  }

  /** Days of YYYY-MM-DD at p, or Long.MIN_VALUE when it is not a valid date of that form. */
  static long isoDate(byte[] b, int p) {
    if (b[p + 4] != '-' || b[p + 7] != '-') {
      return Long.MIN_VALUE;
    }
    int year = two(b, p) * 100 + two(b, p + 2);
    int month = two(b, p + 5);
    int day = two(b, p + 8);
    if ((two(b, p) | two(b, p + 2) | month | day) < 0 || year < 1 || month < 1 || month > 12) {
      return Long.MIN_VALUE;
    }
    return day >= 1 && day <= DateTimes.daysOfMonth(year, month)
        ? DateTimes.days(year, month, day)
        : Long.MIN_VALUE;
  }

  /** Two digits at p, or a negative number when they are not digits. */
  static int two(byte[] b, int p) {
    int high = b[p] - '0';
    int low = b[p + 1] - '0';
    return high < 0 || high > 9 || low < 0 || low > 9 ? Integer.MIN_VALUE : high * 10 + low;
  }

  @Override
  public void readBinary(byte[] from, int offset, int length, Value out) {
    TypeErrors.checkLength(PgType.DATE, length, 4);
    int days = ByteSink.getInt(from, offset);
    if (DateTimes.isFiniteDate(days) && !DateTimes.isValidDate(days)) {
      throw TypeErrors.dateOutOfRange();
    }
    out.setLong(days);
  }
}
