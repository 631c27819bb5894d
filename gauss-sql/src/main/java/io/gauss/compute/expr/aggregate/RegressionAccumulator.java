package io.gauss.compute.expr.aggregate;

import io.gauss.compute.expr.Accumulator;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.type.TypeErrors;
import io.gauss.compute.type.Value;

/**
 * corr, covar_pop, covar_samp and the regr functions over pairs (y, x): sums of squares by the
 * Youngs-Cramer algorithm, in PostgreSQL's order of operations.
 */
final class RegressionAccumulator extends Accumulator {
  /** The requested function; the names are PostgreSQL's. */
  enum Result {
    CORR,
    COVAR_POP,
    COVAR_SAMP,
    REGR_AVGX,
    REGR_AVGY,
    REGR_COUNT,
    REGR_INTERCEPT,
    REGR_R2,
    REGR_SLOPE,
    REGR_SXX,
    REGR_SXY,
    REGR_SYY
  }

  private final Result wanted;
  private double count;
  private double sumX;
  private double sumY;
  private double squaresX;
  private double squaresY;
  private double products;

  RegressionAccumulator(Result wanted) {
    this.wanted = wanted;
  }

  @Override
  public void add(EvalContext ctx, Value[] arguments) {
    if (arguments[1].isNull) {
      return;
    }
    double y = arguments[0].d;
    double x = arguments[1].d;
    count++;
    sumX += x;
    sumY += y;
    if (count > 1) {
      double differenceX = x * count - sumX;
      double differenceY = y * count - sumY;
      double scale = 1.0 / (count * (count - 1));
      squaresX += differenceX * differenceX * scale;
      squaresY += differenceY * differenceY * scale;
      products += differenceX * differenceY * scale;
      checkOverflow(Double.isInfinite(x), Double.isInfinite(y));
    } else {
      boolean finiteX = !Double.isNaN(x) && !Double.isInfinite(x);
      boolean finiteY = !Double.isNaN(y) && !Double.isInfinite(y);
      squaresX = finiteX ? 0 : Double.NaN;
      squaresY = finiteY ? 0 : Double.NaN;
      products = finiteX && finiteY ? 0 : Double.NaN;
    }
  }

  /**
   * A sum that is infinite although no value was is an overflow. With infinite values it becomes
   * NaN.
   */
  private void checkOverflow(boolean infiniteX, boolean infiniteY) {
    boolean overflow =
        (Double.isInfinite(sumX) && !infiniteX)
            || (Double.isInfinite(sumY) && !infiniteY)
            || (Double.isInfinite(squaresX) && !infiniteX)
            || (Double.isInfinite(squaresY) && !infiniteY)
            || (Double.isInfinite(products) && !infiniteX && !infiniteY);
    if (overflow) {
      throw TypeErrors.floatOverflow();
    }
    squaresX = Double.isInfinite(squaresX) ? Double.NaN : squaresX;
    squaresY = Double.isInfinite(squaresY) ? Double.NaN : squaresY;
    products = Double.isInfinite(products) ? Double.NaN : products;
  }

  @Override
  public void merge(EvalContext ctx, Accumulator other) {
    RegressionAccumulator that = (RegressionAccumulator) other;
    if (that.count == 0) {
      return;
    }
    if (count == 0) {
      count = that.count;
      sumX = that.sumX;
      sumY = that.sumY;
      squaresX = that.squaresX;
      squaresY = that.squaresY;
      products = that.products;
      return;
    }
    double differenceX = sumX / count - that.sumX / that.count;
    double differenceY = sumY / count - that.sumY / that.count;
    double total = count + that.count;
    double weight = count * that.count / total;
    squaresX += that.squaresX + weight * differenceX * differenceX;
    squaresY += that.squaresY + weight * differenceY * differenceY;
    products += that.products + weight * differenceX * differenceY;
    sumX += that.sumX;
    sumY += that.sumY;
    count = total;
  }

  @Override
  public void result(EvalContext ctx, Value out) {
    if (wanted == Result.REGR_COUNT) {
      out.setLong((long) count);
    } else if (isUndefined()) {
      out.setNull();
    } else {
      out.setDouble(result());
    }
  }

  private boolean isUndefined() {
    return switch (wanted) {
      case COVAR_SAMP -> count < 2;
      case CORR -> count < 1 || squaresX == 0 || squaresY == 0;
      case REGR_R2, REGR_SLOPE, REGR_INTERCEPT -> count < 1 || squaresX == 0;
      default -> count < 1;
    };
  }

  private double result() {
    return switch (wanted) {
      case CORR -> products / Math.sqrt(squaresX * squaresY);
      case COVAR_POP -> products / count;
      case COVAR_SAMP -> products / (count - 1);
      case REGR_AVGX -> sumX / count;
      case REGR_AVGY -> sumY / count;
      case REGR_COUNT -> count;
      case REGR_INTERCEPT -> (sumY - sumX * products / squaresX) / count;
      case REGR_R2 -> squaresY == 0 ? 1 : products * products / (squaresX * squaresY);
      case REGR_SLOPE -> products / squaresX;
      case REGR_SXX -> squaresX;
      case REGR_SXY -> products;
      case REGR_SYY -> squaresY;
    };
  }

  @Override
  public void reset() {
    count = 0;
    sumX = 0;
    sumY = 0;
    squaresX = 0;
    squaresY = 0;
    products = 0;
  }

  @Override
  public int memorySize() {
    return 72;
  }
}
