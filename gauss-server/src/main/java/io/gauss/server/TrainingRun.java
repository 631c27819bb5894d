package io.gauss.server;

import io.gauss.common.task.ChosenPorts;
import io.gauss.common.transport.ClusterKeyFile;
import io.gauss.compute.node.NodeSettings;
import io.gauss.memory.node.MemoryNodeSettings;
import io.gauss.storage.disk.PrivateFiles;
import io.gauss.storage.node.StorageNodeSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;

/**
 * What the build runs once for the JVM's ahead-of-time cache: every kind of node starts in this
 * process, does a little of everything that clients ask for, and stops. The JVM writes down which
 * classes were loaded and which methods were busy, so that nodes started later need not find it out
 * again.
 *
 * <p>Not a command: the launcher runs it. The process ends with 0, or with 1 and what went wrong.
 */
public final class TrainingRun {
  /** The compute node has number 1. */
  private static final int STORAGE_NODE = 2;

  private static final int MEMORY_NODE = 3;

  /** Long enough for the statements of a point query to be compiled, and no more. */
  private static final long BUSY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final List<String> STATEMENTS =
      List.of(
          "CREATE TABLE trained (id int PRIMARY KEY, name text NOT NULL, amount numeric(12, 2), at"
              + " timestamptz DEFAULT now())",
          "CREATE TABLE line (id bigserial PRIMARY KEY, trained int REFERENCES trained ON DELETE"
              + " CASCADE, quantity int CHECK (quantity > 0))",
          "CREATE INDEX trained_name ON trained (name)",
          "INSERT INTO trained SELECT i, 'name ' || i, i * 1.5 FROM generate_series(1, 2000) i",
          "INSERT INTO line (trained, quantity) SELECT id, 1 + id % 7 FROM trained",
          "INSERT INTO trained VALUES (1, 'again', 2) ON CONFLICT (id) DO UPDATE SET amount ="
              + " trained.amount + excluded.amount RETURNING amount",
          "ANALYZE",
          "SELECT t.name, sum(l.quantity) FROM trained t JOIN line l ON l.trained = t.id WHERE"
              + " t.id < 100 GROUP BY t.name HAVING count(*) > 0 ORDER BY 2 DESC, 1 LIMIT 10",
          "SELECT count(DISTINCT quantity), avg(trained), max(id) FROM line",
          "SELECT name FROM trained WHERE EXISTS (SELECT FROM line WHERE trained = trained.id) AND"
              + " name LIKE 'name 1%' ORDER BY amount OFFSET 5 LIMIT 5",
          "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) SELECT"
              + " sum(i) FROM n",
          "SELECT id, row_number() OVER (PARTITION BY quantity ORDER BY id) FROM line LIMIT 20",
          "BEGIN",
          "UPDATE trained SET amount = amount + 1 WHERE id BETWEEN 10 AND 20",
          "SAVEPOINT s",
          "DELETE FROM line WHERE trained = 15",
          "ROLLBACK TO s",
          "SELECT * FROM trained WHERE id = 11 FOR UPDATE",
          "COMMIT",
          "EXPLAIN SELECT * FROM trained WHERE name = 'name 7'",
          "SELECT coalesce(upper(name), '-') || to_char(at, 'YYYY-MM-DD'), CASE WHEN amount > 10"
              + " THEN round(amount) ELSE 0 END FROM trained WHERE id IN (3, 4, 5)",
          "ALTER TABLE trained ADD COLUMN note text",
          "SELECT n.nspname, c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n"
              + " ON n.oid = c.relnamespace WHERE c.relkind = 'r' ORDER BY 1, 2",
          "SELECT * FROM gauss.nodes",
          "TRUNCATE line",
          "DROP TABLE line, trained");

  private TrainingRun() {}

  /**
   * Runs everything once.
   *
   * @param arguments a directory that does not exist yet
   */
  public static void main(String[] arguments) throws Exception {
    Umask.keepOthersOut();
    NameCache.turnOff();
    Path directory = Path.of(arguments[0]);
    PrivateFiles.createDirectory(directory);
    NativeDirectory.use(directory);
    run(directory);
    System.exit(0);
  }

