package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Clients that move money between accounts and note each transfer in a history, and remember by
 * themselves what they were told of each: acknowledged, refused, or neither.
 *
 * <p>Refused is what the server has answered with an error that does not leave the outcome open,
 * and what was never sent its COMMIT. Whoever is refused or disconnected starts over.
 */
final class TransferLoad implements AutoCloseable {
  private static final int ACCOUNTS = 200;
  private static final int START_BALANCE = 1_000;
  private static final int MOST_IN_A_ROW = 20;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long PATIENCE_SECONDS = 300;
  private static final Pattern OPEN = Pattern.compile("the outcome of transaction (\\d+) is open");

  private static final String UNKNOWN = "08007";

  enum Outcome {
    ACKNOWLEDGED,
    REFUSED,
    OPEN
  }

  /**
   * What a client knows of one of its transfers.
   *
   * @param xid of one whose outcome is open, where the client was told; else 0
   * @param told SQLSTATE and message of one that was not acknowledged
   */
  private record Transfer(int from, int to, int amount, Outcome outcome, long xid, String told) {}

  private final ClusterProcesses cluster;
  private final List<Integer> computes;
  private final List<Writer> writers = new ArrayList<>();
  private final Progress progress = new Progress();
  private volatile boolean stopped;

  TransferLoad(ClusterProcesses cluster) {
    this(cluster, List.of(1));
  }

  /**
   * @param computes compute nodes that clients connect to, each time to one at random
   */
  TransferLoad(ClusterProcesses cluster, List<Integer> computes) {
    this.cluster = cluster;
    this.computes = List.copyOf(computes);
  }

  /** The tables, and one that is only read. */
  void createTables() throws SQLException {
    // Each may have been done when its client was not told so.
    for (String text :
        List.of(
            "CREATE TABLE IF NOT EXISTS account (id int PRIMARY KEY, balance int)",
            "INSERT INTO account SELECT i, %d FROM generate_series(1, %d) AS g (i) ON CONFLICT DO NOTHING"
                .formatted(START_BALANCE, ACCOUNTS),
            "CREATE TABLE IF NOT EXISTS history (writer int, n int, source int, target int, amount"
                + " int, PRIMARY KEY (writer, n))",
            "CREATE TABLE IF NOT EXISTS fixed (id int PRIMARY KEY, v int)",
            "INSERT INTO fixed SELECT i, i FROM generate_series(1, 1000) AS g (i) ON CONFLICT DO"
                + " NOTHING")) {
      patiently(
          1,
          connection -> {
            try (Statement statement = connection.createStatement()) {
              statement.execute(text);
            }
          });
    }
  }

  /** What is done with a connection. */
  @FunctionalInterface
  private interface Work {
    void run(Connection connection) throws SQLException;
  }

