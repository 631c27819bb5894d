package io.gauss.bench.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class NonNegativeLeastSquaresTest {
  private final SplittableRandom random = new SplittableRandom(7);

  private double[][] rows(int count, int unknowns) {
    double[][] rows = new double[count][unknowns];
    for (double[] row : rows) {
      for (int i = 0; i < unknowns; i++) {
        row[i] = random.nextDouble();
      }
    }
    return rows;
  }

  private static double[] times(double[][] rows, double... x) {
    double[] result = new double[rows.length];
    for (int r = 0; r < rows.length; r++) {
      for (int i = 0; i < x.length; i++) {
        result[r] += rows[r][i] * x[i];
      }
    }
    return result;
  }

  private static double error(double[][] rows, double[] targets, double[] x) {
    double[] reached = times(rows, x);
    double sum = 0;
    for (int r = 0; r < targets.length; r++) {
      sum += (reached[r] - targets[r]) * (reached[r] - targets[r]);
    }
    return sum;
  }

  @Test
  void whatIsExactIsFoundAlsoWithUnlikeSizes() {
    double[][] rows = rows(20, 4);
    for (double[] row : rows) {
      row[2] *= 1e4;
    }
    double[] expected = {1.5, 0, 0.0002, 7};
    assertArrayEquals(expected, NonNegativeLeastSquares.solve(rows, times(rows, expected)), 1e-6);
  }

  /** What would be negative is 0, and the rest fits as well as it can without it. */
  @Test
  void nothingIsNegativeAndNoNeighbourIsBetter() {
    double[][] rows = rows(40, 5);
    double[] targets = times(rows, 2, -3, 0.5, -0.1, 4);
    double[] solution = NonNegativeLeastSquares.solve(rows, targets);
    assertEquals(0, solution[1]);
    double least = error(rows, targets, solution);
    for (int i = 0; i < solution.length; i++) {
      for (double step : new double[] {0.01, -0.01}) {
        double[] other = solution.clone();
        other[i] = Math.max(0, other[i] + step);
        assertTrue(solution[i] >= 0 && error(rows, targets, other) >= least - 1e-9);
      }
    }
  }

  @Test
  void whatNothingTellsIsZero() {
    double[][] rows = {{1, 0, 1}, {2, 0, 2}};
    double[] solution = NonNegativeLeastSquares.solve(rows, new double[] {3, 6});
    assertEquals(0, solution[1]);
    assertEquals(3, solution[0] + solution[2], 1e-9);
  }
}
