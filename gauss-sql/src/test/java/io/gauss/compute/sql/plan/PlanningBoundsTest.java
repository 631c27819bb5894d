package io.gauss.compute.sql.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.sql.parse.PgParser;
import io.gauss.compute.sql.plan.cost.TableEstimates;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Short texts that stand for very long ones, and long ones that somebody cancels. */
class PlanningBoundsTest {
  private static final int LEVELS = 40;
  private static final FixtureCatalog CATALOG = Fixtures.small();

  /** Each common table expression reads the one before it twice. */
  private static String doubling(String materialized) {
    StringBuilder text = new StringBuilder("WITH c0 AS (SELECT id FROM t)");
    for (int i = 1; i <= LEVELS; i++) {
      String before = "c" + (i - 1);
      text.append(", c" + i + " AS " + materialized)
          .append(" (SELECT a.id FROM " + before + " a JOIN " + before + " b USING (id))");
    }
    return text + " SELECT * FROM c" + LEVELS;
  }

  private static String nested(String before, String after) {
    return "SELECT " + before.repeat(LEVELS) + "id" + after.repeat(LEVELS) + " FROM t";
  }

  private static void assertTooComplex(String sql) {
    GaussException e = assertThrows(GaussException.class, () -> Fixtures.plan(CATALOG, sql));
    assertEquals(SqlState.STATEMENT_TOO_COMPLEX, e.state(), e.getMessage());
  }

  @Test
  void inlinedCommonTablesAreCounted() {
    assertTooComplex(doubling("NOT MATERIALIZED"));
  }

  @Test
  void commonTablesThatAreKeptArePlannedOnce() {
    assertEquals(1, Fixtures.plan(CATALOG, doubling("")).tables().size());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "(| BETWEEN 0 AND 1)::int",
        "(| BETWEEN SYMMETRIC 0 AND 1)::int",
        "(CASE | WHEN 1 THEN 2 WHEN 2 THEN 3 END)",
        "((|, 1) < (2, 3))::int"
      })
  void operandsThatAreUsedTwiceAreCounted(String level) {
    int at = level.indexOf('|');
    assertTooComplex(nested(level.substring(0, at), level.substring(at + 1)));
  }

  @Test
  void expressionsOfSubQueriesThatAreUsedTwiceAreCounted() {
    String sql =
        "SELECT y FROM "
            + "(SELECT a.y + a.y AS y FROM ".repeat(LEVELS)
            + "(SELECT id AS y FROM t) a"
            + ") a".repeat(LEVELS);
    assertTooComplex(sql);
  }

  /** Each took two plans of what is inside: a kilobyte took all memory. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "EXISTS (SELECT 1 FROM t WHERE |)",
        "(SELECT flag FROM t WHERE |)",
        "(SELECT a FROM t WHERE |) BETWEEN 0 AND 1"
      })
  void subQueriesInSubQueriesArePlannedOnce(String level) {
    int at = level.indexOf('|');
    String condition =
        level.substring(0, at).repeat(LEVELS) + "flag" + level.substring(at + 1).repeat(LEVELS);
    int[] calls = new int[1];
    Runnable interrupts =
        () -> {
          if (++calls[0] == 1_000) {
            throw new GaussException(SqlState.QUERY_CANCELED, "takes long");
          }
        };
    assertTrue(plan("SELECT id FROM t WHERE " + condition, interrupts).returnsRows());
  }

  /**
   * What is not given in a row of VALUES is no part of the text, however many columns there are.
   */
  @Test
  void rowsWithManyDefaultsAreNotTooComplex() {
    FixtureCatalog wide =
        FixtureCatalog.of(
            IntStream.range(0, 600)
                .mapToObj(i -> "c" + i + " int default " + i)
                .collect(Collectors.joining(", ", "create table wide (id int primary key, ", ")")));
    String sql = "INSERT INTO wide (id) VALUES (0)" + ", (1)".repeat(2_000);
    assertFalse(Fixtures.plan(wide, sql).returnsRows());
  }

  @Test
  void longTextsAreNotTooComplex() {
    assertTrue(Fixtures.plan(CATALOG, longCondition()).returnsRows());
  }

  private static String longCondition() {
    StringBuilder text = new StringBuilder("SELECT id FROM t WHERE id = 0");
    for (int i = 1; i <= 20_000; i++) {
      text.append(i % 2 == 0 ? " OR a = " : " OR id + 1 = ").append(i);
    }
    return text.toString();
  }

  /** Cancelled at different points of the work: while binding, rewriting, compiling. */
  @ParameterizedTest
  @ValueSource(ints = {1, 100, 200, 300})
  void planningIsInterrupted(int after) {
    assertInterrupted(longCondition(), after);
  }

  /** Each equality of columns is combined with each equality of one and a constant. */
  @Test
  void theSearchForImpliedConditionsIsInterrupted() {
    StringBuilder text = new StringBuilder("SELECT 1 FROM t a, t b WHERE true");
    for (int i = 0; i < 2_000; i++) {
      text.append(" AND a.id = ").append(i);
    }
    assertInterrupted(text + " AND a.id = b.id".repeat(40), 150);
  }

  private static void assertInterrupted(String sql, int after) {
    int[] calls = new int[1];
    Runnable interrupts =
        () -> {
          if (++calls[0] == after) {
            throw new GaussException(SqlState.QUERY_CANCELED, "cancelled");
          }
        };
    GaussException e = assertThrows(GaussException.class, () -> plan(sql, interrupts));
    assertEquals(SqlState.QUERY_CANCELED, e.state());
  }

  private static PreparedPlan plan(String sql, Runnable interrupts) {
    return new Planner(Fixtures.FUNCTIONS, TableEstimates.STATISTICS)
        .plan(
            PgParser.parse(sql).statement(),
            new int[0],
            Fixtures.PATH,
            CATALOG,
            PlanAccess.ANY_SUPERUSER,
            interrupts);
  }

  @ParameterizedTest
  @ValueSource(strings = {" OR id = 1", "; SAVEPOINT a"})
  void parsingIsInterrupted(String part) {
    String text = "SELECT id FROM t WHERE id = 0" + part.repeat(5_000);
    int[] calls = new int[1];
    Runnable interrupts =
        () -> {
          if (++calls[0] == 10) {
            throw new GaussException(SqlState.QUERY_CANCELED, "cancelled");
          }
        };
    GaussException e =
        assertThrows(GaussException.class, () -> PgParser.parseAll(text, interrupts));
    assertEquals(SqlState.QUERY_CANCELED, e.state());
  }
}