  static void run(Path directory) throws IOException, SQLException {
    quiet().execute("--help");
    quiet().execute("status", "--data", directory.toString());
    try (NodeRunner.Running alone = compute(directory.resolve("alone"), Map.of())) {
      work(alone.port());
    }
    cluster(directory);
  }

  private static void cluster(Path directory) throws IOException, SQLException {
    Path key = directory.resolve(ClusterKeyFile.NAME);
    ClusterKeyFile.ensure(key);
    Map<String, String> settings = new HashMap<>();
    settings.put("cluster.key", key.toString());
    settings.put(
        "storage.nodes",
        "%d@127.0.0.1:%d:%d".formatted(STORAGE_NODE, ChosenPorts.one(), ChosenPorts.one()));
    Map<String, String> ofStorage = new HashMap<>(settings);
    // A machine that builds several things at once may stand still for longer than usual.
    ofStorage.put("cluster.lease", "60");
    ofStorage.put("cluster.clock-lease", "10000");
    Path storageData = data(directory, "storage");
    Path memoryData = data(directory, "memory");
    try (NodeRunner.Running storage =
            RunningNode.start(
                StorageNodeSettings.load(storageData, STORAGE_NODE, ofStorage),
                new NodeMetrics().registry());
        NodeRunner.Running memory =
            RunningNode.start(
                MemoryNodeSettings.load(memoryData, MEMORY_NODE, settings),
                memoryData,
                new NodeMetrics().registry());
        NodeRunner.Running compute = compute(directory.resolve("compute"), settings)) {
      System.err.println("cluster: " + storage.state() + ", " + memory.state());
      work(compute.port());
    }
  }

  private static NodeRunner.Running compute(Path data, Map<String, String> settings)
      throws IOException {
    PrivateFiles.createDirectory(data);
    return RunningCompute.start(NodeSettings.load(data, 0, settings), new NodeMetrics().registry());
  }

  private static Path data(Path directory, String name) throws IOException {
    Path data = directory.resolve(name);
    PrivateFiles.createDirectory(data);
    return data;
  }

  private static CommandLine quiet() {
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
    return Main.commandLine().setOut(nowhere).setErr(nowhere);
  }

  // ---- what clients do

  private static void work(int port) throws SQLException {
    String rest = "//127.0.0.1:" + port + "/gauss?user=gauss";
    for (String protocol : List.of("simple", "extended")) {
      String url = "jdbc:postgresql:" + rest + "&preferQueryMode=" + protocol;
      try (Connection connection = DriverManager.getConnection(url);
          Statement statement = connection.createStatement()) {
        for (String text : STATEMENTS) {
          read(statement, statement.execute(text));
        }
      }
    }
    try (Connection connection = DriverManager.getConnection("jdbc:gauss:" + rest)) {
      busy(connection);
    }
  }

  /** Point queries and small transactions, prepared, as most applications send all day. */
  private static void busy(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE account (id int PRIMARY KEY, balance bigint NOT NULL)");
      statement.execute("INSERT INTO account SELECT i, 0 FROM generate_series(1, 5000) i");
    }
    connection.setAutoCommit(false);
    try (PreparedStatement change =
            connection.prepareStatement("UPDATE account SET balance = balance + ? WHERE id = ?");
        PreparedStatement look =
            connection.prepareStatement("SELECT balance FROM account WHERE id = ?")) {
      long begin = System.nanoTime();
      for (int i = 0; System.nanoTime() - begin < BUSY_NANOS; i++) {
        for (int statement = 0; statement < 10; statement++) {
          look.setInt(1, 1 + (i * 31 + statement) % 5000);
          read(look, look.execute());
        }
        change.setLong(1, i);
        change.setInt(2, 1 + i % 5000);
        change.executeUpdate();
        connection.commit();
      }
    }
    connection.setAutoCommit(true);
    try (Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE account");
    }
  }

  private static void read(Statement statement, boolean isQuery) throws SQLException {
    if (!isQuery) {
      return;
    }
    try (ResultSet rows = statement.getResultSet()) {
      while (rows.next()) {
        rows.getString(1);
      }
    }
  }
}
