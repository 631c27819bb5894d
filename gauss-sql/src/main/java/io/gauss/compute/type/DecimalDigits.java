package io.gauss.compute.type;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

/**
 * Converts decimal digits to a number in less than quadratic time: halves are converted apart and
 * put together by a multiplication, which Java does in O(n^1.5) for long numbers. BigInteger's own
 * constructor is quadratic, and the longest numeric that there is has 147,455 digits.
 */
final class DecimalDigits {
  /** So short that the quadratic way is the faster one. */
  private static final int SHORT = 512;

  private static final int LONG_DIGITS = 18;

  private final byte[] digits;

  /** 10 to the power of {@link #SHORT} times 2 to the index. */
  private final BigInteger[] powers = new BigInteger[Integer.SIZE];

  private DecimalDigits(byte[] digits) {
    this.digits = digits;
  }

  /**
   * @param digits ASCII digits only; not negative
   */
  static BigInteger toBigInteger(byte[] digits, int from, int to) {
    return new DecimalDigits(digits).convert(from, to);
  }

  private BigInteger convert(int from, int to) {
    int count = to - from;
    if (count <= LONG_DIGITS) {
      long value = 0;
      for (int i = from; i < to; i++) {
        value = value * 10 + (digits[i] - '0');
      }
      return BigInteger.valueOf(value);
    }
    if (count <= SHORT) {
      return new BigInteger(new String(digits, from, count, StandardCharsets.ISO_8859_1));
    }
    int level = 31 - Integer.numberOfLeadingZeros((count - 1) / SHORT);
    int split = to - (SHORT << level);
    return convert(from, split).multiply(power(level)).add(convert(split, to));
  }

  private BigInteger power(int level) {
    if (powers[level] == null) {
      powers[level] = level == 0 ? BigInteger.TEN.pow(SHORT) : power(level - 1).pow(2);
    }
    return powers[level];
  }
}
