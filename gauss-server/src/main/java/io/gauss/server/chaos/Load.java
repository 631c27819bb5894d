package io.gauss.server.chaos;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * All clients of a cluster: on each compute node one of lists, one of the bank, one of counters,
 * one of orders; and one that changes tables, now here, now there. What they were told is compared
 * with what is there while they stand still.
 */
final class Load {
  private static final int JOIN_SECONDS = 120;
  private static final int TRIES = 10;
  private static final int TRY_AGAIN_MS = 2_000;
  private static final String MADE =
      "SELECT count(*) FROM information_schema.columns WHERE table_name = 'lists'";

  private final Servers servers;
  private final SplittableRandom random;
  private final Tally tally = new Tally();
  private final Lists lists;
  private final Bank bank;
  private final Counters counters;
  private final Orders orders;
  private final Ddl ddl;
  private final List<String> anomalies = new ArrayList<>(); // under its lock
  private final List<Thread> threads = new ArrayList<>();
  private int lost;
  private volatile boolean isRunning;

  Load(Servers servers, SplittableRandom random) {
    this.servers = servers;
    this.random = random;
    this.lists = new Lists(this);
    this.bank = new Bank(this);
    this.counters = new Counters(this);
    this.orders = new Orders(this);
    this.ddl = new Ddl(this, random.split());
  }

  Servers servers() {
    return servers;
  }

  Tally tally() {
    return tally;
  }

  boolean isRunning() {
    return isRunning;
  }

  void anomaly(String what) {
    synchronized (anomalies) {
      anomalies.add(what);
    }
  }

  /** Something that was acknowledged is not there. */
  void lost(int count, String what) {
    if (count > 0) {
      synchronized (anomalies) {
        lost += count;
        anomalies.add("LOST " + count + ": " + what);
      }
    }
  }

  /** Acknowledged changes that are not there. */
  int lostCount() {
    synchronized (anomalies) {
      return lost;
    }
  }

  /** Takes what has been found since the last call. */
  List<String> takeAnomalies() {
    synchronized (anomalies) {
      List<String> taken = List.copyOf(anomalies);
      anomalies.clear();
      return taken;
    }
  }

  void createTables() throws SQLException {
    List<String> all = new ArrayList<>(Lists.TABLES);
    all.addAll(Bank.TABLES);
    all.addAll(counters.tables());
    all.addAll(Orders.TABLES);
    insist(first(), connection -> createTables(connection, all));
  }

  /** The first of the nodes that clients use now. */
  int first() {
    return servers.computeNodes().getFirst();
  }

  /** In one transaction: all of them are there, or none, when the answer was lost. */
  private static void createTables(Connection connection, List<String> all) throws SQLException {
    connection.setAutoCommit(false);
    if (number(connection, MADE) > 0) {
      return;
    }
    try (Statement statement = connection.createStatement()) {
      for (String sql : all) {
        statement.execute(sql);
      }
    }
    connection.commit();
  }

  /** The clients begin, with new lists. */
  void start() throws SQLException {
    lists.begin(random.nextBoolean());
    isRunning = true;
    List<Integer> nodes = servers.computeNodes();
    if (!nodes.contains(ddl.node())) {
      ddl.moveTo(first());
    }
    for (int node : nodes) {
      run(lists.client(node, random.split()));
      run(bank.client(node, random.split()));
      run(counters.client(node, random.split()));
      run(orders.client(node, random.split()));
    }
    run(ddl);
  }

  private void run(Client client) {
    Thread thread = new Thread(client, client.name());
    thread.setDaemon(true);
    thread.setUncaughtExceptionHandler((t, e) -> anomaly(client.name() + " ended by " + e));
    threads.add(thread);
    thread.start();
  }

  /** Clients end the transactions that they have begun, and begin no others. */
  void stop() {
    isRunning = false;
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(JOIN_SECONDS);
    for (Thread thread : threads) {
      try {
        thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      if (thread.isAlive()) {
        anomaly("a client hangs: " + thread.getName());
      }
    }
    threads.clear();
  }

  /** Compares, while no client runs, what they were told with what each node has. */
  void check() throws SQLException {
    List<List<String>> contents = new ArrayList<>();
    for (int node : servers.computeNodes()) {
      insist(node, connection -> contents.add(check(node, connection)));
      if (!contents.getLast().equals(contents.getFirst())) {
        anomaly("node " + node + " has other rows than node " + first());
      }
    }
    lists.check();
  }

  /** Does something on a node that may not be over its last fault yet. */
  void insist(int node, Client.Work work) throws SQLException {
    for (int tries = 1; ; tries++) {
      try (Connection connection = servers.connect(node)) {
        work.run(connection);
        return;
      } catch (SQLException e) {
        if (tries == TRIES) {
          throw e;
        }
        Waits.sleep(TRY_AGAIN_MS);
      }
    }
  }

  private List<String> check(int node, Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    lists.read(node, connection);
    bank.check(node, connection);
    counters.check(node, connection);
    orders.check(node, connection);
    ddl.check(node, connection);
    List<String> contents = contents(connection);
    connection.commit();
    rows(connection, "SELECT name, problem FROM gauss.store_check WHERE problem IS NOT NULL")
        .forEach(problem -> anomaly("store_check of node " + node + ": " + problem));
    connection.rollback();
    return contents;
  }

  private static List<String> contents(Connection connection) throws SQLException {
    List<String> all = new ArrayList<>();
    for (String query :
        List.of(
            "SELECT * FROM lists ORDER BY k",
            "SELECT * FROM bank ORDER BY id",
            "SELECT * FROM counter ORDER BY id",
            "SELECT id, count(*), sum(n), max(t) FROM ledger GROUP BY id ORDER BY id",
            "SELECT * FROM warehouse ORDER BY w",
            "SELECT * FROM district ORDER BY w, d",
            "SELECT * FROM orders ORDER BY w, d, o",
            "SELECT * FROM new_order ORDER BY w, d, o",
            "SELECT w, d, o, count(*), sum(quantity) FROM order_line GROUP BY w, d, o"
                + " ORDER BY w, d, o")) {
      all.addAll(rows(connection, query));
    }
    return all;
  }

  /** The rows of a query, with blanks between the columns. */
  static List<String> rows(Connection connection, String query) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(query)) {
      int columns = result.getMetaData().getColumnCount();
      while (result.next()) {
        StringBuilder row = new StringBuilder();
        for (int i = 1; i <= columns; i++) {
          row.append(i == 1 ? "" : " ").append(result.getString(i));
        }
        rows.add(row.toString());
      }
    }
    return rows;
  }

  /** The number that a query gives. */
  static long number(Connection connection, String query) throws SQLException {
    return Long.parseLong(rows(connection, query).getFirst());
  }
}
