package io.gauss.compute.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.engine.Seeds;
import io.gauss.compute.node.CheckedNode;
import io.gauss.compute.node.ComputeNode;
import io.gauss.compute.node.NodeSettings;
import io.gauss.compute.node.WholeCluster;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random statements in Gauss and in PostgreSQL: rows, types and SQLSTATEs have to be the same, and
 * so do the tables after each change. Rows are compared as sets, save by ORDER BY; numbers of type
 * numeric by value, since which of several equal ones stands for a group is not defined.
 *
 * <p>The ordinary test has a fixed seed and a bound of time, so that it fails for a change and not
 * at random; the long one has a new seed, which it prints. {@code gauss.seed} repeats one, {@code
 * gauss.differential.seconds} says how long it takes. How many statements of which kind were
 * compared is left in {@code target/differential/random.md}.
 */
class SqlDifferentialTest {
  /** How pgjdbc shows precision and scale of char and numeric without modifier. */
  private static final List<String> FORGOTTEN = List.of("(2147483647,0)", "(0,0)");

  private static final Pattern SET_OPERATION = Pattern.compile("UNION|INTERSECT|EXCEPT");
  private static final Pattern COALESCED_NULLS =
      Pattern.compile("coalesce\\((CAST\\(NULL AS [^()]*(\\([^()]*\\))?\\)(, )?)+\\)");
  private static final long FIXED_SEED = 15;
  private static final int SHORT_SECONDS = Integer.getInteger("gauss.differential.seconds", 30);
  private static final int SHORT_ROUNDS = 40;
  private static final int LONG_SECONDS = 600;
  private static final int SPRAYED_SECONDS = 120;
  private static final int STATEMENTS_A_ROUND = 60;
  private static final int TABLES = 3;
  private static final int MOST_DIFFERENCES = 5;
  private static final int FEWEST_STATEMENTS = 200;

  private final List<String> differences = new ArrayList<>();
  private final VerdictCounts counts = new VerdictCounts();
  private int statements;
  private int seeds;
  private final Map<String, Integer> errors = new TreeMap<>();

  /** What a server says to a statement: column types and rows, or a count, or an SQLSTATE. */
  private record Answer(String kind, List<String> rows) {
    @Override
    public String toString() {
      return kind + (rows.isEmpty() ? "" : "\n    " + String.join("\n    ", rows));
    }
  }

  @Test
  void statementsOfAFixedSeedHaveTheSameAnswersAsInPostgres(@TempDir Path data)
      throws SQLException, IOException {
    compareFor(SHORT_SECONDS, SHORT_ROUNDS, new Random(FIXED_SEED), data);
  }

  @Test
  @Tag("long")
  void statementsOfANewSeedHaveTheSameAnswersAsInPostgres(@TempDir Path data)
      throws SQLException, IOException {
    int seconds = Integer.getInteger("gauss.differential.seconds", LONG_SECONDS);
    compareFor(seconds, Integer.MAX_VALUE, new Random(Seeds.next()), data);
  }

  /** Each statement goes to a compute node at random; these have three, of one cluster. */
  @Test
  @Tag("long")
  void statementsSprayedOverThreeNodesHaveTheSameAnswersAsInPostgres(@TempDir Path data)
      throws SQLException, IOException {
    int seconds = Integer.getInteger("gauss.differential.seconds", SPRAYED_SECONDS);
    Random rounds = new Random(Seeds.next());
    try (WholeCluster cluster = new WholeCluster(data, 1, 2, 3, Map.of())) {
      compareFor(
          seconds,
          Integer.MAX_VALUE,
          rounds,
          cluster.numbers().stream().map(cluster::url).toList());
    }
    report();
  }

  private void compareFor(int seconds, int mostRounds, Random rounds, Path data)
      throws SQLException, IOException {
    try (ComputeNode node =
        ComputeNode.start(
            NodeSettings.load(data, 0, Map.of("pool.size", "16MB")), new SimpleMeterRegistry())) {
      String url = "jdbc:postgresql://127.0.0.1:%d/gauss?user=gauss".formatted(node.port());
      compareFor(seconds, mostRounds, rounds, List.of(url));
      CheckedNode.check(node);
    }
    report();
  }

