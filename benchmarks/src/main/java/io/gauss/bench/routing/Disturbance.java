package io.gauss.bench.routing;

import java.io.IOException;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Measures what clients notice when a compute node leaves, or when the node that learns is killed
 * and started again: transactions and failures second by second, the longest time without a
 * transaction, and whether transactions go to other nodes than before.
 */
public final class Disturbance {
  private static final int POLL_MILLIS = 250;
  private static final int POLLS_PER_SECOND = 1000 / POLL_MILLIS;

  /** A node that was killed is up again within two minutes, or not at all. */
  private static final int MOST_POLLS_TO_UP = 120 * POLLS_PER_SECOND;

  private final RoutedWorkload workload;
  private final RoutingMode mode;
  private final RoutingOptions options;
  private final PrintWriter out;
  private final List<Long> transactions = new ArrayList<>(); // by quarter of a second
  private final RestartedCounts placed = new RestartedCounts(); // pages
  private long soFar;

  public Disturbance(
      RoutedWorkload workload, RoutingMode mode, RoutingOptions options, PrintWriter out) {
    this.workload = workload;
    this.mode = mode;
    this.options = options;
    this.out = out;
  }

  /** An event and the time that follows, while the clients run. */
  private interface Event {
    /** Returns false when it did not happen. */
    boolean run(RoutedClients.Run run) throws SQLException, InterruptedException, IOException;
  }

  /**
   * Waits until a compute node leaves, which the user has it do.
   *
   * @param wait seconds to wait, at most
   * @param after seconds measured afterwards
   * @return whether one has left
   */
  public boolean leave(int wait, int after) throws SQLException, InterruptedException, IOException {
    Set<Integer> before = new HashSet<>(numbers());
    return run(
        run -> {
          out.printf("nodes %s are under load; waiting until one leaves%n", before);
          out.flush();
          for (int poll = 0; poll < wait * POLLS_PER_SECOND; poll++) {
            pass(run, POLL_MILLIS);
            Set<Integer> gone = new HashSet<>(before);
            numbers().forEach(gone::remove);
            if (!gone.isEmpty()) {
              out.printf("node %s has left%n", gone);
              watch(run, after);
              return true;
            }
          }
          out.printf("no node has left within %d s%n", wait);
          return false;
        });
  }

  /**
   * Kills the node that learns, and starts it again.
   *
   * @param times how often
   * @param every seconds from one time to the next
   * @param after seconds measured afterwards, from when all nodes are up again
   */
  public boolean restartLearner(int times, int every, int after)
      throws SQLException, InterruptedException, IOException {
    LearningNode learner = new LearningNode(options);
    int nodes = numbers().size();
    return run(
        run -> {
          for (int i = 0; i < times; i++) {
            lookAtPlaced(); // what the node has counted ends with it
            out.printf("killing the node that learns, pid %d%n", learner.killAndStart());
            watch(run, every);
          }
          for (int poll = 0; numbers().size() < nodes && poll < MOST_POLLS_TO_UP; poll++) {
            pass(run, POLL_MILLIS);
          }
          out.printf("nodes %s are up%n", numbers());
          watch(run, after);
          return true;
        });
  }

  private boolean run(Event event) throws SQLException, InterruptedException, IOException {
    SplittableRandom seeds = new SplittableRandom(options.seed());
    try (RoutedClients random =
            new RoutedClients(workload, RoutingMode.RANDOM, options, seeds.split(), null, false);
        RoutedClients clients =
            new RoutedClients(workload, mode, options, seeds.split(), null, true)) {
      RoutingLoads.loadIfNeeded(workload, options, out);
      LearningPhase learning = new LearningPhase(options, out);
      learning.run(random);
      learning.untilKnown(clients, mode);
      RoutedClient.Tally before = measured(clients);
      lookAtPlaced();
      long placedBefore = placed.sum();
      RoutedClient.Tally meanwhile = new RoutedClient.Tally();
      transactions.clear();
      boolean happened = during(clients, event, meanwhile);
      lookAtPlaced();
      int longest = longestPauseMillis();
      RoutedClient.Tally after = measured(clients);
      double seconds = options.seconds();
      out.printf(
          "before %.0f/s, afterwards %.0f/s; meanwhile %d transactions failed, at most %d ms"
              + " without one; %d pages were placed; %.1f %% of the transactions run on another"
              + " node than most of their part before%n",
          before.latencyUs.getTotalCount() / seconds,
          after.latencyUs.getTotalCount() / seconds,
          meanwhile.failures,
          longest,
          placed.sum() - placedBefore,
          100 * after.units.elsewhereThan(before.units));
      out.flush();
      return happened;
    }
  }

  private boolean during(RoutedClients clients, Event event, RoutedClient.Tally into)
      throws SQLException, InterruptedException, IOException {
    record Outcome(boolean happened, IOException failure) {}
    Outcome outcome =
        clients.run(
            run -> {
              soFar = all(run);
              run.measure(true);
              try {
                return new Outcome(event.run(run), null);
              } catch (IOException e) {
                return new Outcome(false, e);
              }
            });
    into.add(clients.takeTally());
    if (outcome.failure != null) {
      throw outcome.failure;
    }
    return outcome.happened;
  }

  private RoutedClient.Tally measured(RoutedClients clients)
      throws SQLException, InterruptedException {
    clients.run(
        run -> {
          run.pass(1000L * options.settle());
          run.measure(true);
          run.pass(1000L * options.seconds());
          run.measure(false);
          return null;
        });
    return clients.takeTally();
  }

  private void watch(RoutedClients.Run run, int seconds) throws SQLException, InterruptedException {
    for (int second = 1; second <= seconds; second++) {
      long sum = 0;
      for (int poll = 0; poll < POLLS_PER_SECOND; poll++) {
        pass(run, POLL_MILLIS);
        sum += transactions.getLast();
      }
      out.printf("after %3d s %7d transactions%n", second, sum);
      out.flush();
    }
  }

  private void pass(RoutedClients.Run run, long millis) throws SQLException, InterruptedException {
    run.pass(millis);
    long now = all(run);
    transactions.add(now - soFar);
    soFar = now;
  }

  private static long all(RoutedClients.Run run) {
    long all = 0;
    for (int node = 1; node < RoutedClients.MOST_NODES; node++) {
      all += run.transactions(node);
    }
    return all;
  }

  /** To a quarter of a second. */
  private int longestPauseMillis() {
    int longest = 0;
    int now = 0;
    for (long of : transactions) {
      now = of == 0 ? now + POLL_MILLIS : 0;
      longest = Math.max(longest, now);
    }
    return longest;
  }

  // ---------------------------------------------------------------- what nodes tell

  private List<Integer> numbers() throws SQLException {
    SQLException failure = null;
    for (String address : options.addresses()) {
      try (Connection connection = connect(address)) {
        return RoutingLoads.numbersUp(connection);
      } catch (SQLException e) {
        failure = e; // it has left
      }
    }
    throw failure;
  }

  /** Asks the nodes that are there for the pages that have come since they should own them. */
  private void lookAtPlaced() {
    for (String address : options.addresses()) {
      try (Connection connection = connect(address);
          Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery("SELECT placed FROM gauss.page_placement")) {
        if (row.next()) {
          placed.saw(address, row.getLong(1));
        }
      } catch (SQLException e) {
        out.printf("%s does not tell: %s%n", address, e.getMessage());
      }
    }
  }

  private Connection connect(String address) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:gauss://" + address + "/gauss?routing.mode=off", options.user(), options.password());
  }
}
