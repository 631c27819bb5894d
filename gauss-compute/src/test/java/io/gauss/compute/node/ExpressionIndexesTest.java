package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.engine.Checker;
import io.gauss.compute.engine.Engine;
import io.gauss.compute.engine.Seeds;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Indexes on expressions while all of three compute nodes use them: what a query finds by an index
 * it finds without one, and entries are those of the rows.
 */
@Timeout(240)
class ExpressionIndexesTest extends OnThreeNodes {
  private static final int TABLES = 8;
  private static final int ROWS = 150;
  private static final int QUERIES = 25;
  private static final int CHANGES = 12;
  private static final int WRITERS = 6;
  private static final int TRANSACTIONS = 40;

  /** Of transactions that lost against others. */
  private static final Set<String> LOST = Set.of("23505", "40P01", "40001");

  private OneNode any(Random random) {
    return cluster.compute(random.nextInt(NODES) + 1);
  }

  @Test
  void anIndexAnswersAsTheTableDoes() throws SQLException {
    Random random = new Random(Seeds.next());
    int byIndex = 0;
    for (int i = 0; i < TABLES; i++) {
      byIndex += compare("seq" + i, "ind" + i, random);
    }
    assertTrue(byIndex > TABLES, "plans with an index: " + byIndex);
    checkIndexes();
  }

