package io.gauss.jdbc.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.text.StatementText.Control;
import io.gauss.jdbc.text.StatementText.Effect;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a text tells without being parsed. */
class StatementTextTest {
  private static List<Effect> effects(String sql) {
    return StatementText.of(sql).effects();
  }

  @Test
  void hintsAreReadFromCommentsOnly() {
    assertEquals(2, StatementText.of("/*+ node(2) */ SELECT 1").hintedNode());
    assertEquals(12, StatementText.of("SELECT /*+NODE ( 12 )*/ v FROM t").hintedNode());
    assertEquals(0, StatementText.of("SELECT '/*+ node(2) */'").hintedNode());
    assertEquals(0, StatementText.of("/* node(2) */ SELECT 1").hintedNode());
    assertEquals(0, StatementText.of("/*+ node(x) */ SELECT 1").hintedNode());
    assertEquals(0, StatementText.of("/*+ node(99999999999) */ SELECT 1").hintedNode());
    assertEquals(0, StatementText.of("-- /*+ node(2) */\nSELECT 1").hintedNode());
    assertEquals(0, StatementText.of("/*+").hintedNode());
  }

  @Test
  void someStatementsTellNothing() {
    for (String sql :
        List.of(
            "SELECT 1",
            " select 'from' ;",
            "SHOW work_mem",
            "SET a = 1; SHOW a",
            "BEGIN",
            "start transaction isolation level repeatable read",
            "",
            "-- nothing",
            "SELECT $$ from f( $$")) {
      assertTrue(StatementText.of(sql).tellsNothing(), sql);
    }
    for (String sql :
        List.of(
            "SELECT * FROM t",
            "SELECT f(1)",
            "SELECT ?",
            "TABLE t",
            "WITH a AS (SELECT 1) SELECT 2",
            "SET a = 1; UPDATE t SET v = 1",
            "{call f()}",
            "COMMIT",
            "CREATE TABLE t (i int)")) {
      assertFalse(StatementText.of(sql).tellsNothing(), sql);
    }
  }

  @Test
  void onlyPlainReadsSurelyWriteNothing() {
    for (String sql :
        List.of(
            "SELECT * FROM t WHERE a IN (1, 2) AND (b > 1)",
            "TABLE t",
            "SHOW a",
            "VALUES (1)",
            "SELECT count(*), Sum (v) FROM t GROUP BY a HAVING max(v) > 0")) {
      assertFalse(StatementText.of(sql).mayWrite(), sql);
    }
    for (String sql :
        List.of(
            "SELECT nextval('s')",
            "SELECT sum(nextval('s')) FROM t",
            "SELECT mine.sum(v) FROM t",
            "SELECT * INTO u FROM t",
            "WITH d AS (DELETE FROM t RETURNING *) TABLE d",
            "EXPLAIN ANALYZE DELETE FROM t",
            "SELECT 1; DELETE FROM t",
            "{call f()}")) {
      assertTrue(StatementText.of(sql).mayWrite(), sql);
    }
  }

  @Test
  void transactionsBeginAndEnd() {
    assertEquals(Control.BEGIN, StatementText.of("BEGIN WORK").control());
    assertEquals(Control.COMMIT, StatementText.of("end").control());
    assertEquals(Control.ROLLBACK, StatementText.of("ROLLBACK WORK").control());
    assertEquals(Control.ROLLBACK_TO, StatementText.of("ROLLBACK TO SAVEPOINT a").control());
    assertEquals(Control.ROLLBACK_TO, StatementText.of("rollback work to a").control());
    assertEquals(Control.NONE, StatementText.of("START").control());
  }

  @Test
  void settingsAreNamed() {
    assertEquals(
        List.of(new Effect.Set("work_mem", "SET work_mem = '1MB'", false)),
        effects(" SET work_mem = '1MB' ; "));
    assertEquals("timezone", ((Effect.Set) effects("SET TIME ZONE 'UTC'").get(0)).name());
    assertEquals(
        "search_path", ((Effect.Set) effects("set session search_path to a").get(0)).name());
    assertEquals("app.x", ((Effect.Set) effects("SET app.x = 1").get(0)).name());
    assertEquals("session", ((Effect.Set) effects("SET SESSION AUTHORIZATION a").get(0)).name());
    assertTrue(((Effect.Set) effects("RESET ALL").get(0)).forgetsOthers());
    assertEquals(List.of(new Effect.ForTransaction("SET LOCAL a = 1")), effects("SET LOCAL a = 1"));
  }

  @Test
  void whatPinsIsNamed() {
    assertEquals(
        List.of(new Effect.Pin("temporary table a", true)),
        effects("CREATE LOCAL TEMPORARY TABLE IF NOT EXISTS A (i int)"));
    assertEquals(
        List.of(new Effect.Pin("temporary table v", true)),
        effects("CREATE OR REPLACE TEMP VIEW v AS SELECT 1"));
    assertEquals(List.of(), effects("CREATE TEMP TABLE a (i int) ON  COMMIT\nDROP"));
    assertEquals(List.of(), effects("CREATE TABLE temp (i int)"));
    assertEquals(
        List.of(new Effect.Pin("advisory locks", false)),
        effects("SELECT pg_try_advisory_lock (1) FROM t"));
    assertEquals(List.of(), effects("SELECT pg_advisory_xact_lock(1), 'pg_advisory_lock(1)'"));
    assertEquals(
        List.of(new Effect.Pin("cursor c", true)),
        effects("DECLARE c CURSOR WITH HOLD FOR SELECT 1"));
    assertEquals(List.of(), effects("DECLARE c CURSOR FOR SELECT 1"));
    assertEquals(
        List.of(
            new Effect.Pin("prepared statement p", false),
            new Effect.Unpin("prepared statement p", false)),
        effects("PREPARE p AS SELECT ';'; DEALLOCATE p"));
  }

  @Test
  void textsThatEndEarlyAreNoTrouble() {
    for (String sql :
        List.of("'", "\"", "$$", "$a$ ;", "/*", "/* /* */", "E'\\", "--", ";;", "$")) {
      assertEquals(sql, StatementText.of(sql).sql());
    }
  }
}
