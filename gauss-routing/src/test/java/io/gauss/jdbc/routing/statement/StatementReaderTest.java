package io.gauss.jdbc.routing.statement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.gauss.jdbc.routing.statement.StatementTemplate.Kind;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatementReaderTest {
  /** Text | predicates | values, with parameters 1-based as p1, p2. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          SELECT * FROM t WHERE id = ? | t.id EQUAL | p1
          select a from s.t x where x.id=7 and x.v > -2.5 | t.id EQUAL, t.v FROM | 7, -2.5
          SELECT 1 FROM t WHERE ? = id AND 3 < v | t.id EQUAL, t.v FROM | p1, 3
          SELECT 1 FROM a, b WHERE a.x = 1 AND y = 2 | a.x EQUAL, .y EQUAL | 1, 2
          SELECT 1 FROM a JOIN b AS c ON a.i = c.i WHERE c.x = 1 | b.x EQUAL | 1
          SELECT 1 FROM t WHERE id BETWEEN ? AND ? AND w = 4 | t.id FROM, t.id TO, t.w EQUAL | p1, p2, 4
          SELECT 1 FROM t WHERE id IN (5, 6, ?) ORDER BY x | t.id IN | 5
          SELECT 1 FROM t WHERE (id = ?) AND ((w = ?)) | t.id EQUAL, t.w EQUAL | p1, p2
          SELECT 1 FROM t WHERE ((id = 1 AND ((w = 2))) AND (v BETWEEN 3 AND 4 AND (u = 5))) | t.id EQUAL, t.w EQUAL, t.v FROM, t.v TO, t.u EQUAL | 1, 2, 3, 4, 5
          SELECT 1 FROM t WHERE ((id = 1 OR w = 2) AND v = 3) AND (u) = 4 AND (((x = 5))) | t.v EQUAL, t.x EQUAL | 3, 5
          SELECT 1 FROM t WHERE (id = 1) AND (SELECT w = 2) AND ((SELECT v = 3)) AND () AND u = 4 | t.id EQUAL, t.u EQUAL | 1, 4
          SELECT 1 FROM t WHERE id = ?::int AND d = date '2026-01-01' | t.id EQUAL, t.d EQUAL | p1, 2026-01-01
          SELECT 1 FROM t WHERE id = CAST(? AS int) FOR UPDATE | t.id EQUAL | p1
          SELECT 1 FROM t WHERE id = ANY(?) AND w = 1 | t.id IN, t.w EQUAL | null, 1
          UPDATE t SET v = v + 1, w = ? WHERE id = ? | t.id EQUAL | p2
          DELETE FROM ONLY t WHERE "id" = 'it''s' | t.id EQUAL | it's
          INSERT INTO t (a, b, c) VALUES (?, now(), 'x') | t.a EQUAL, t.b EQUAL, t.c EQUAL | p1, null, x
          INSERT INTO s.t VALUES (12, ?) ON CONFLICT DO NOTHING | t.#1 EQUAL | 12
          SELECT 1 FROM t WHERE id = $2 AND w = $1 | t.id EQUAL, t.w EQUAL | p2, p1
          """)
  void aStatementTellsWhichColumnsItComparesWithWhichValues(
      String sql, String predicates, String values) {
    ReadStatement read = StatementReader.read(sql);
    assertEquals(
        predicates,
        String.join(
            ", ",
            read.template().predicates().stream()
                .map(p -> p.column() + " " + p.operator())
                .toList()));
    assertEquals(
        values,
        String.join(
            ", ", Arrays.stream(read.values(List.of("p1", "p2"))).map(String::valueOf).toList()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          SELECT 1 FROM t WHERE id = ? OR w = ?
          SELECT 1 FROM t WHERE NOT id = ?
          SELECT 1 FROM t WHERE id = ? + 1
          SELECT 1 FROM t WHERE lower(id) = ?
          SELECT 1 FROM t WHERE id = (SELECT max(id) FROM u WHERE w = 1)
          SELECT 1 FROM t WHERE id <> ?
          INSERT INTO t (a) SELECT x FROM u WHERE y = 1
          WITH x AS (SELECT 1 FROM t WHERE id = 1) SELECT 1 FROM x
          SELECT 1 FROM t
          """)
  void whatItCannotReadGivesNoPredicates(String sql) {
    assertEquals(List.of(), StatementReader.read(sql).template().predicates());
  }

  /** A driver reads statements on the application's threads, whatever stack these have. */
  @Test
  void parenthesesMayBeDeep() throws InterruptedException {
    int levels = (StatementReader.MAX_CHARS - 100) / 2;
    String sql =
        "SELECT 1 FROM t WHERE "
            + "(".repeat(levels)
            + "id = 1"
            + ")".repeat(levels)
            + " AND w = 2";
    int[] found = new int[1];
    Thread thread =
        new Thread(
            null,
            () -> found[0] = StatementReader.read(sql).template().predicates().size(),
            "small stack",
            200_000);
    thread.start();
    thread.join();
    assertEquals(2, found[0]);
  }

  @Test
  void textsThatDifferInValuesOnlyHaveOneTemplate() {
    long id = id("SELECT a FROM t WHERE id = ? AND b IN (?)");
    assertEquals(id, id("select A  from\tT where ID=5 -- comment\n and b in (1,2, 3)"));
    assertEquals(id, id("SELECT a/* /* nested */ */FROM t WHERE \"id\" = $1 AND b IN ($2);"));
    assertEquals(id, id("SELECT a FROM t WHERE id = -3 AND b IN ($$x;y$$, E'\\'')"));
    assertNotEquals(id, id("SELECT a FROM t WHERE id = ? AND c IN (?)"));
    assertNotEquals(id, id("SELECT a FROM t WHERE \"ID\" = ? AND b IN (?)"));
    assertEquals(
        id("INSERT INTO t (a, b) VALUES (1, 2)"),
        id("insert into t (a, b) values (?, ?), (?, ?), (?, ?) returning \"a\""));
  }

  @Test
  void theHashOfATemplateNeverChanges() {
    assertEquals("select * from t where id = ?", text("SELECT * FROM t WHERE id = 1"));
    assertEquals(GOLDEN, id("SELECT * FROM t WHERE id = 1"));
  }

  private static final long GOLDEN = -7984649260081496850L;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          SELECT 1 | TELLS_NOTHING
          SELECT version() | OTHER
          SET search_path = x | TELLS_NOTHING
          BEGIN | TELLS_NOTHING
          SELECT count(*) FROM t | SELECT
          COPY t FROM STDIN | OTHER
          """)
  void statementsThatTellNothingAreKnown(String sql, Kind kind) {
    assertEquals(kind, StatementReader.read(sql).template().kind());
  }

  @Test
  void aTemplateThatIsReadAgainIsTheSame() {
    for (String sql :
        List.of(
            "SELECT a FROM t x WHERE x.id = 5 AND w IN (1, 2) AND v BETWEEN 1 AND 2",
            "INSERT INTO t (a, b) VALUES (1, 2), (3, 4)",
            "INSERT INTO t (a, b) VALUES (1, now())",
            "INSERT INTO t VALUES (1, 'x')",
            "UPDATE \"T\" SET v = 'x' WHERE \"we\"\"ird\" = -1.5e3")) {
      StatementTemplate template = StatementReader.read(sql).template();
      assertEquals(template, StatementReader.read(template.text()).template(), sql);
      assertEquals(
          template.predicates(), StatementReader.read(template.text()).template().predicates());
    }
  }

  @Test
  void aListOfValuesThatTheTextCutsOffIsNoList() {
    assertEquals("select x in ( ? +", StatementReader.read("select x in (? +").template().text());
  }

  @Test
  void noTextMakesTheReaderFail() {
    long seed = Long.getLong("gauss.seed", System.nanoTime());
    Random random = new Random(seed);
    String[] pieces = {
      "select",
      "from",
      "where",
      "(",
      ")",
      ",",
      "?",
      "+",
      "$1",
      "$",
      "$$",
      "'",
      "\"",
      "--",
      "/*",
      "*/",
      "in",
      "values",
      "insert",
      "into",
      "between",
      "and",
      "or",
      "=",
      ".",
      "t",
      "as",
      "1",
      "-",
      "e'",
      "\\",
      "::",
      "any",
      "cast",
      "\n",
      ";",
      "update",
      "set",
      "returning",
      "1.5e",
      "join",
      "on"
    };
    for (int round = 0; round < 20_000; round++) {
      StringBuilder sql = new StringBuilder();
      for (int i = random.nextInt(20); i >= 0; i--) {
        sql.append(pieces[random.nextInt(pieces.length)]).append(random.nextBoolean() ? " " : "");
      }
      try {
        ReadStatement read = StatementReader.read(sql.toString());
        read.values(List.of());
      } catch (RuntimeException e) {
        throw new AssertionError("-Dgauss.seed=" + seed + " text: " + sql, e);
      }
    }
  }

  private static long id(String sql) {
    return StatementReader.read(sql).template().id();
  }

  private static String text(String sql) {
    return StatementReader.read(sql).template().text();
  }

  /** What a node samples of a long text is its beginning. */
  @Test
  void aLongTextAndItsBeginningHaveOneTemplate() {
    String columns = String.join(", ", java.util.Collections.nCopies(2000, "column"));
    String list = String.join(", ", java.util.Collections.nCopies(3000, "12"));
    String other = String.join(", ", java.util.Collections.nCopies(4000, "345"));
    for (String text :
        List.of(
            "SELECT v FROM t WHERE a = 5 AND id IN (" + list + ")",
            "SELECT " + columns + " FROM t WHERE id = 5",
            "INSERT INTO t (a) VALUES (" + list.replace(", ", "), (") + ")",
            "SELECT '" + "x".repeat(9000) + "' FROM t")) {
      String sampled = text.substring(0, StatementReader.MAX_CHARS);
      ReadStatement read = StatementReader.read(text);
      assertEquals(read.template(), StatementReader.read(sampled).template());
      assertEquals(
          read.template().predicates(), StatementReader.read(sampled).template().predicates());
      assertEquals(
          read.template(), StatementReader.read(read.template().text()).template(), "read again");
    }
    ReadStatement long1 =
        StatementReader.read("SELECT v FROM t WHERE a = 5 AND id IN (" + list + ")");
    ReadStatement long2 =
        StatementReader.read("SELECT v FROM t WHERE a = 6 AND id IN (" + other + ")");
    assertEquals(long1.template(), long2.template());
    assertEquals(5L, long1.value(0, List.of()));
  }
}