  /**
   * Does something that may be repeated until there is an answer: a machine that stalls, or forces
   * slowly, makes nodes refuse, or lose their places, without any fault of ours.
   */
  private void patiently(int compute, Work work) throws SQLException {
    long begin = System.nanoTime();
    while (true) {
      try (Connection connection = cluster.connect(compute)) {
        work.run(connection);
        return;
      } catch (SQLException e) {
        String state = String.valueOf(e.getSQLState());
        boolean isForNow = state.startsWith("08") || state.startsWith("57P");
        if (!isForNow || System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)) {
          throw e;
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  void start(int count, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < count; i++) {
      writers.add(new Writer(writers.size(), random.split()));
    }
    writers.forEach(writer -> writer.thread.start());
  }

  Progress progress() {
    return progress;
  }

  /** Ends the clients, which end the transaction that they are in. */
  @Override
  public void close() {
    stopped = true;
    for (Writer writer : writers) {
      try {
        writer.thread.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      assertFalse(writer.thread.isAlive(), "a client hangs");
    }
  }

  /** When the last acknowledgement came, and the longest time without one. */
  static final class Progress {
    private long last = System.nanoTime();
    private long longest;
    private long count;

    private synchronized void acknowledged() {
      long now = System.nanoTime();
      longest = Math.max(longest, now - last);
      last = now;
      count++;
    }

    synchronized void reset() {
      longest = 0;
      last = System.nanoTime();
    }

    synchronized long count() {
      return count;
    }

    synchronized long longestGapMillis() {
      return TimeUnit.NANOSECONDS.toMillis(Math.max(longest, System.nanoTime() - last));
    }

    /** Waits for so many more acknowledgements. */
    void await(long more) {
      long wanted = count() + more;
      long begin = System.nanoTime();
      while (count() < wanted) {
        assertTrue(
            System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS),
            "no commits for minutes");
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  private final class Writer implements Runnable {
    private final int id;
    private final SplittableRandom random;
    private final Thread thread = Thread.ofPlatform().name("writer").unstarted(this);
    private final List<Transfer> transfers = new ArrayList<>(); // by number
    private final Map<String, Integer> errors = new TreeMap<>();

    Writer(int id, SplittableRandom random) {
      this.id = id;
      this.random = random;
    }

    @Override
    public void run() {
      while (!stopped) {
        int compute = computes.get(random.nextInt(computes.size()));
        try (Connection connection = cluster.connect(compute)) {
          connection.setAutoCommit(false);
          int count = computes.size() == 1 ? Integer.MAX_VALUE : 1 + random.nextInt(MOST_IN_A_ROW);
          while (!stopped && count-- > 0 && one(connection)) {
            // until something fails, or it is another node's turn
          }
        } catch (SQLException e) {
          // From connecting or closing: there is no transaction whose outcome it could tell.
          errors.merge("connection " + e.getSQLState(), 1, Integer::sum);
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }

    /** One transfer; false when it was not acknowledged. */
    private boolean one(Connection connection) {
      int from = 1 + random.nextInt(ACCOUNTS);
      int to = 1 + (from + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
      int amount = 1 + random.nextInt(5);
      boolean committing = false;
      try {
        update(connection, Math.min(from, to), from < to ? -amount : amount);
        update(connection, Math.max(from, to), from < to ? amount : -amount);
        insert(connection, from, to, amount);
        committing = true;
        connection.commit();
        progress.acknowledged();
        transfers.add(new Transfer(from, to, amount, Outcome.ACKNOWLEDGED, 0, ""));
        return true;
      } catch (SQLException e) {
        String message = String.valueOf(e.getMessage());
        Matcher xid = OPEN.matcher(message);
        boolean told = xid.find();
        // 08007: it was forwarded to a node that was lost while it committed.
        boolean open = told || UNKNOWN.equals(e.getSQLState()) || !message.startsWith("ERROR");
        transfers.add(
            new Transfer(
                from,
                to,
                amount,
                committing && open ? Outcome.OPEN : Outcome.REFUSED,
                told ? Long.parseLong(xid.group(1)) : 0,
                e.getSQLState() + " " + message));
        errors.merge(e.getSQLState() + (told ? " open" : ""), 1, Integer::sum);
        return false;
      }
    }

    private void update(Connection connection, int account, int difference) throws SQLException {
      try (PreparedStatement statement =
          connection.prepareStatement("UPDATE account SET balance = balance + ? WHERE id = ?")) {
        statement.setInt(1, difference);
        statement.setInt(2, account);
        assertEquals(1, statement.executeUpdate());
      }
    }

    private void insert(Connection connection, int from, int to, int amount) throws SQLException {
      try (PreparedStatement statement =
          connection.prepareStatement("INSERT INTO history VALUES (?, ?, ?, ?, ?)")) {
        statement.setInt(1, id);
        statement.setInt(2, transfers.size());
        statement.setInt(3, from);
        statement.setInt(4, to);
        statement.setInt(5, amount);
        assertEquals(1, statement.executeUpdate());
      }
    }
  }

  // ---- afterwards

  /** What the clients were told, by kind; after {@link #close}. */
  Map<String, Integer> summary() {
    Map<String, Integer> all = new TreeMap<>();
    for (Writer writer : writers) {
      writer.transfers.forEach(t -> all.merge(t.outcome().toString(), 1, Integer::sum));
      writer.errors.forEach((error, count) -> all.merge(error, count, Integer::sum));
    }
    return all;
  }

  /** Compares what the clients were told with what a node has; after {@link #close}. */
  void check(int compute) throws SQLException {
    patiently(compute, this::check);
  }

  private void check(Connection connection) throws SQLException {
    Map<Integer, Integer> balances = new HashMap<>();
    int lost = 0;
    List<String> undead = new ArrayList<>(); // what the clients were told
    for (Writer writer : writers) {
      Set<Integer> there = numbers(connection, writer.id);
      for (int n = 0; n < writer.transfers.size(); n++) {
        Transfer transfer = writer.transfers.get(n);
        boolean present = there.remove(n);
        lost += transfer.outcome() == Outcome.ACKNOWLEDGED && !present ? 1 : 0;
        if (transfer.outcome() == Outcome.REFUSED && present) {
          undead.add(transfer.told());
        }
        if (transfer.xid() != 0) {
          checkStatus(connection, transfer.xid(), present);
        }
        if (present) {
          balances.merge(transfer.from(), -transfer.amount(), Integer::sum);
          balances.merge(transfer.to(), transfer.amount(), Integer::sum);
        }
      }
      assertEquals(Set.of(), there, "transfers that nobody has sent");
    }
    assertEquals(0, lost, "acknowledged transfers lost");
    assertEquals(List.of(), undead, "refused transfers that are there");
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT id, balance FROM account")) {
      int total = 0;
      while (rows.next()) {
        total += rows.getInt(2);
        assertEquals(
            START_BALANCE + balances.getOrDefault(rows.getInt(1), 0),
            rows.getInt(2),
            "account " + rows.getInt(1) + " does not fit its history");
      }
      assertEquals(ACCOUNTS * START_BALANCE, total);
    }
    try (Statement statement = connection.createStatement();
        ResultSet problems =
            statement.executeQuery(
                "SELECT name || ': ' || problem FROM gauss.store_check WHERE problem IS NOT"
                    + " NULL")) {
      List<String> found = new ArrayList<>();
      while (problems.next()) {
        found.add(problems.getString(1));
      }
      assertEquals(List.of(), found, "problems of the store");
    }
  }

  private static Set<Integer> numbers(Connection connection, int writer) throws SQLException {
    Set<Integer> numbers = new HashSet<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT n FROM history WHERE writer = " + writer)) {
      while (rows.next()) {
        numbers.add(rows.getInt(1));
      }
    }
    return numbers;
  }

  private static void checkStatus(Connection connection, long xid, boolean present)
      throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT gauss_txn_status(" + xid + ")")) {
      assertTrue(row.next());
      String status = row.getString(1);
      // What is older than the retention time may be forgotten.
      if (!status.equals("unknown")) {
        assertEquals(present ? "committed" : "aborted", status, "transaction " + xid);
      }
    }
  }
}
