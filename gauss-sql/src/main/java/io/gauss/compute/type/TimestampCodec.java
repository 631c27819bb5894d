package io.gauss.compute.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.time.ZoneId;

/** timestamp, and timestamptz, which is read and printed in the session's time zone. */
final class TimestampCodec extends TypeCodec {
  private static final int ISO_DATE = 10;
  private static final int SHORTEST = 19;

  private final boolean zoned;
  private final PgType type;

  TimestampCodec(boolean zoned) {
    this.zoned = zoned;
    this.type = zoned ? PgType.TIMESTAMPTZ : PgType.TIMESTAMP;
  }

  @Override
  public void writeText(Value value, TypeContext ctx, ByteSink out) {
    if (zoned) {
      DateTimeText.putTimestampTz(value.l, ctx.timeZone(), out);
    } else {
      DateTimeText.putTimestamp(value.l, out);
    }
  }

  @Override
  public void writeBinary(Value value, ByteSink out) {
    out.putLong(value.l);
  }

  @Override
  public void readText(byte[] from, int offset, int length, TypeContext ctx, Value out) {
    if (length >= SHORTEST && readIso(from, offset, length, ctx, out)) {
      return;
    }
    String text = TypeErrors.text(from, offset, length);
    DateTimeParser parser = new DateTimeParser(type, text, ctx);
    parser.parse(false);
    if (parser.special != null) {
      out.setLong(special(parser.special, ctx));
      return;
    }
    if (!DateTimes.isValidJulian(parser.year, parser.month)) {
      throw outOfRange(text);
    }
    long days = DateTimes.days(parser.year, parser.month, parser.day);
    long time = parser.timeOfDay();
    long high = Math.multiplyHigh(days, DateTimes.USECS_PER_DAY);
    long low = days * DateTimes.USECS_PER_DAY;
    if (high != low >> 63) {
      throw outOfRange(text);
    }
    long micros = low + time;
    if (zoned) {
      ZoneId zone = parser.zone == null ? ctx.timeZone() : parser.zone;
      if (!DateTimes.isFinite(micros)) {
        throw outOfRange(text);
      }
      micros -= DateTimes.offsetOfLocal(zone, micros) * DateTimes.USECS_PER_SECOND;
    }
    if (!DateTimes.isValidTimestamp(micros)) {
      throw outOfRange(text);
    }
    out.setLong(micros);
  }

  private long special(String word, TypeContext ctx) {
    return switch (word) {
      case "infinity" -> DateTimes.INFINITY;
      case "-infinity" -> DateTimes.MINUS_INFINITY;
      case "epoch" -> -DateTimes.UNIX_EPOCH_SECONDS * DateTimes.USECS_PER_SECOND;
      default -> zoned ? ctx.now() : DateTimes.toLocal(ctx.timeZone(), ctx.now());
    };
  }

  private GaussException outOfRange(String text) {
    return new GaussException(
        SqlState.DATETIME_FIELD_OVERFLOW, "timestamp out of range: \"" + text + "\"");
  }

  /** YYYY-MM-DD HH:MM:SS[.ffffff], for timestamptz with or without Z, +hh or +hh:mm. */
  private boolean readIso(byte[] b, int offset, int length, TypeContext ctx, Value out) {
    int separator = b[offset + ISO_DATE];
    if (separator != ' ' && separator != 'T') {
      return false;
    }
    int end = offset + length;
    int zoneAt = offset + SHORTEST;
    while (zoneAt < end && (Ascii.isDigit(b[zoneAt]) || b[zoneAt] == '.')) {
      zoneAt++;
    }
    long days = DateCodec.isoDate(b, offset);
    if (days == Long.MIN_VALUE) {
      return false;
    }
    long time = TimeCodec.isoTime(b, offset + ISO_DATE + 1, zoneAt);
    if (time < 0) {
      return false;
    }
    long micros = days * DateTimes.USECS_PER_DAY + time;
    int zoneLength = end - zoneAt;
    if (!zoned) {
      if (zoneLength != 0) {
        return false;
      }
    } else if (zoneLength == 0) {
      micros = DateTimes.toInstant(ctx.timeZone(), micros);
    } else if (zoneLength == 1 && b[zoneAt] == 'Z') {
      // The value is in UTC already.
    } else if ((b[zoneAt] == '+' || b[zoneAt] == '-')
        && (zoneLength == 3 || (zoneLength == 6 && b[zoneAt + 3] == ':'))) {
      int hours = DateCodec.two(b, zoneAt + 1);
      int minutes = zoneLength == 6 ? DateCodec.two(b, zoneAt + 4) : 0;
      if ((hours | minutes) < 0 || hours > 15 || minutes > 59) {
        return false;
      }
      long shift = (hours * 60L + minutes) * DateTimes.USECS_PER_MINUTE;
      micros += b[zoneAt] == '+' ? -shift : shift;
    } else {
      return false;
    }
    out.setLong(micros);
    return true;
  }

  @Override
  public void readBinary(byte[] from, int offset, int length, Value out) {
    TypeErrors.checkLength(type, length, 8);
    long micros = ByteSink.getLong(from, offset);
    if (DateTimes.isFinite(micros) && !DateTimes.isValidTimestamp(micros)) {
      throw TypeErrors.timestampOutOfRange();
    }
    out.setLong(micros);
  }
}
