package io.gauss.compute.sql.parse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LiteralExtractorTest {
  private final LiteralExtractor extractor = new LiteralExtractor();

  private void becomes(String sql, String text, String... values) {
    assertTrue(extractor.extract(sql), sql);
    assertEquals(text, extractor.text());
    List<String> actual = new ArrayList<>();
    for (int i = 0; i < extractor.count(); i++) {
      actual.add(extractor.value(i) + ":" + extractor.oid(i));
    }
    assertEquals(List.of(values), actual);
    PgParser.parse(extractor.text());
  }

  private void stays(String sql) {
    assertFalse(extractor.extract(sql), sql);
  }

  @Test
  void constantsBecomeParameters() {
    becomes("SELECT c FROM t WHERE id=42;", "SELECT c FROM t WHERE id=$1", "42:23");
    becomes(
        "UPDATE t SET a = a + -4172, b = 'it''s' WHERE id = 3000000000",
        "UPDATE t SET a = a + -$1, b = $2 WHERE id = $3",
        "4172:23",
        "it's:0",
        "3000000000:20");
    becomes(
        "INSERT INTO t VALUES (1, 1.50, 1e3), (2, NULL, $$x$$)",
        "INSERT INTO t VALUES ($1, $2, $3), ($4, NULL, $5)",
        "1:23",
        "1.50:1700",
        "1e3:1700",
        "2:23",
        "x:0");
    becomes(
        "SELECT a FROM t LIMIT 10 OFFSET 5", "SELECT a FROM t LIMIT $1 OFFSET $2", "10:23", "5:23");
    becomes(
        "SELECT '2020-01-01'::date, 5::numeric(10,2)",
        "SELECT $1::date, $2::numeric(10,2)",
        "2020-01-01:0",
        "5:23");
    becomes(
        "SELECT CAST(1 AS numeric(10, 2)), 2 AS x",
        "SELECT CAST($1 AS numeric(10, 2)), $2 AS x",
        "1:23",
        "2:23");
  }

  @Test
  void positionsInOrderByAndGroupByStay() {
    becomes(
        "SELECT a FROM t WHERE b = 1 ORDER BY 1, 2 DESC LIMIT 3",
        "SELECT a FROM t WHERE b = $1 ORDER BY 1, 2 DESC LIMIT $2",
        "1:23",
        "3:23");
    becomes(
        "SELECT a, sum(b + 1) FROM t GROUP BY 1 HAVING sum(b) > 2",
        "SELECT a, sum(b + $1) FROM t GROUP BY 1 HAVING sum(b) > $2",
        "1:23",
        "2:23");
    becomes(
        "SELECT rank() OVER (ORDER BY a + 1) + 2 FROM t",
        "SELECT rank() OVER (ORDER BY a + 1) + $1 FROM t",
        "2:23");
  }

  @Test
  void comparedExpressionsKeepTheirConstants() {
    stays("SELECT a + 1 FROM t GROUP BY a + 1");
    stays("SELECT DISTINCT a + 1 FROM t ORDER BY a + 1");
  }

  @Test
  void typedConstantsModifiersAndPatternsStay() {
    stays(
        "SELECT DATE '2020-01-01', INTERVAL '1 day', timestamp(3) with time zone 'x',"
            + " current_timestamp(3)");
    stays(
        "SELECT a::varchar(10), CAST(a AS char(3)), a::pg_catalog.\"bpchar\"(5), EXTRACT('year'"
            + " FROM a) FROM t");
    stays("SELECT a FROM t WHERE b LIKE 'x%' OR b ~ '^y'");
    stays("SELECT a FROM t AS x (b) WHERE true");
    stays("SELECT b -2147483648");
  }

  @Test
  void otherStatementsStay() {
    stays("CREATE TABLE t (a int DEFAULT 5)");
    stays("SET x = 5");
    stays("SELECT $1, 5");
    stays("SELECT 1; SELECT 2");
    stays("SELECT 'unterminated");
    stays("");
  }
}
