package io.gauss.jdbc.cluster;

import io.gauss.jdbc.routing.ClusterNode;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;

/**
 * Keeps the data about a cluster's nodes up to date, by a daemon thread with its own connection:
 * every two seconds, and at once when a connection has lost a node. It asks one node about all
 * nodes, and probes those that were not reached yet or to which something broke, so that no
 * application waits for an unreachable address. In between it asks what the router wants to know.
 * Thread-safe.
 */
final class ClusterMonitor {
  /** Of nodes that do not answer each takes seconds. */
  private static final Probes PROBES = new Probes(8);

  private static final Logger LOG = Logger.getLogger("io.gauss.jdbc");
  private static final long INTERVAL_MILLIS = 2000;

  /** After nodes have joined or left, there are soon new routes for transactions. */
  private static final long HURRIED_INTERVAL_MILLIS = 500;

  private static final long HURRIED_NANOS = TimeUnit.SECONDS.toNanos(15);

  /** Minimum time between requests, also when a node is lost repeatedly. */
  private static final long PAUSE_MILLIS = 100;

  /** Time between the router's questions: those that come meanwhile are asked together. */
  private static final long QUESTIONS_PAUSE_MILLIS = 50;

  /** Loads that are older mean nothing. */
  private static final long LOADS_LAST_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Routes that nobody has confirmed for so long are not used. */
  private static final long ROUTES_LAST_NANOS = TimeUnit.MINUTES.toNanos(5);

  private final Cluster cluster;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private Watch running;
  private boolean isStopped;
  private boolean isWanted;
  private boolean hasQuestions; // of the router
  private boolean hasLooked;

  ClusterMonitor(Cluster cluster) {
    this.cluster = cluster;
  }

