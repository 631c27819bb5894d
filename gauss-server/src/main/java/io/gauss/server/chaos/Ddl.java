package io.gauss.server.chaos;

import io.gauss.common.history.History.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A client that creates, changes and drops tables all the while, at one compute node after the
 * other. Of each table it knows the columns, or that it does not know whether its last change was
 * made.
 */
final class Ddl extends Client {
  private static final int TABLES = 5;
  private static final int MOST_COLUMNS = 6;
  private static final int THINK_MS = 150;
  private static final String COLUMNS =
      "SELECT column_name FROM information_schema.columns WHERE table_name = ";

  /** Empty: there is no such table. By name. */
  private final Map<String, Set<String>> known = new TreeMap<>();

  private final Set<String> unsure = new TreeSet<>();
  private int made;

  Ddl(Load load, SplittableRandom random) {
    super(load, 1, "changes of tables", random);
    for (int i = 0; i < TABLES; i++) {
      known.put("changed_" + i, new TreeSet<>());
    }
  }

  @Override
  int thinkMillis() {
    return THINK_MS;
  }

  @Override
  void once(Connection connection) throws SQLException {
    List<Integer> nodes = load.servers().computeNodes();
    String table = "changed_" + random.nextInt(TABLES);
    try {
      change(connection, table);
    } finally {
      moveTo(nodes.get(random.nextInt(nodes.size())));
    }
  }

  private void change(Connection connection, String table) throws SQLException {
    if (unsure.contains(table)) {
      if (transaction(connection, each -> known.put(table, columns(each, table)))
          != Outcome.COMMITTED) {
        return;
      }
      unsure.remove(table);
    }
    Set<String> before = known.get(table);
    Set<String> after = new TreeSet<>(before);
    String sql = next(table, after);
    switch (transaction(connection, each -> execute(each, sql))) {
      case COMMITTED -> known.put(table, after);
      case OPEN -> unsure.add(table);
      case ABORTED -> {}
    }
  }

  /**
   * @param columns becomes what the table has afterwards
   */
  private String next(String table, Set<String> columns) {
    if (columns.isEmpty()) {
      columns.addAll(Set.of("id", "v"));
      return "CREATE TABLE " + table + " (id int PRIMARY KEY, v text)";
    }
    if (columns.size() >= MOST_COLUMNS || random.nextInt(6) == 0) {
      columns.clear();
      return "DROP TABLE " + table;
    }
    made++;
    return switch (random.nextInt(4)) {
      case 0 -> "CREATE INDEX " + table + "_v_" + made + " ON " + table + " (v)";
      case 1 ->
          "INSERT INTO %s (id, v) SELECT g, 'v' || g FROM generate_series(%d, %d) AS g"
              .formatted(table, made * 20, made * 20 + 19);
      default -> {
        columns.add("c" + made);
        yield "ALTER TABLE " + table + " ADD COLUMN c" + made + " int DEFAULT 7";
      }
    };
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static Set<String> columns(Connection connection, String table) throws SQLException {
    return new TreeSet<>(Load.rows(connection, COLUMNS + "'" + table + "'"));
  }

  /** Every node has the tables as they were acknowledged. */
  void check(int node, Connection connection) throws SQLException {
    for (Map.Entry<String, Set<String>> each : known.entrySet()) {
      Set<String> there = columns(connection, each.getKey());
      if (unsure.remove(each.getKey())) {
        each.setValue(there); // of the other nodes it has to be the same
      } else if (!there.equals(each.getValue())) {
        load.lost(
            1,
            "node %d has columns %s of %s, not %s"
                .formatted(node, there, each.getKey(), each.getValue()));
      }
      if (!there.isEmpty()) {
        Load.number(connection, "SELECT count(*) FROM " + each.getKey());
      }
    }
  }
}
