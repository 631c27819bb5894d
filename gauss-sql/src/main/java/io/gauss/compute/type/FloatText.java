package io.gauss.compute.type;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * Prints floats as PostgreSQL 12 and later do: the shortest digits that read back to the same
 * value, in the layout of {@code %g}. The digits come from Java's Double.toString, which since JDK
 * 19 returns the shortest ones, except that it never returns fewer than two.
 */
final class FloatText {
  private static final int DIGITS_DOUBLE = 15;
  private static final int DIGITS_SINGLE = 6;

  private FloatText() {}

  static void put(double value, boolean single, int extraDigits, ByteSink out) {
    if (Double.isNaN(value)) {
      out.putString("NaN");
    } else if (Double.isInfinite(value)) {
      out.putString(value > 0 ? "Infinity" : "-Infinity");
    } else if (value == 0) {
      out.putString(1 / value < 0 ? "-0" : "0");
    } else {
      int plain = single ? DIGITS_SINGLE : DIGITS_DOUBLE;
      if (extraDigits > 0) {
        putShortest(value, single, plain, out);
      } else {
        int precision = Math.max(1, plain + extraDigits);
        BigDecimal rounded =
            new BigDecimal(value)
                .round(new MathContext(precision, RoundingMode.HALF_EVEN))
                .stripTrailingZeros();
        String digits = rounded.unscaledValue().abs().toString();
        layOut(value < 0, digits, digits.length() - 1 - rounded.scale(), precision, out);
      }
    }
  }

  private static void putShortest(double value, boolean single, int plain, ByteSink out) {
    String text =
        single ? Float.toString((float) Math.abs(value)) : Double.toString(Math.abs(value));
    // Forms: 123.456 or 1.23E-5. Collect the digits and the exponent of the first one.
    StringBuilder digits = new StringBuilder(20);
    int point = -1;
    int exponent = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '.') {
        point = digits.length();
      } else if (c == 'E') {
        exponent = Integer.parseInt(text.substring(i + 1));
        break;
      } else {
        digits.append(c);
      }
    }
    exponent += point - 1;
    int leading = 0;
    while (digits.charAt(leading) == '0') {
      leading++;
    }
    digits.delete(0, leading);
    exponent -= leading;
    while (digits.length() > 1 && digits.charAt(digits.length() - 1) == '0') {
      digits.setLength(digits.length() - 1);
    }
    if (digits.length() == 2) {
      int one = oneDigit(Math.abs(value), single, digits, exponent);
      if (one > 0) {
        digits.setLength(0);
        digits.append(one == 10 ? 1 : one);
        exponent += one == 10 ? 1 : 0;
      }
    }
    String shortest = digits.toString();
    boolean large = Math.abs(value) >= (single ? 0x1p24 : 0x1p53);
    if (large && isHalfway(value, single, shortest, exponent)) {
      BigDecimal other = insideInterval(value, single);
      shortest = other.unscaledValue().toString();
      exponent = shortest.length() - 1 - other.scale();
    }
    layOut(value < 0, shortest, exponent, plain, out);
  }

  /**
   * Whether the digits stand for the midpoint between two floats. Java accepts it when it rounds to
   * the wanted float, PostgreSQL does not. Only large numbers have midpoints with few digits.
   */
  private static boolean isHalfway(double value, boolean single, String digits, int exponent) {
    double magnitude = Math.abs(value);
    BigDecimal shown = new BigDecimal(digits + "E" + (exponent - digits.length() + 1));
    return isMiddle(shown, magnitude, single);
  }

  private static boolean isMiddle(BigDecimal shown, double magnitude, boolean single) {
    BigDecimal exact = new BigDecimal(magnitude);
    BigDecimal below =
        new BigDecimal(single ? Math.nextDown((float) magnitude) : Math.nextDown(magnitude));
    // Above a power of two the step is twice the one below; such a midpoint does not have few
    // digits.
    BigDecimal above = exact.add(exact).subtract(below);
    BigDecimal twice = shown.multiply(BigDecimal.TWO);
    return twice.compareTo(exact.add(above)) == 0 || twice.compareTo(exact.add(below)) == 0;
  }

  /** The shortest digits strictly inside the interval that reads back. */
  private static BigDecimal insideInterval(double value, boolean single) {
    double magnitude = Math.abs(value);
    BigDecimal exact = new BigDecimal(magnitude);
    for (int n = 1; ; n++) {
      BigDecimal candidate =
          exact.round(new MathContext(n, RoundingMode.HALF_EVEN)).stripTrailingZeros();
      double read = single ? candidate.floatValue() : candidate.doubleValue();
      if (read == magnitude && !isMiddle(candidate, magnitude, single)) {
        return candidate;
      }
    }
  }

  /**
   * The single digit (10: one with a carry) that reads back to the same value, 0 when there is
   * none.
   */
  private static int oneDigit(double value, boolean single, StringBuilder digits, int exponent) {
    int two = (digits.charAt(0) - '0') * 10 + digits.charAt(1) - '0';
    int one = (two + 5) / 10;
    String candidate = one + "E" + exponent;
    boolean same =
        single
            ? Float.parseFloat(candidate) == (float) value
            : Double.parseDouble(candidate) == value;
    return same ? one : 0;
  }

  private static void layOut(
      boolean negative, String digits, int exponent, int plain, ByteSink out) {
    if (negative) {
      out.putByte('-');
    }
    int n = digits.length();
    if (exponent < -4 || exponent >= plain) {
      out.putByte(digits.charAt(0));
      if (n > 1) {
        out.putByte('.');
        out.putString(digits.substring(1));
      }
      out.putByte('e');
      out.putByte(exponent < 0 ? '-' : '+');
      int size = Math.abs(exponent);
      out.putDigits(size, Math.max(2, ByteSink.digits(size)));
    } else if (exponent < 0) {
      out.putString("0.");
      out.fill('0', -exponent - 1);
      out.putString(digits);
    } else if (n <= exponent + 1) {
      out.putString(digits);
      out.fill('0', exponent + 1 - n);
    } else {
      out.putString(digits.substring(0, exponent + 1));
      out.putByte('.');
      out.putString(digits.substring(exponent + 1));
    }
  }
}
