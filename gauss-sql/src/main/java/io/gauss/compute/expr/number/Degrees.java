package io.gauss.compute.expr.number;

/**
 * Trigonometry in degrees, exact at multiples of 30 and 45: every function is scaled so that its
 * value there is exact, as in PostgreSQL's float.c.
 */
final class Degrees {
  private static final double PER_DEGREE = Math.PI / 180;
  private static final double SIN_30 = Math.sin(30 * PER_DEGREE);
  private static final double ONE_MINUS_COS_60 = 1 - Math.cos(60 * PER_DEGREE);
  private static final double ASIN_HALF = Math.asin(0.5);
  private static final double ACOS_HALF = Math.acos(0.5);
  private static final double ATAN_1 = Math.atan(1);
  private static final double TAN_45 = quarterSin(45) / quarterCos(45);
  private static final double COT_45 = quarterCos(45) / quarterSin(45);

  private Degrees() {}

  private static double smallSin(double x) {
    return Math.sin(x * PER_DEGREE) / SIN_30 / 2;
  }

  private static double smallCos(double x) {
    return 1 - (1 - Math.cos(x * PER_DEGREE)) / ONE_MINUS_COS_60 / 2;
  }

  /** Between 0 and 90. */
  private static double quarterSin(double x) {
    return x <= 30 ? smallSin(x) : smallCos(90 - x);
  }

  private static double quarterCos(double x) {
    return x <= 60 ? smallCos(x) : smallSin(90 - x);
  }

  static double sin(double degrees) {
    double x = degrees % 360;
    int sign = x < 0 ? -1 : 1;
    x = Math.abs(x);
    if (x > 180) {
      x = 360 - x;
      sign = -sign;
    }
    return sign * quarterSin(x > 90 ? 180 - x : x);
  }

  static double cos(double degrees) {
    double x = Math.abs(degrees % 360);
    if (x > 180) {
      x = 360 - x;
    }
    return x > 90 ? -quarterCos(180 - x) : quarterCos(x);
  }

  static double tan(double degrees) {
    return ratio(degrees, true);
  }

  static double cot(double degrees) {
    return ratio(degrees, false);
  }

  private static double ratio(double degrees, boolean tangent) {
    double x = degrees % 360;
    int sign = x < 0 ? -1 : 1;
    x = Math.abs(x);
    if (x > 180) {
      x = 360 - x;
      sign = -sign;
    }
    if (x > 90) {
      x = 180 - x;
      sign = -sign;
    }
    double result =
        tangent
            ? sign * (quarterSin(x) / quarterCos(x) / TAN_45)
            : sign * (quarterCos(x) / quarterSin(x) / COT_45);
    return result == 0 ? 0 : result; // no minus zero
  }

  /** For x from -1 to 1, as {@link #acos}. */
  static double asin(double x) {
    return x >= 0 ? quarterAsin(x) : -quarterAsin(-x);
  }

  static double acos(double x) {
    return x >= 0 ? quarterAcos(x) : 90 + quarterAsin(-x);
  }

  private static double quarterAsin(double x) {
    return x <= 0.5 ? Math.asin(x) / ASIN_HALF * 30 : 90 - Math.acos(x) / ACOS_HALF * 60;
  }

  private static double quarterAcos(double x) {
    return x <= 0.5 ? 90 - Math.asin(x) / ASIN_HALF * 30 : Math.acos(x) / ACOS_HALF * 60;
  }

  static double atan(double x) {
    return Math.atan(x) / ATAN_1 * 45;
  }

  static double atan2(double y, double x) {
    return Math.atan2(y, x) / ATAN_1 * 45;
  }
}