  private int compare(String plain, String indexed, Random random) throws SQLException {
    for (String table : List.of(plain, indexed)) {
      any(random).execute("CREATE TABLE " + table + " (id int PRIMARY KEY, a int, b int, t text)");
    }
    boolean filled = random.nextBoolean();
    String rows = rows(0, random);
    if (filled) {
      any(random).execute("INSERT INTO " + indexed + rows);
    }
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      boolean text = random.nextInt(3) == 0;
      String key = text ? text(2, random) : number(2, random);
      keys.add(key);
      any(random)
          .execute(
              "CREATE INDEX ON %s ((%s)%s%s, (%s))%s"
                  .formatted(
                      indexed,
                      key,
                      random.nextBoolean() ? " DESC" : "",
                      random.nextBoolean() ? " NULLS FIRST" : " NULLS LAST",
                      number(1, random),
                      random.nextInt(4) == 0 ? " WHERE a IS NOT NULL" : ""));
    }
    if (!filled) {
      any(random).execute("INSERT INTO " + indexed + rows);
    }
    any(random).execute("INSERT INTO " + plain + rows);
    if (random.nextBoolean()) {
      any(random).execute("ANALYZE " + indexed);
    }
    int byIndex = 0;
    for (int i = 0; i < QUERIES; i++) {
      if (i % 2 == 0 && i / 2 < CHANGES) {
        String change = change(i, random);
        any(random).execute(change.formatted(plain));
        any(random).execute(change.formatted(indexed));
      }
      String query = query(keys.get(random.nextInt(keys.size())), plain, random);
      OneNode node = any(random);
      String other = query.replace("%s", indexed);
      assertEquals(any(random).query(query.replace("%s", plain)), node.query(other), other);
      String plan = String.join("\n", node.query("EXPLAIN " + other));
      byIndex += plan.contains("using " + indexed) && !plan.contains("_pkey") ? 1 : 0;
    }
    return byIndex;
  }

  private static String rows(int first, Random random) {
    StringBuilder rows = new StringBuilder(" VALUES ");
    for (int i = first; i < first + ROWS; i++) {
      rows.append(i > first ? ", " : "")
          .append("(%d, %s, %s, %s)".formatted(i, small(random), small(random), word(random)));
    }
    return rows.toString();
  }

  private static String change(int round, Random random) {
    int id = random.nextInt(ROWS);
    return switch (random.nextInt(5)) {
      case 0 -> "UPDATE %s SET a = " + small(random) + " WHERE id < " + id;
      case 1 -> "UPDATE %s SET b = b + 1, t = " + word(random) + " WHERE id = " + id;
      case 2 -> "DELETE FROM %s WHERE id = " + id;
      case 3 -> "UPDATE %s SET id = id + " + 1000 * (round + 1) + " WHERE id = " + id;
      default ->
          "INSERT INTO %s SELECT id + "
              + 100_000 * (round + 1)
              + ", a, b, upper(t) FROM %<s WHERE id < 100 AND id < "
              + id;
    };
  }

  /** A query whose answer does not depend on the plan. */
  private static String query(String key, String table, Random random) {
    // A value that there is.
    String value =
        "(SELECT max(%s) FROM %s WHERE id = %d)".formatted(key, table, random.nextInt(ROWS));
    return switch (random.nextInt(7)) {
      case 0 -> "SELECT id FROM %s WHERE " + key + " IS NULL ORDER BY id";
      case 1 -> "SELECT id FROM %s WHERE " + key + " > " + value + " AND a IS NOT NULL ORDER BY id";
      case 2 -> "SELECT " + key + " FROM %s ORDER BY " + key + " LIMIT 7";
      case 3 -> "SELECT " + key + " FROM %s ORDER BY " + key + " DESC NULLS LAST LIMIT 7";
      case 4 -> "SELECT max(" + key + ") FROM %s";
      case 5 ->
          "SELECT x.id, y.id FROM %s x JOIN %s y ON "
              + qualified(key, "x")
              + " = "
              + qualified(key, "y")
              + " WHERE x.id < 3 ORDER BY 1, 2";
      default -> "SELECT id FROM %s WHERE " + key + " = " + value + " ORDER BY id";
    };
  }

  private static String qualified(String expression, String table) {
    return expression.replaceAll("\\b(id|a|b|t)\\b(?!')", table + ".$1");
  }

  private static String small(Random random) {
    return random.nextInt(8) == 0 ? "NULL" : String.valueOf(random.nextInt(21) - 10);
  }

  private static String word(Random random) {
    return random.nextInt(8) == 0
        ? "NULL"
        : "'" + List.of("Ab", "aB", "abc", "", "Zoe", "x y").get(random.nextInt(6)) + "'";
  }

  private static String number(int depth, Random random) {
    if (depth == 0) {
      return random.nextInt(4) == 0
          ? String.valueOf(random.nextInt(9) + 1)
          : List.of("a", "b", "id").get(random.nextInt(3));
    }
    String x = number(depth - 1, random);
    String y = number(depth - 1, random);
    return switch (random.nextInt(8)) {
      case 0 -> "abs(" + x + ")";
      case 1 -> "coalesce(" + x + ", " + y + ")";
      case 2 -> "CASE WHEN " + x + " > " + y + " THEN " + y + " ELSE 1 END";
      case 3 -> "(" + x + " - " + y + ")";
      case 4 -> "length(" + text(depth - 1, random) + ")";
      case 5 -> "(" + x + " % 7)";
      case 6 -> "nullif(" + x + ", " + y + ")";
      default -> "(" + x + " + " + y + ")";
    };
  }

  private static String text(int depth, Random random) {
    if (depth == 0) {
      return "t";
    }
    String x = text(depth - 1, random);
    return switch (random.nextInt(5)) {
      case 0 -> "upper(" + x + ")";
      case 1 -> "(" + x + " || 'Q')";
      case 2 -> "coalesce(" + x + ", 'Q')";
      case 3 -> "substr(" + x + ", 1, 2)";
      default -> "lower(" + x + ")";
    };
  }

  @Test
  void entriesAreThoseOfTheRowsWhateverSessionsDoAtOnce() throws Exception {
    cluster
        .compute(1)
        .execute(
            "CREATE TABLE many (id int PRIMARY KEY, email text, a int, b int)",
            "INSERT INTO many SELECT i, 'U' || i, i, 0 FROM generate_series(0, 99) i",
            "CREATE UNIQUE INDEX many_email ON many (lower(email))",
            "CREATE INDEX many_sum ON many ((a + b) DESC, id)",
            "CREATE INDEX many_inv ON many ((100 / a)) WHERE a <> 0");
    Random seeds = new Random(Seeds.next());
    List<Future<?>> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      Random random = new Random(seeds.nextLong());
      int node = i % NODES + 1;
      writers.add(
          clients.submit(
              () -> {
                write(node, random);
                return null;
              }));
    }
    for (Future<?> writer : writers) {
      writer.get(200, TimeUnit.SECONDS);
    }
    for (int number : cluster.numbers()) {
      OneNode node = cluster.compute(number);
      for (int value = -3; value < 10; value++) {
        assertEquals(
            node.query("SELECT id FROM many WHERE a + b + 0 = " + value + " ORDER BY id"),
            node.query("SELECT id FROM many WHERE a + b = " + value + " ORDER BY id"));
      }
      assertEquals(
          List.of("0"), node.query("SELECT count(*) - count(DISTINCT lower(email)) FROM many"));
    }
    checkIndexes();
  }

  private void write(int node, Random random) throws SQLException {
    try (Connection connection = cluster.compute(node).connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      for (int i = 0; i < TRANSACTIONS; i++) {
        try {
          for (int part = random.nextInt(3); part >= 0; part--) {
            int id = random.nextInt(100);
            statement.execute(
                switch (random.nextInt(5)) {
                  case 0 ->
                      "UPDATE many SET email = 'u" + random.nextInt(300) + "' WHERE id = " + id;
                  case 1 -> "UPDATE many SET a = " + random.nextInt(5) + " WHERE id = " + id;
                  case 2 -> "UPDATE many SET b = b + 1 WHERE a + b = " + random.nextInt(10);
                  case 3 -> "DELETE FROM many WHERE id = " + id;
                  default ->
                      "INSERT INTO many VALUES (%d, 'U%d', %d, 1) ON CONFLICT (lower(email)) DO UPDATE SET b = many.b - 1"
                          .formatted(id, random.nextInt(300), random.nextInt(5));
                });
          }
          if (random.nextInt(4) == 0) {
            connection.rollback();
          } else {
            connection.commit();
          }
        } catch (SQLException e) {
          assertTrue(LOST.contains(e.getSQLState()), e.getSQLState() + " " + e.getMessage());
          connection.rollback();
        }
      }
    }
  }

  private void checkIndexes() {
    for (int number : cluster.numbers()) {
      Engine engine = cluster.node(number).engine();
      for (Checker checker : engine.checkers()) {
        if (checker.name().equals("indexes")) {
          checker.check(engine.newContext());
        }
      }
    }
  }

  @Test
  void openTransactionsAndPlansOfOtherNodesFollow() throws SQLException {
    cluster
        .compute(1)
        .execute(
            "CREATE TABLE seen (id int PRIMARY KEY, t text)",
            "INSERT INTO seen SELECT i, 'T' || i FROM generate_series(1, 500) i");
    try (Connection old = cluster.compute(2).connect();
        Connection other = cluster.compute(3).connect();
        PreparedStatement find = other.prepareStatement("SELECT id FROM seen WHERE lower(t) = ?")) {
      old.setAutoCommit(false);
      old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      assertEquals(1, first(old, "SELECT count(*) FROM seen WHERE id = 1"));
      old.commit();
      assertEquals(1, first(old, "SELECT count(*) FROM seen WHERE id < 2"));
      for (int i = 0; i < 8; i++) {
        assertEquals(7, found(find, "t7"));
      }
      old.rollback();
      cluster.compute(1).execute("CREATE UNIQUE INDEX seen_lower ON seen (lower(t))");
      cluster.compute(1).execute("ANALYZE seen");
      for (int i = 0; i < 8; i++) {
        assertEquals(7, found(find, "t7"));
      }
      String plan =
          String.join(
              "\n", cluster.compute(3).query("EXPLAIN SELECT id FROM seen WHERE lower(t) = 't7'"));
      assertTrue(plan.contains("Index Scan using seen_lower on seen"), plan);
      assertTrue(plan.contains("Index Cond: (lower(t) = 't7'::text)"), plan);
      SQLException taken =
          assertThrows(
              SQLException.class,
              () -> cluster.compute(3).execute("INSERT INTO seen VALUES (1000, 'T9')"));
      assertEquals("23505", taken.getSQLState());
      assertTrue(taken.getMessage().contains("Key (lower(t))=(t9) already exists."));
      cluster.compute(2).execute("DROP INDEX seen_lower");
      assertEquals(7, found(find, "t7"));
    }
  }

  @Test
  void anOldSnapshotDoesNotReadAnIndexThatWasFilledAnew() throws SQLException {
    cluster
        .compute(1)
        .execute(
            "CREATE TABLE kept (id int PRIMARY KEY, v varchar(10))",
            "INSERT INTO kept VALUES (1, 'A')",
            "CREATE UNIQUE INDEX kept_lower ON kept (lower(v))",
            "CREATE TABLE other (id int)");
    try (Connection old = cluster.compute(2).connect()) {
      old.setAutoCommit(false);
      old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      assertEquals(0, first(old, "SELECT count(*) FROM other"));
      // No row is copied, since the values stay; the index is filled from them again.
      cluster.compute(1).execute("ALTER TABLE kept ALTER COLUMN v TYPE varchar(20)");
      SQLException late =
          assertThrows(
              SQLException.class, () -> first(old, "SELECT id FROM kept WHERE lower(v) = 'a'"));
      assertEquals("40001", late.getSQLState());
      old.rollback();
      assertEquals(1, first(old, "SELECT id FROM kept WHERE lower(v) = 'a'"));
    }
  }

  @Test
  void orderAndJoinsComeFromTheIndex() throws SQLException {
    OneNode node = cluster.compute(1);
    node.execute(
        "CREATE TABLE doc (id int PRIMARY KEY, data jsonb)",
        "CREATE INDEX doc_n ON doc (((data->>'n')::int))",
        "INSERT INTO doc SELECT i, jsonb_build_object('n', i % 500, 'k', 'k' || i)"
            + " FROM generate_series(1, 2000) i",
        "CREATE INDEX doc_k ON doc ((data->>'k'))",
        "ANALYZE doc");
    expectIndex("doc_n", "SELECT id FROM doc WHERE (data->>'n')::int = 7");
    expectIndex("doc_n", "SELECT id FROM doc WHERE (data->>'n')::int BETWEEN 7 AND 9");
    expectIndex("doc_k", "SELECT id FROM doc WHERE data->>'k' IN ('k7', 'k8')");
    expectIndex("doc_k", "SELECT id FROM doc WHERE data->>'k' LIKE 'k19%'");
    expectIndex("doc_k", "SELECT d.id FROM doc d WHERE d.data->>'k' = $1 AND d.id > 3");
    expectIndex(
        "doc_k", "SELECT d.id FROM doc d JOIN doc e ON e.data->>'k' = d.data->>'k' WHERE d.id = 3");
    expectIndex("doc_n", "SELECT (data->>'n')::int FROM doc ORDER BY (data->>'n')::int LIMIT 3");
    expectIndex("doc_n", "SELECT id FROM doc ORDER BY (data->>'n')::int DESC LIMIT 3");
    expectIndex("doc_n", "SELECT min((data->>'n')::int) FROM doc");
    expectIndex("doc_n", "UPDATE doc SET data = '{}' WHERE (data->>'n')::int = 7");
    assertEquals(List.of("4"), node.query("SELECT count(*) FROM doc WHERE (data->>'n')::int = 7"));
  }

  private void expectIndex(String index, String sql) throws SQLException {
    String plan =
        String.join("\n", cluster.compute(1).query("EXPLAIN " + sql.replace("$1", "'k7'")));
    assertTrue(plan.contains("using " + index + " on"), sql + "\n" + plan);
    assertFalse(plan.contains("Sort"), sql + "\n" + plan);
  }

  private static int first(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      assertTrue(rows.next());
      return rows.getInt(1);
    }
  }

  private static int found(PreparedStatement find, String value) throws SQLException {
    find.setString(1, value);
    try (ResultSet rows = find.executeQuery()) {
      assertTrue(rows.next());
      return rows.getInt(1);
    }
  }
}
