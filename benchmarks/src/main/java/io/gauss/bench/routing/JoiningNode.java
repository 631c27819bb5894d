package io.gauss.bench.routing;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.OptionalDouble;
import java.util.SplittableRandom;

/**
 * Waits under load for one more compute node, and measures how long it takes from being UP until it
 * carries its share. The user adds the node.
 */
public final class JoiningNode {
  static final int POLL_MILLIS = 250;

  /** The share is that of the last second. */
  private static final int POLLS_OF_SHARE = 4;

  private static final int SHOW_EVERY = 4;

  private final RoutedWorkload workload;
  private final RoutingMode mode;
  private final RoutingOptions options;
  private final PrintWriter out;

  public JoiningNode(
      RoutedWorkload workload, RoutingMode mode, RoutingOptions options, PrintWriter out) {
    this.workload = workload;
    this.mode = mode;
    this.options = options;
    this.out = out;
  }

  /**
   * Runs it; prints the share of the new node.
   *
   * @param wanted share of the transactions, 0 to 1
   * @param wait seconds to wait for the node, at most
   * @param most seconds from UP to the share, at most
   * @return seconds from UP to the share; empty when there was no node, or it did not get there
   */
  public OptionalDouble run(double wanted, int wait, int most)
      throws SQLException, InterruptedException {
    SplittableRandom seeds = new SplittableRandom(options.seed());
    try (Connection topology =
            DriverManager.getConnection(
                "jdbc:gauss://" + options.addresses().getFirst() + "/gauss?routing.mode=off",
                options.user(),
                options.password());
        RoutedClients random =
            new RoutedClients(workload, RoutingMode.RANDOM, options, seeds.split(), null, false);
        RoutedClients clients =
            new RoutedClients(workload, mode, options, seeds.split(), null, false)) {
      RoutingLoads.loadIfNeeded(workload, options, out);
      LearningPhase learning = new LearningPhase(options, out);
      learning.run(random);
      learning.untilKnown(clients, mode);
      List<Integer> before = RoutingLoads.numbers(topology);
      out.printf("nodes %s are under load; waiting for one more%n", before);
      out.flush();
      return clients.run(run -> follow(run, topology, before, wanted, wait, most));
    }
  }

  private OptionalDouble follow(
      RoutedClients.Run run,
      Connection topology,
      List<Integer> before,
      double wanted,
      int wait,
      int most)
      throws SQLException, InterruptedException {
    int joined = await(run, topology, before, wait);
    if (joined == 0) {
      out.printf("no node has joined within %d s%n", wait);
      out.flush();
      return OptionalDouble.empty();
    }
    long up = System.nanoTime();
    out.printf("node %d is UP%n", joined);
    ShareOfNode share = new ShareOfNode(POLLS_OF_SHARE);
    share.seen(run.transactions(joined), all(run));
    for (int poll = 1; poll * POLL_MILLIS <= 1000 * most; poll++) {
      run.pass(POLL_MILLIS);
      double now = share.seen(run.transactions(joined), all(run));
      double seconds = (System.nanoTime() - up) / 1e9;
      if (poll % SHOW_EVERY == 0 || now >= wanted) {
        out.printf("after %5.2f s node %d has %5.1f %%%n", seconds, joined, 100 * now);
        out.flush();
      }
      if (now >= wanted) {
        out.printf("%.0f %% after %.2f s%n", 100 * wanted, seconds);
        out.flush();
        return OptionalDouble.of(seconds);
      }
    }
    return OptionalDouble.empty();
  }

  private static int await(
      RoutedClients.Run run, Connection topology, List<Integer> before, int seconds)
      throws SQLException, InterruptedException {
    for (int poll = 0; poll * POLL_MILLIS < 1000 * seconds; poll++) {
      run.pass(POLL_MILLIS);
      for (int number : RoutingLoads.numbersUp(topology)) {
        if (!before.contains(number)) {
          return number;
        }
      }
    }
    return 0;
  }

  private static long all(RoutedClients.Run run) {
    long all = 0;
    for (int node = 1; node < RoutedClients.MOST_NODES; node++) {
      all += run.transactions(node);
    }
    return all;
  }

  /** Share of one node in the transactions of the last polls. */
  static final class ShareOfNode {
    private record Seen(long here, long all) {}

    private final Deque<Seen> last = new ArrayDeque<>();
    private final int polls;

    ShareOfNode(int polls) {
      this.polls = polls;
    }

    /**
     * @param here transactions of the node so far
     * @param all of all nodes so far
     * @return share over the last polls; 0 without transactions
     */
    double seen(long here, long all) {
      last.addLast(new Seen(here, all));
      if (last.size() > polls + 1) {
        last.removeFirst();
      }
      Seen first = last.getFirst();
      return all == first.all() ? 0 : (double) (here - first.here()) / (all - first.all());
    }
  }
}
