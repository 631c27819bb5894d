package io.gauss.compute.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.nio.charset.StandardCharsets;

/** real and double precision. A real is held as the double of the same value. */
final class FloatCodec extends TypeCodec {
  private final boolean single;
  private final PgType type;

  FloatCodec(boolean single) {
    this.single = single;
    this.type = single ? PgType.FLOAT4 : PgType.FLOAT8;
  }

  @Override
  public void writeText(Value value, TypeContext ctx, ByteSink out) {
    FloatText.put(value.d, single, ctx.extraFloatDigits(), out);
  }

  @Override
  public void writeBinary(Value value, ByteSink out) {
    if (single) {
      out.putInt(Float.floatToIntBits((float) value.d));
    } else {
      out.putLong(Double.doubleToLongBits(value.d));
    }
  }

  @Override
  public void readText(byte[] from, int offset, int length, TypeContext ctx, Value out) {
    int start = Ascii.skipSpace(from, offset, offset + length);
    int end = Ascii.trimSpace(from, start, offset + length);
    int n = end - start;
    if (n > 0 && isDecimal(from, start, end)) {
      String text = new String(from, start, n, StandardCharsets.ISO_8859_1);
      double value = single ? Float.parseFloat(text) : Double.parseDouble(text);
      boolean lost = Double.isInfinite(value) || (value == 0 && hasNonZeroDigit(from, start, end));
      if (lost) {
        throw new GaussException(
            SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
            "\"" + text + "\" is out of range for type " + type.displayName());
      }
      out.setDouble(value);
      return;
    }
    boolean signed = n > 0 && (from[start] == '-' || from[start] == '+');
    int word = signed ? start + 1 : start;
    int letters = end - word;
    if (Ascii.equalsIgnoreCase(from, word, letters, "nan") && !signed) {
      out.setDouble(Double.NaN);
    } else if (Ascii.equalsIgnoreCase(from, word, letters, "infinity")
        || Ascii.equalsIgnoreCase(from, word, letters, "inf")) {
      out.setDouble(
          signed && from[start] == '-' ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY);
    } else {
      throw TypeErrors.invalidSyntax(type, from, offset, length);
    }
  }

  private static boolean isDecimal(byte[] from, int p, int end) {
    if (from[p] == '-' || from[p] == '+') {
      p++;
    }
    int digits = 0;
    while (p < end && Ascii.isDigit(from[p])) {
      p++;
      digits++;
    }
    if (p < end && from[p] == '.') {
      p++;
      while (p < end && Ascii.isDigit(from[p])) {
        p++;
        digits++;
      }
    }
    if (digits == 0) {
      return false;
    }
    if (p < end && (from[p] == 'e' || from[p] == 'E')) {
      p++;
      if (p < end && (from[p] == '-' || from[p] == '+')) {
        p++;
      }
      if (p == end) {
        return false;
      }
      while (p < end && Ascii.isDigit(from[p])) {
        p++;
      }
    }
    return p == end;
  }

  private static boolean hasNonZeroDigit(byte[] from, int p, int end) {
    for (; p < end && from[p] != 'e' && from[p] != 'E'; p++) {
      if (from[p] >= '1' && from[p] <= '9') {
        return true;
      }
    }
    return false;
  }

  @Override
  public void readBinary(byte[] from, int offset, int length, Value out) {
    TypeErrors.checkLength(type, length, single ? 4 : 8);
    out.setDouble(
        single
            ? Float.intBitsToFloat(ByteSink.getInt(from, offset))
            : Double.longBitsToDouble(ByteSink.getLong(from, offset)));
  }
}
