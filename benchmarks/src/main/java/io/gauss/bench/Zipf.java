package io.gauss.bench;

import java.util.SplittableRandom;

/**
 * Zipf-distributed numbers by rejection inversion (Hörmann and Derflinger, 1996). Not thread-safe.
 */
public final class Zipf {
  private final int size;
  private final double exponent;
  private final double hIntegralFirst;
  private final double hIntegralLast;
  private final double s;
  private final SplittableRandom random;

  /**
   * @param size numbers are from 0 to size - 1; 0 is the most frequent
   * @param exponent skew, above 0; YCSB's default is 0.99
   */
  public Zipf(int size, double exponent, SplittableRandom random) {
    this.size = size;
    this.exponent = exponent;
    this.random = random;
    this.hIntegralFirst = hIntegral(1.5) - 1;
    this.hIntegralLast = hIntegral(size + 0.5);
    this.s = 2 - hIntegralInverse(hIntegral(2.5) - h(2));
  }

  public int next() {
    while (true) {
      double u = hIntegralLast + random.nextDouble() * (hIntegralFirst - hIntegralLast);
      double x = hIntegralInverse(u);
      int k = (int) Math.max(1, Math.min(size, Math.round(x)));
      if (k - x <= s || u >= hIntegral(k + 0.5) - h(k)) {
        return k - 1;
      }
    }
  }

  private double h(double x) {
    return Math.exp(-exponent * Math.log(x));
  }

  private double hIntegral(double x) {
    double log = Math.log(x);
    return helper2((1 - exponent) * log) * log;
  }

  private double hIntegralInverse(double x) {
    double t = Math.max(-1, x * (1 - exponent));
    return Math.exp(helper1(t) * x);
  }

  private static double helper1(double x) {
    return Math.abs(x) > 1e-8 ? Math.log1p(x) / x : 1 - x * (0.5 - x * (1 / 3.0 - 0.25 * x));
  }

  private static double helper2(double x) {
    return Math.abs(x) > 1e-8 ? Math.expm1(x) / x : 1 + x * 0.5 * (1 + x / 3.0 * (1 + 0.25 * x));
  }
}
