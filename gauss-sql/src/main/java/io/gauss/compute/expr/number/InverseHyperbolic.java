package io.gauss.compute.expr.number;

/** The inverse hyperbolic functions, which Java does not have. */
final class InverseHyperbolic {
  /** Beyond it x * x + 1 is x * x. */
  private static final double LARGE = 1L << 28;

  private InverseHyperbolic() {}

  static double asinh(double x) {
    if (x == 0 || Double.isInfinite(x)) {
      return x; // keeps the sign of a zero
    }
    double a = Math.abs(x);
    double result =
        a > LARGE ? Math.log(a) + Math.log(2) : Math.log1p(a + a * a / (1 + Math.sqrt(a * a + 1)));
    return Math.copySign(result, x);
  }

  /** For x of at least 1. */
  static double acosh(double x) {
    if (x > LARGE) {
      return Math.log(x) + Math.log(2);
    }
    double t = x - 1;
    return Math.log1p(t + Math.sqrt(2 * t + t * t));
  }

  /** For x from -1 to 1. */
  static double atanh(double x) {
    double a = Math.abs(x);
    if (a == 1) {
      return x < 0 ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
    }
    return Math.copySign(Math.log1p(2 * a / (1 - a)) / 2, x);
  }
}
