package io.gauss.jdbc.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.text.StatementText.Control;
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
      assertFalse(StatementText.of(sql).mayCommitOutside(), sql);
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
      assertTrue(StatementText.of(sql).mayCommitOutside(), sql);
    }
  }

  @Test
  void transactionsBeginAndEnd() {
    assertEquals(Control.BEGIN, StatementText.of("BEGIN WORK").control());
    assertEquals(Control.COMMIT, StatementText.of("end").control());
    assertEquals(Control.ROLLBACK, StatementText.of("ROLLBACK WORK").control());
    assertEquals(Control.ROLLBACK, StatementText.of("ABORT").control());
    assertEquals(Control.COMMIT, StatementText.of("PREPARE TRANSACTION 'a'").control());
    assertEquals(Control.NONE, StatementText.of("COMMIT PREPARED 'a'").control());
    assertEquals(
        List.of(new Effect.RollbackTo("a", "ROLLBACK TO SAVEPOINT A")),
        effects("ROLLBACK TO SAVEPOINT A"));
    assertEquals(
        List.of(new Effect.RollbackTo("A", "rollback work to \"A\"")),
        effects("rollback work to \"A\""));
    assertEquals(
        List.of(new Effect.End(true, false), new Effect.Begin("BEGIN")), effects("COMMIT; BEGIN"));
    assertEquals(List.of(new Effect.End(true, true)), effects("COMMIT WORK AND CHAIN"));
    assertEquals(List.of(new Effect.End(false, false)), effects("ROLLBACK AND NO CHAIN"));
    assertEquals(List.of(new Effect.Release("a", "RELEASE a")), effects("RELEASE a"));
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
  void whatChangesLocksOfTheSessionIsNotRepeated() {
    for (String sql :
        List.of(
            "SELECT pg_advisory_lock(1)",
            "SELECT pg_try_advisory_lock_shared(v) FROM t",
            "SELECT pg_advisory_unlock(1)",
            "SELECT pg_advisory_unlock_all()")) {
      assertTrue(StatementText.of(sql).changesSessionsLocks(), sql);
    }
    assertFalse(StatementText.of("SELECT pg_advisory_xact_lock(1)").changesSessionsLocks());
  }

  @Test
  void locksAreReleasedOnlyByWhatIsExecutedForSure() {
    Effect released = new Effect.Unpin("advisory locks", false);
    for (String sql :
        List.of(
            "SELECT pg_advisory_unlock_all()",
            "/* back to the pool */ select pg_catalog . pg_advisory_unlock_all ( );")) {
      assertEquals(List.of(released), effects(sql), sql);
    }
    for (String sql :
        List.of(
            "EXPLAIN SELECT pg_advisory_unlock_all()",
            "PREPARE p AS SELECT pg_advisory_unlock_all()",
            "DECLARE c CURSOR FOR SELECT pg_advisory_unlock_all()",
            "SELECT pg_advisory_unlock_all() FROM t",
            "SELECT pg_advisory_unlock_all() WHERE false",
            "SELECT pg_advisory_unlock_all() LIMIT 0",
            "SELECT CASE WHEN false THEN pg_advisory_unlock_all() END",
            "WITH a AS (SELECT pg_advisory_unlock_all()) SELECT 1")) {
      assertFalse(effects(sql).contains(released), sql);
    }
  }

  /** They are taken by EXECUTE and FETCH, which do not show it. */
  @Test
  void locksThatAreTakenLaterPinAlsoWhenAllAreReleasedBefore() {
    Effect later = new Effect.Pin("statements that take advisory locks", false);
    for (String sql :
        List.of(
            "PREPARE p AS SELECT pg_advisory_lock(1)",
            "DECLARE c CURSOR FOR SELECT pg_try_advisory_lock(v) FROM t")) {
      assertTrue(effects(sql).contains(later), sql);
    }
    assertFalse(effects("SELECT pg_advisory_lock(1)").contains(later));
    assertFalse(effects("PREPARE p AS SELECT pg_advisory_xact_lock(1)").contains(later));
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
        List.of(new Effect.Pin("advisory locks", false)),
        effects("SELECT pg_advisory_unlock_all(), pg_advisory_lock(1)"));
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
  void temporaryTablesAreKnownByTheirNames() {
    assertEquals(
        List.of(new Effect.Pin("temporary table a b", true)),
        effects("CREATE TEMP TABLE \"a b\" (i text DEFAULT 'on commit drop')"));
    assertEquals(
        List.of(new Effect.Pin("temporary table a", true)),
        effects("CREATE TABLE pg_temp . a (i int)"));
    assertEquals(
        List.of(new Effect.Pin("temporary table a", true)),
        effects("SELECT 1 AS i INTO /* of */ TEMPORARY TABLE a"));
    assertEquals(
        List.of(
            new Effect.Unpin("temporary table a", true),
            new Effect.Unpin("temporary table A", true)),
        effects("DROP TABLE IF EXISTS a, public.b, pg_temp.\"A\" CASCADE"));
    assertEquals(List.of(new Effect.Unpin("temporary table v", true)), effects("DROP VIEW v"));
    assertEquals(
        List.of(new Effect.Unpin("temporary table if", true)), effects("DROP TABLE \"if\""));
  }

  @Test
  void localCommitsPin() {
    Effect pin = new Effect.Pin("gauss.commit_wait = local", false);
    assertTrue(effects("SET gauss.commit_wait = local").contains(pin));
    assertTrue(effects("SET LOCAL gauss.commit_wait TO 'local'").contains(pin));
    assertFalse(effects("SET gauss.commit_wait = global").contains(pin));
    assertFalse(effects("RESET gauss.commit_wait").contains(pin));
  }

  /** Where the two lexers that there were, or another one, differed from PostgreSQL's. */
  @Test
  void aCommitIsFoundWhereTheServerFindsIt() {
    for (String sql :
        List.of(
            "SELECT 1 -- one\r; COMMIT",
            "SELECT E'a'\n'\\''; COMMIT; SELECT '...'",
            "SELECT E'a' -- more\n '\\''; COMMIT; SELECT '...'",
            "/*+ node(1) */ COMMIT",
            "SELECT $a$ $b$ $a$; COMMIT",
            "SELECT a$b$; COMMIT; SELECT a$b$",
            "SELECT U&'\\'; COMMIT")) {
      assertTrue(StatementText.of(sql).mayCommitInside(), sql);
    }
    assertFalse(StatementText.of("SELECT 'a'\n'; COMMIT'").mayCommitInside());
  }

  @Test
  void quotedFunctionsAreFunctions() {
    assertTrue(StatementText.of("SELECT \"f\"(1)").mayCommitOutside());
    assertTrue(StatementText.of("SELECT \"in\" (1)").mayCommitOutside());
    assertTrue(StatementText.of("SELECT f /* of */ (1)").mayCommitOutside());
    assertTrue(StatementText.of("SELECT mine . sum(1) FROM t").mayCommitOutside());
    assertTrue(StatementText.of("SELECT \"currval\"('s')").stays());
    assertTrue(
        effects("SELECT pg_catalog.\"pg_advisory_lock\"(1)")
            .contains(new Effect.Pin("advisory locks", false)));
  }

  @Test
  void outsideATransactionWhatABlockHasDoneIsNotCommitted() {
    assertFalse(StatementText.of("BEGIN; UPDATE t SET v = 1").mayCommitOutside());
    assertTrue(StatementText.of("BEGIN; UPDATE t SET v = 1; COMMIT").mayCommitOutside());
    assertFalse(StatementText.of("BEGIN; UPDATE t SET v = 1; ROLLBACK").mayCommitOutside());
    assertTrue(StatementText.of("UPDATE t SET v = 1; BEGIN").mayCommitOutside());
  }

  @Test
  void textsThatEndEarlyAreNoTrouble() {
    for (String sql :
        List.of("'", "\"", "$$", "$a$ ;", "/*", "/* /* */", "E'\\", "--", ";;", "$")) {
      assertEquals(sql, StatementText.of(sql).sql());
    }
  }

  @Test
  void anOpenTransactionMayBeCommittedInAnyPartOfAText() {
    for (String sql :
        List.of(
            "COMMIT",
            "end;",
            "UPDATE t SET v = 2; COMMIT",
            "COMMIT; BEGIN",
            "COMMIT AND CHAIN; ROLLBACK",
            "ROLLBACK; INSERT INTO t VALUES (1)",
            "ROLLBACK; SELECT f(1)")) {
      assertTrue(StatementText.of(sql).mayCommitInside(), sql);
    }
    for (String sql :
        List.of(
            "UPDATE t SET v = 2",
            "INSERT INTO t VALUES ('; COMMIT')",
            "ROLLBACK",
            "ROLLBACK; SELECT v FROM t",
            "ROLLBACK TO a; INSERT INTO t VALUES (1)",
            "")) {
      assertFalse(StatementText.of(sql).mayCommitInside(), sql);
    }
    StatementText batch =
        StatementText.ofBatch(List.of(StatementText.of("COMMIT"), StatementText.of("BEGIN")));
    assertTrue(batch.mayCommitInside());
  }
}