  private void compareFor(int seconds, int mostRounds, Random rounds, List<String> gaussUrls)
      throws SQLException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    String postgresUrl = ReferencePostgres.get().newDatabase();
    for (int i = 0; i < mostRounds && differences.size() < MOST_DIFFERENCES; i++) {
      if (System.nanoTime() > end && statements >= FEWEST_STATEMENTS) {
        break;
      }
      String mode = i % 2 == 0 ? "&preferQueryMode=simple" : "&preferQueryMode=extended";
      List<Connection> gauss = new ArrayList<>();
      try (Connection postgres = DriverManager.getConnection(postgresUrl + mode)) {
        for (String url : gaussUrls) {
          gauss.add(DriverManager.getConnection(url + mode));
        }
        long seed = rounds.nextLong();
        Random nodes = new Random(~seed);
        round(new Random(seed), () -> gauss.get(nodes.nextInt(gauss.size())), postgres);
        seeds++;
      } finally {
        for (Connection connection : gauss) {
          connection.close();
        }
      }
    }
  }

  private void report() throws IOException {
    System.getLogger("differential")
        .log(
            System.Logger.Level.INFO,
            "{0} statements of {1} seeds compared; errors: {2}",
            statements,
            seeds,
            errors);
    Path report = Files.createDirectories(Path.of("target", "differential")).resolve("random.md");
    Files.writeString(report, seeds + " seeds\n\n" + counts.markdown());
    assertTrue(
        differences.isEmpty(),
        () -> differences.size() + " differences\n\n" + String.join("\n\n", differences));
    assertTrue(statements >= FEWEST_STATEMENTS, statements + " statements only");
    int failed = errors.values().stream().mapToInt(Integer::intValue).sum();
    assertTrue(failed < statements / 3, failed + " of " + statements + " failed");
  }

  private void round(Random random, Supplier<Connection> gauss, Connection postgres)
      throws SQLException {
    List<String> history = new ArrayList<>();
    List<RandomTable> tables = new ArrayList<>();
    for (int i = 0; i < TABLES; i++) {
      tables.add(RandomTable.next(random, "t" + i));
      history.add("DROP TABLE IF EXISTS t" + i);
      history.addAll(tables.getLast().setUp(random));
    }
    for (String sql : history) {
      Answer made = answer(postgres, sql);
      assertFalse(made.kind().startsWith("ERROR 42"), sql); // a NULL for a NOT NULL column may be
      assertEquals(made, answer(gauss.get(), sql), sql);
    }
    RandomStatements generator = new RandomStatements(random, tables);
    for (int i = 0; i < STATEMENTS_A_ROUND && differences.size() < MOST_DIFFERENCES; i++) {
      switch (random.nextInt(8)) {
        case 0 -> {
          RandomStatements.Change change = generator.change();
          boolean same = compare("changes", change.sql(), history, gauss, postgres);
          history.add(change.sql());
          String all = "SELECT * FROM " + change.table().name();
          if (!same || !compare("tables after changes", all, history, gauss, postgres)) {
            return; // what follows would differ, too
          }
        }
        case 1 -> compare("aggregates", generator.aggregation(), history, gauss, postgres);
        case 2 -> compare("grouping sets", generator.groupingSets(), history, gauss, postgres);
        case 3 -> compare("window functions", generator.windows(), history, gauss, postgres);
        default -> compare("queries", generator.query(), history, gauss, postgres);
      }
    }
  }

  private boolean compare(
      String topic,
      String sql,
      List<String> history,
      Supplier<Connection> gauss,
      Connection postgres)
      throws SQLException {
    Answer expected = answer(postgres, sql);
    Answer actual = answer(gauss.get(), sql);
    statements++;
    if (expected.kind().startsWith("ERROR")) {
      errors.merge(expected.kind(), 1, Integer::sum);
    }
    boolean same = expected.equals(actual) || differsByFoldedNulls(sql, expected, actual);
    boolean error = expected.kind().startsWith("ERROR");
    boolean refused = actual.kind().equals("ERROR 0A000");
    Verdict unlike = refused ? Verdict.UNSUPPORTED : Verdict.DIFFERENT;
    counts.add(topic, same ? (error ? Verdict.SAME_ERROR : Verdict.SAME_RESULT) : unlike, 1);
    if (same) {
      return true;
    }
    differences.add(
        "%s;\n%s;\n  PostgreSQL %s\n  Gauss %s"
            .formatted(String.join(";\n", history), sql, expected, actual));
    return false;
  }

  /**
   * PostgreSQL describes columns by its plan. Where its planner has made a NULL of an expression of
   * nothing but NULLs, such as {@code coalesce(NULL::char(3), NULL::char(3))}, the length of its
   * type is gone, also that of a CASE one of whose branches it is. Only what PostgreSQL does not
   * know, and only in columns without any value or where a text has such a coalesce.
   */
  private static boolean differsByFoldedNulls(String sql, Answer expected, Answer actual) {
    boolean hasNulls = COALESCED_NULLS.matcher(sql).find();
    String[] ours = actual.kind().split(" ");
    String[] theirs = expected.kind().split(" ");
    if (ours.length != theirs.length || !expected.rows().equals(actual.rows())) {
      return false;
    }
    for (int i = 0; i < ours.length; i++) {
      if (!ours[i].equals(theirs[i])) {
        int column = i - 1; // after the word "rows"
        boolean isForgotten =
            FORGOTTEN.stream()
                .anyMatch(
                    unknown ->
                        theirs[column + 1].endsWith(unknown)
                            && ours[column + 1].startsWith(
                                theirs[column + 1].replace(unknown, "(")));
        if (!isForgotten
            || (!hasNulls
                && !expected.rows().stream()
                    .allMatch(row -> row.split("\\|", -1)[column].equals("null")))) {
          return false;
        }
      }
    }
    return true;
  }

  private static Answer answer(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      if (!statement.execute(sql)) {
        return new Answer("count " + statement.getUpdateCount(), List.of());
      }
      try (ResultSet result = statement.getResultSet()) {
        // PostgreSQL's planner may lose modifiers in a set operation when it folds constants.
        boolean modifiers = !SET_OPERATION.matcher(sql).find();
        return rows(result, sql.contains(" q ORDER BY "), modifiers);
      }
    } catch (SQLException e) {
      if (e.getSQLState().startsWith("08")) {
        throw e;
      }
      return new Answer("ERROR " + e.getSQLState(), List.of());
    }
  }

  private static Answer rows(ResultSet result, boolean ordered, boolean modifiers)
      throws SQLException {
    ResultSetMetaData columns = result.getMetaData();
    StringBuilder types = new StringBuilder("rows");
    for (int i = 1; i <= columns.getColumnCount(); i++) {
      types.append(' ').append(columns.getColumnLabel(i));
      types.append(':').append(columns.getColumnTypeName(i));
      if (modifiers) {
        types.append('(').append(columns.getPrecision(i)).append(',');
        types.append(columns.getScale(i)).append(')');
      }
    }
    List<String> rows = new ArrayList<>();
    while (result.next()) {
      List<String> values = new ArrayList<>();
      for (int i = 1; i <= columns.getColumnCount(); i++) {
        String value = result.getString(i);
        boolean numeric = value != null && columns.getColumnTypeName(i).equals("numeric");
        values.add(numeric ? plain(value) : value);
      }
      rows.add(String.join("|", values.stream().map(String::valueOf).toList()));
    }
    if (!ordered) {
      rows.sort(null);
    }
    return new Answer(types.toString(), rows);
  }

  private static String plain(String number) {
    return number.contains(".") ? number.replaceAll("\\.?0+$", "") : number;
  }
}