  /** It may be started, again after {@link #stop}. */
  void mayStart() {
    lock.lock();
    try {
      isStopped = false;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Does nothing when it already runs, or was stopped: a connection that another thread has aborted
   * reports its loss after the cluster's last user has gone.
   */
  void start() {
    lock.lock();
    try {
      if (running == null && !isStopped) {
        running = new Watch();
        Thread thread = new Thread(running, "gauss-jdbc monitor");
        thread.setDaemon(true);
        thread.start();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until it has tried once to reach the listed nodes, or for this number of ms. Otherwise
   * all connections that are opened at the beginning would be on nodes of the URL.
   */
  void awaitFirstLook(long millis) {
    lock.lock();
    try {
      long left = TimeUnit.MILLISECONDS.toNanos(millis);
      while (running != null && !hasLooked && left > 0) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  private void looked() {
    lock.lock();
    try {
      hasLooked = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Does not wait for its end: it may be waiting for a node that does not answer. */
  void stop() {
    lock.lock();
    try {
      isStopped = true;
      running = null;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void ended(Watch watch) {
    lock.lock();
    try {
      if (running == watch) {
        running = null;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Makes it check immediately. */
  void wake() {
    lock.lock();
    try {
      isWanted = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The router has questions, which need not wait for the next look. */
  void routerAsks() {
    lock.lock();
    try {
      hasQuestions = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Whether the router has questions that nobody has been asked. */
  boolean hasQuestions() {
    lock.lock();
    try {
      return hasQuestions;
    } finally {
      lock.unlock();
    }
  }

  /** One run of the thread, from start to stop. */
  private final class Watch implements Runnable {
    private Connection connection;
    private ClusterNode asked;
    private ClusterNode failing; // it lets in, and does not answer: others are asked first
    private boolean isFailureTold;
    private long newsNanos = System.nanoTime();
    private long hurriedSince = System.nanoTime() - HURRIED_NANOS;

    @Override
    public void run() {
      try {
        boolean continues = true;
        while (continues) {
          look();
          continues = sleep(PAUSE_MILLIS) && answerUntilNextLook();
        }
      } finally {
        ended(this); // also by an error: the next loss starts another one
        disconnect();
      }
    }

    /**
     * Waits until the next look, and asks what the router wants to know meanwhile. Returns false
     * when it is to end.
     */
    private boolean answerUntilNextLook() {
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(interval() - PAUSE_MILLIS);
      while (awaitQuestions(end)) {
        try {
          cluster.askForRouter(connection);
        } catch (SQLException | RuntimeException e) {
          LOG.log(Level.FINE, "a question of the router was not answered", e);
          wake(); // the look finds out what is wrong with the connection
        }
        sleep(QUESTIONS_PAUSE_MILLIS);
      }
      return isRunning();
    }

    /**
     * Returns true when there are questions, and false when there is something else to do. While no
     * node can be asked the questions stay: the router has room for a few only, and who finds no
     * room for another one does not say so again.
     */
    private boolean awaitQuestions(long end) {
      lock.lock();
      try {
        long left = end - System.nanoTime();
        while (running == this && !isWanted && !mayAsk() && left > 0) {
          changed.awaitNanos(left);
          left = end - System.nanoTime();
        }
        boolean asks = running == this && !isWanted && left > 0;
        hasQuestions &= !asks;
        isWanted &= asks;
        return asks;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        running = null;
        return false;
      } finally {
        lock.unlock();
      }
    }

    private boolean mayAsk() {
      return hasQuestions && connection != null;
    }

    private boolean isRunning() {
      lock.lock();
      try {
        return running == this;
      } finally {
        lock.unlock();
      }
    }

    private long interval() {
      return System.nanoTime() - hurriedSince < HURRIED_NANOS
          ? HURRIED_INTERVAL_MILLIS
          : INTERVAL_MILLIS;
    }

    /** Returns false when it is to end. */
    private boolean sleep(long millis) {
      lock.lock();
      try {
        long left = TimeUnit.MILLISECONDS.toNanos(millis);
        while (running == this && left > 0) {
          left = changed.awaitNanos(left);
        }
        return running == this;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        running = null;
        return false;
      } finally {
        lock.unlock();
      }
    }

    private void look() {
      PROBES.of(cluster.nodes().toProbe(System.nanoTime()), cluster::probe);
      looked();
      try {
        if (ask()) {
          newsNanos = System.nanoTime();
          isFailureTold = false;
        }
      } catch (SQLException | RuntimeException e) {
        failed(e);
        if (asked != null && e instanceof SQLException broken) {
          cluster.monitorLost(
              asked, broken); // what answers no questions is probed in the next look
        }
        failing = asked;
        disconnect();
      }
      cluster.lookAtBalance();
      cluster.retireIdle();
      long oldNanos = System.nanoTime() - newsNanos;
      if (oldNanos > LOADS_LAST_NANOS) {
        cluster.nodes().forgetLoads();
      }
      if (oldNanos > ROUTES_LAST_NANOS) {
        cluster.forgetRoutes();
      }
      cluster.forgetSessions(); // which may be the end
    }

    /** Once: it goes on every two seconds. */
    private void failed(Exception e) {
      LOG.log(
          isFailureTold ? Level.FINE : Level.WARNING,
          "nothing new is known of nodes, loads and routes: {0}; it is tried again",
          e.getMessage());
      LOG.log(Level.FINE, "nothing new is known of nodes, loads and routes", e);
      isFailureTold = true;
    }

    private Set<Integer> numbers(List<ClusterNode> nodes) {
      return nodes.stream()
          .filter(ClusterNode::isUsable)
          .map(ClusterNode::number)
          .collect(Collectors.toSet());
    }

    /** Returns whether a node has answered. */
    private boolean ask() throws SQLException {
      if (connection == null && !connect()) {
        return false;
      }
      if (cluster.options().discover()) {
        List<ClusterNode> told = TopologyReader.read(connection, asked);
        if (told != null) {
          List<ClusterNode> known = cluster.topology().nodes();
          if (!numbers(told).equals(numbers(known))) {
            hurriedSince = System.nanoTime();
          }
          cluster.nodes().told(told);
          reachAllBut(known);
          askAnotherWhenDraining();
        }
      }
      if (connection != null) {
        cluster.refreshRouter(connection);
      }
      return true;
    }

    /** A new node gets its share of the work now, not after the next check. */
    private void reachAllBut(List<ClusterNode> known) {
      List<ClusterNode> added = new ArrayList<>(cluster.nodes().toProbe(System.nanoTime()));
      added.removeAll(known);
      PROBES.of(added, cluster::probe);
    }

    private void askAnotherWhenDraining() {
      ClusterNode now = cluster.topology().byAddress(asked.host(), asked.port());
      if (now == null || !now.isUsable()) {
        disconnect();
      }
    }

    private boolean connect() {
      SQLException failure = null;
      List<ClusterNode> nodes = new ArrayList<>(cluster.nodes().open());
      if (nodes.isEmpty()) {
        nodes.addAll(cluster.topology().usable());
      }
      nodes.sort(Comparator.comparing(node -> node.equals(failing))); // stable
      for (ClusterNode node : nodes) {
        try {
          connection = cluster.openForMonitor(node);
          asked = node;
          return true;
        } catch (SQLException e) {
          LOG.log(Level.FINE, "the monitor has no connection to " + node, e);
          failure = e;
        }
      }
      if (failure != null) {
        failed(failure);
      }
      return false;
    }

    private void disconnect() {
      if (connection != null) {
        Closing.quietly(connection);
        connection = null;
      }
    }
  }
}
