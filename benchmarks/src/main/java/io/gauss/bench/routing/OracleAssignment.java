package io.gauss.bench.routing;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The best fixed assignment of units to nodes. Units are independent of each other (the loads are
 * built so). Therefore every assignment that keeps each unit on one node has the fewest possible
 * transfers, and the load decides among them: no node may have much more than its share of the
 * trace. Of the remaining assignments it takes the one under which most of the trace's transactions
 * stay on the node where they ran: it is measured alternately with other modes, and an assignment
 * that differs only in the nodes' names would move all pages each time.
 */
final class OracleAssignment {
  /** Load that a node may have above the mean, as a share. */
  private static final double SLACK = 0.1;

  private OracleAssignment() {}

  /**
   * @param trace transactions by unit and node
   * @param nodes numbers of the nodes, at least one
   * @return number of the node by unit
   */
  static int[] of(UnitTally trace, int units, List<Integer> nodes) {
    double all = IntStream.range(0, units).mapToDouble(u -> weight(trace, u)).sum();
    double most = all / nodes.size() * (1 + SLACK);
    double[] loads = new double[nodes.size()];
    int[] assigned = new int[units];
    // The heaviest first: the light ones even out the rest.
    int[] order =
        IntStream.range(0, units)
            .boxed()
            .sorted(Comparator.comparingDouble((Integer u) -> -weight(trace, u)))
            .mapToInt(u -> u)
            .toArray();
    for (int unit : order) {
      int best = favourite(trace, unit, nodes, loads, most - weight(trace, unit));
      loads[best] += weight(trace, unit);
      assigned[unit] = nodes.get(best);
    }
    return assigned;
  }

  /** Units that are not in the trace count little, but more than nothing: they are also spread. */
  private static double weight(UnitTally trace, int unit) {
    return trace.count(unit) + 0.01;
  }

  /**
   * The node where most of the unit ran, among those with room; the node with the least load when
   * none has room.
   */
  private static int favourite(
      UnitTally trace, int unit, List<Integer> nodes, double[] loads, double room) {
    int best = -1;
    for (int n = 0; n < loads.length; n++) {
      if (loads[n] <= room && (best < 0 || isBetter(trace, unit, nodes, loads, n, best))) {
        best = n;
      }
    }
    if (best >= 0) {
      return best;
    }
    double least = Arrays.stream(loads).min().orElseThrow();
    return IntStream.range(0, loads.length)
        .filter(n -> loads[n] == least)
        .findFirst()
        .orElseThrow();
  }

  private static boolean isBetter(
      UnitTally trace, int unit, List<Integer> nodes, double[] loads, int n, int best) {
    int here = trace.count(unit, nodes.get(n));
    int there = trace.count(unit, nodes.get(best));
    return here > there || here == there && loads[n] < loads[best];
  }
}
