package io.gauss.server.routing;

import io.gauss.jdbc.RoutedConnection;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * An application whose transactions each belong to one of six tenants: they change two accounts and
 * read one. A tenant is a range of accounts, and nothing in a statement says so. Accounts that are
 * used are so far from other tenants' that they share no page group.
 */
final class Tenants implements AutoCloseable {
  static final int TENANTS = 6;

  /** First statement of a transaction. */
  static final String FIRST = "UPDATE account SET v = v + 1 WHERE id = ?";

  private static final int ACCOUNTS = 3_000; // of a tenant, about 130 pages
  private static final int FIRST_USED = 1_000;
  private static final int USED = 1_000;
  private static final int NODES_AT_MOST = 8;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Client> clients = new ArrayList<>();

  /**
   * @param url of the driver
   * @param seed of what each client does
   */
  Tenants(String url, int clients, long seed) throws SQLException {
    for (int i = 0; i < clients; i++) {
      this.clients.add(new Client(DriverManager.getConnection(url), seed + i));
    }
  }

  static void load(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE account (id int PRIMARY KEY, v int, filler text)");
      statement.execute(
          "INSERT INTO account SELECT i, 0, repeat('x', 300) FROM generate_series(0, %d) i"
              .formatted(TENANTS * ACCOUNTS - 1));
    }
  }

  /** An account of a tenant. */
  static int id(int tenant, int account) {
    return tenant * ACCOUNTS + FIRST_USED + account;
  }

  /** Three accounts of a tenant, in order: nobody waits for each other in a circle. */
  static int[] accounts(SplittableRandom random) {
    int tenant = random.nextInt(TENANTS);
    return random.ints(3, 0, USED).map(account -> id(tenant, account)).sorted().toArray();
  }

  /** Version of the publication that the driver routes by; 0 for none. */
  long version() throws SQLException {
    return routed(clients.getFirst().connection).routerReport().version();
  }

  private static RoutedConnection routed(Connection connection) throws SQLException {
    return connection.unwrap(RoutedConnection.class);
  }

  /**
   * Runs at least so many transactions.
   *
   * @return how many of them were not lost with a node, by tenant and number of the node
   */
  int[][] run(int transactions) throws InterruptedException, ExecutionException {
    int each = -Math.floorDiv(-transactions, clients.size());
    List<Future<int[][]>> running = new ArrayList<>();
    for (Client client : clients) {
      running.add(threads.submit(() -> client.run(each)));
    }
    int[][] counts = new int[TENANTS][NODES_AT_MOST];
    for (Future<int[][]> future : running) {
      int[][] counted = future.get();
      for (int tenant = 0; tenant < TENANTS; tenant++) {
        int[] sum = counts[tenant];
        int[] more = counted[tenant];
        Arrays.setAll(sum, node -> sum[node] + more[node]);
      }
    }
    return counts;
  }

  @Override
  public void close() throws SQLException {
    threads.shutdownNow();
    for (Client client : clients) {
      client.connection.close();
    }
  }

  /** A connection with a thread's work. */
  private static final class Client {
    final Connection connection;
    private final SplittableRandom random;

    Client(Connection connection, long seed) throws SQLException {
      this.connection = connection;
      this.random = new SplittableRandom(seed);
      connection.setAutoCommit(false);
    }

    int[][] run(int transactions) throws SQLException {
      int[][] counts = new int[TENANTS][NODES_AT_MOST];
      try (PreparedStatement update = connection.prepareStatement(FIRST);
          PreparedStatement select =
              connection.prepareStatement("SELECT v FROM account WHERE id = ?")) {
        for (int i = 0; i < transactions; i++) {
          int[] ids = accounts(random);
          try {
            change(ids, update, select);
          } catch (SQLException e) {
            if (!isLoss(e)) {
              throw e;
            }
            connection.rollback();
            continue;
          }
          counts[ids[0] / ACCOUNTS][routed(connection).node().number()]++;
        }
      }
      return counts;
    }

    private void change(int[] ids, PreparedStatement update, PreparedStatement select)
        throws SQLException {
      update.setInt(1, ids[0]);
      update.executeUpdate();
      select.setInt(1, ids[1]);
      try (ResultSet row = select.executeQuery()) {
        row.next();
      }
      update.setInt(1, ids[2]);
      update.executeUpdate();
      connection.commit();
    }

    /** Of the node that had the transaction. */
    private static boolean isLoss(SQLException e) {
      return e.getSQLState().startsWith("08") || e.getSQLState().startsWith("57P");
    }
  }
}
