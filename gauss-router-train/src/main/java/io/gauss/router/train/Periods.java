package io.gauss.router.train;

import java.util.Arrays;
import java.util.List;

/**
 * Finds the number by which a column's values have to be divided so that the remainder tells the
 * node: keys that are dealt out in turn to so many tenants, or shards. A network cannot find it
 * from the remainders by other numbers.
 */
final class Periods {
  /** Longer ones are not looked for. */
  static final int LONGEST = 512;

  /** Samples of each remainder from which the node is learned, at least. */
  private static final int LEAST_SAMPLES = 5;

  /** By so much a remainder has to tell more than the most frequent node. */
  private static final double LEAST_GAIN = 0.2;

  /** Periods that are worse by less are as good as the best: its multiples are. */
  private static final double AS_GOOD = 0.02;

  private Periods() {}

  /**
   * The shortest of the best periods.
   *
   * @param values of the column
   * @param homes node of each value's sample
   * @return 0 when no period tells the node
   */
  static int of(double[] values, List<Integer> homes) {
    List<Integer> nodes = homes.stream().distinct().sorted().toList();
    int[] node = homes.stream().mapToInt(nodes::indexOf).toArray();
    int longest = Math.min(LONGEST, values.length / 2 / LEAST_SAMPLES);
    double[] right = new double[Math.max(2, longest + 1)];
    double best = 0;
    for (int period = 1; period <= longest; period++) {
      right[period] = right(values, node, nodes.size(), period);
      best = Math.max(best, right[period]);
    }
    if (best < right[1] + LEAST_GAIN) {
      return 0;
    }
    int found = 2;
    while (right[found] < best - AS_GOOD) {
      found++;
    }
    return found;
  }

  /**
   * The share of every second value whose node is the one that most of the others with its
   * remainder have. By the same values any long period would be good.
   */
  private static double right(double[] values, int[] node, int nodes, int period) {
    int[][] counts = new int[period][nodes];
    for (int i = 0; i < values.length; i += 2) {
      counts[remainder(values[i], period)][node[i]]++;
    }
    int[] most = Arrays.stream(counts).mapToInt(Periods::most).toArray();
    int right = 0;
    for (int i = 1; i < values.length; i += 2) {
      right += most[remainder(values[i], period)] == node[i] ? 1 : 0;
    }
    return (double) right / Math.max(1, values.length / 2);
  }

  private static int remainder(double value, int period) {
    return (int) ((value % period + period) % period);
  }

  private static int most(int[] counts) {
    int most = 0;
    for (int i = 1; i < counts.length; i++) {
      most = counts[i] > counts[most] ? i : most;
    }
    return most;
  }
}
