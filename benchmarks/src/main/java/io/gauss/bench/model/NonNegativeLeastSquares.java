package io.gauss.bench.model;

import java.util.Arrays;

/**
 * Least squares with non-negative unknowns, by active sets (Lawson and Hanson, Solving Least
 * Squares Problems, 1974, chapter 23). For small dense problems.
 */
final class NonNegativeLeastSquares {
  private static final double TOLERANCE = 1e-10;
  private static final int MOST_ROUNDS = 1000;

  private final double[][] gram;
  private final double[] projected;
  private final int size;

  private NonNegativeLeastSquares(double[][] rows, double[] targets) {
    size = rows[0].length;
    gram = new double[size][size];
    projected = new double[size];
    for (int r = 0; r < rows.length; r++) {
      for (int i = 0; i < size; i++) {
        projected[i] += rows[r][i] * targets[r];
        for (int j = 0; j < size; j++) {
          gram[i][j] += rows[r][i] * rows[r][j];
        }
      }
    }
  }

  /**
   * The x of least |rows x - targets| of which no element is negative.
   *
   * @param rows one for each observation, all of the same length; a column of zeros gets 0
   */
  static double[] solve(double[][] rows, double[] targets) {
    double[] scales = new double[rows[0].length];
    for (double[] row : rows) {
      for (int i = 0; i < scales.length; i++) {
        scales[i] = Math.max(scales[i], Math.abs(row[i]));
      }
    }
    double[][] scaled = new double[rows.length][scales.length];
    for (int r = 0; r < rows.length; r++) {
      for (int i = 0; i < scales.length; i++) {
        scaled[r][i] = scales[i] == 0 ? 0 : rows[r][i] / scales[i];
      }
    }
    double[] solution = new NonNegativeLeastSquares(scaled, targets).solve();
    for (int i = 0; i < scales.length; i++) {
      solution[i] = scales[i] == 0 ? 0 : solution[i] / scales[i];
    }
    return solution;
  }

  private double[] solve() {
    double[] x = new double[size];
    boolean[] passive = new boolean[size];
    for (int round = 0; round < MOST_ROUNDS; round++) {
      int next = steepest(x, passive);
      if (next < 0) {
        return x;
      }
      passive[next] = true;
      double[] candidate = unbounded(passive);
      while (anyNegative(candidate, passive)) {
        step(x, candidate, passive);
        candidate = unbounded(passive);
      }
      x = candidate;
    }
    throw new IllegalStateException("no solution after " + MOST_ROUNDS + " rounds");
  }

  /** The unknown at its bound with which the error falls fastest; -1 when it falls with none. */
  private int steepest(double[] x, boolean[] passive) {
    int best = -1;
    double steepest = TOLERANCE;
    for (int i = 0; i < size; i++) {
      double slope = projected[i];
      for (int j = 0; j < size; j++) {
        slope -= gram[i][j] * x[j];
      }
      if (!passive[i] && slope > steepest) {
        steepest = slope;
        best = i;
      }
    }
    return best;
  }

  private static boolean anyNegative(double[] candidate, boolean[] passive) {
    for (int i = 0; i < candidate.length; i++) {
      if (passive[i] && candidate[i] <= 0) {
        return true;
      }
    }
    return false;
  }

  /** Goes from x towards the candidate as far as nothing becomes negative, and fixes what is 0. */
  private static void step(double[] x, double[] candidate, boolean[] passive) {
    double length = 1;
    for (int i = 0; i < x.length; i++) {
      if (passive[i] && candidate[i] <= 0) {
        length = Math.min(length, x[i] / (x[i] - candidate[i]));
      }
    }
    for (int i = 0; i < x.length; i++) {
      if (passive[i]) {
        x[i] += length * (candidate[i] - x[i]);
        if (x[i] <= TOLERANCE) {
          x[i] = 0;
          passive[i] = false;
        }
      }
    }
  }

  /** Least squares over the passive unknowns alone, by elimination; the others are 0. */
  private double[] unbounded(boolean[] passive) {
    int[] index = new int[size];
    int count = 0;
    for (int i = 0; i < size; i++) {
      if (passive[i]) {
        index[count++] = i;
      }
    }
    double[][] a = new double[count][];
    for (int i = 0; i < count; i++) {
      a[i] = new double[count + 1];
      for (int j = 0; j < count; j++) {
        a[i][j] = gram[index[i]][index[j]];
      }
      a[i][count] = projected[index[i]];
    }
    double[] solved = eliminate(a);
    double[] all = new double[size];
    for (int i = 0; i < count; i++) {
      all[index[i]] = solved[i];
    }
    return all;
  }

  /** Gauss's elimination of a symmetric matrix with its right side; dependent unknowns get 0. */
  private static double[] eliminate(double[][] a) {
    int count = a.length;
    boolean[] used = new boolean[count];
    int[] rowOf = new int[count];
    Arrays.fill(rowOf, -1);
    for (int column = 0; column < count; column++) {
      int pivot = -1;
      for (int row = 0; row < count; row++) {
        if (!used[row] && (pivot < 0 || Math.abs(a[row][column]) > Math.abs(a[pivot][column]))) {
          pivot = row;
        }
      }
      if (pivot < 0 || Math.abs(a[pivot][column]) < TOLERANCE) {
        continue;
      }
      used[pivot] = true;
      rowOf[column] = pivot;
      for (int row = 0; row < count; row++) {
        if (row != pivot) {
          double factor = a[row][column] / a[pivot][column];
          for (int j = column; j <= count; j++) {
            a[row][j] -= factor * a[pivot][j];
          }
        }
      }
    }
    double[] solution = new double[count];
    for (int column = 0; column < count; column++) {
      int row = rowOf[column];
      solution[column] = row < 0 ? 0 : a[row][count] / a[row][column];
    }
    return solution;
  }
}
