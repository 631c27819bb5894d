package io.gauss.compute.pgwire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Which forwarded messages may have committed something when their answer never comes (rule 39).
 */
class GroupOutcomeTest {
  private static final String LONG = " ".repeat(70_000);

  private final GroupOutcome outcome =
      new GroupOutcome(Map.of("earlier commit", "COMMIT", "earlier read", "SELECT v FROM t")::get);

  private GroupOutcome outside() {
    outcome.forwarded(false);
    return outcome;
  }

  private GroupOutcome inBlock() {
    outcome.forwarded(true);
    return outcome;
  }

  /** Forwards messages of which all bytes are here. */
  private boolean mayCommit(byte[]... messages) {
    for (byte[] message : messages) {
      note(message, message.length);
    }
    return outcome.mayCommit();
  }

  private void note(byte[] message, int bytesHere) {
    InputBuffer in = new InputBuffer();
    in.append(Unpooled.wrappedBuffer(Arrays.copyOf(message, bytesHere)));
    outcome.note(message[0], in, in.intAt(1));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "COMMIT",
        "commit;",
        "END",
        "UPDATE t SET v = 2; COMMIT",
        "COMMIT; BEGIN",
        "ROLLBACK; INSERT INTO t VALUES (1)",
        "ROLLBACK WORK; INSERT INTO t VALUES (1)",
        "ROLLBACK; SELECT * INTO u FROM t",
        "ROLLBACK; SELECT setval('s', 7)",
        "ROLLBACK AND CHAIN; COMMIT",
        "PREPARE TRANSACTION 'x'",
        "/* a comment */ COMMIT",
        "INSERT INTO t VALUES ('unterminated",
        "VACUUM"
      })
  void aBlockMayHaveBeenCommitted(String text) {
    inBlock();
    assertTrue(mayCommit(WireMessages.query(text)), text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE t SET v = 2",
        "update t set v = 2 ; ",
        "INSERT INTO t VALUES ('a; COMMIT; b'); -- COMMIT;",
        "CREATE TABLE u (i int); SAVEPOINT s; DROP TABLE u; ROLLBACK TO s",
        "ROLLBACK TO SAVEPOINT s; UPDATE t SET v = 2",
        "ROLLBACK WORK TO s; UPDATE t SET v = 2",
        "SELECT nextval('s')",
        "BEGIN",
        "ROLLBACK",
        "ABORT; BEGIN; INSERT INTO t VALUES (1)",
        "ROLLBACK; SELECT v FROM t",
        "SET LOCAL work_mem = '8MB'",
        ""
      })
  void aBlockCannotHaveBeenCommitted(String text) {
    inBlock();
    assertFalse(mayCommit(WireMessages.query(text)), text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "INSERT INTO t VALUES (1)",
        "BEGIN; INSERT INTO t VALUES (1); COMMIT",
        "BEGIN; INSERT INTO t VALUES (1); COMMIT; BEGIN",
        "INSERT INTO t VALUES (1); BEGIN",
        "START TRANSACTION; INSERT INTO t VALUES (1); END; START TRANSACTION",
        "BEGIN; ROLLBACK; INSERT INTO t VALUES (1)",
        "SELECT v INTO u FROM t",
        "SELECT setval('s', 7)",
        "SELECT ';BEGIN', pg_catalog.setval('s', 7)",
        "SELECT \"setval\"('s', 7)",
        "WITH a AS (SELECT setval('s', 7)) SELECT * FROM a",
        "SELECT 1 AS \";BEGIN\"; INSERT INTO t VALUES (1)",
        "WITH a AS (DELETE FROM t RETURNING v) SELECT v FROM a"
      })
  void outsideABlockItMayHaveBeenCommitted(String text) {
    outside();
    assertTrue(mayCommit(WireMessages.query(text)), text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT v FROM t",
        "BEGIN",
        "BEGIN; INSERT INTO t VALUES (1)",
        "begin transaction; insert into t values (1); rollback",
        "SHOW work_mem; SELECT 1",
        "SELECT count(*), nextval('s'), 'setval' AS \"setval\" FROM t",
        "WITH a AS (SELECT max(v) FROM t) SELECT * FROM a"
      })
  void outsideABlockNothingWasCommitted(String text) {
    outside();
    assertFalse(mayCommit(WireMessages.query(text)), text);
  }

  /** The first attempt may still have it, and its node may be dead. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT pg_try_advisory_lock(7) FROM t",
        "SELECT pg_catalog.pg_try_advisory_xact_lock_shared(7)",
        "SELECT v FROM t FOR UPDATE NOWAIT",
        "SELECT v FROM t FOR NO KEY UPDATE SKIP LOCKED"
      })
  void aLockThatIsOnlyTriedMayBeDenied(String text) {
    outside();
    assertFalse(mayCommit(WireMessages.query(text)));
    assertTrue(outcome.mayBeDenied());
    assertTrue(outcome.mayLock());
    assertFalse(outcome.hasEffects());
    outside();
    assertFalse(mayCommit(WireMessages.query("SELECT v FROM t FOR UPDATE")));
    assertFalse(outcome.mayBeDenied());
  }

  @Test
  void aTextThatIsNotHereAsAWholeMayCommit() {
    inBlock();
    byte[] message = WireMessages.query("UPDATE t SET v = 2" + LONG);
    note(message, 100);
    assertTrue(outcome.mayCommit());
  }

  /**
   * What is sent behind the group must not run by itself when the group is lost. A COMMIT that
   * fails ends its block.
   */
  @ParameterizedTest
  @CsvSource({
    "false, BEGIN, true",
    "false, BEGIN; UPDATE t SET v = 2, true",
    "false, BEGIN; COMMIT; START TRANSACTION, true",
    "false, BEGIN; COMMIT, false",
    "false, UPDATE t SET v = 2, false",
    "false, SELECT 'unterminated, false",
    "false, BEGIN; SELECT 'unterminated, true",
    "true, SELECT 1, true",
    "true, SELECT 'unterminated, true",
    "true, COMMIT, false",
    "true, UPDATE t SET v = 2; END, false",
    "true, COMMIT WORK AND NO CHAIN, false",
    "true, COMMIT AND CHAIN, true",
    "true, END TRANSACTION AND CHAIN, true",
    "true, ROLLBACK, false",
    "true, ROLLBACK TO a, true",
    "true, ROLLBACK AND CHAIN, true",
    "true, COMMIT; BEGIN, true"
  })
  void aBlockThatTheGroupLeavesOpenIsOpen(boolean before, String text, boolean after) {
    outcome.forwarded(before);
    mayCommit(WireMessages.query(text));
    assertEquals(after, outcome.leavesBlock());
  }

  @ParameterizedTest
  @CsvSource({
    "ROLLBACK AND CHAIN; INSERT INTO t VALUES (1), false",
    "ABORT AND NO CHAIN; INSERT INTO t VALUES (1), true",
    "ROLLBACK AND CHAIN; ROLLBACK; INSERT INTO t VALUES (1), true"
  })
  void whatRunsBehindARollbackRunsInTheBlockThatItBegins(String text, boolean mayCommit) {
    inBlock();
    assertEquals(mayCommit, mayCommit(WireMessages.query(text)));
  }

  /** COMMIT AND CHAIN changes no names: what was prepared before is still known. */
  @Test
  void theBlockBehindACommitIsJudgedAsTheOneBeforeIt() {
    inBlock();
    assertTrue(mayCommit(WireMessages.query("COMMIT AND CHAIN")));
    outcome.next(true);
    assertFalse(mayCommitAll(bound("", "earlier read"), executed("")));
  }

  @ParameterizedTest
  @CsvSource({
    "ROLLBACK, true",
    "abort work;, true",
    "ROLLBACK; SELECT 1, true",
    "ROLLBACK; EXECUTE p, false",
    "ROLLBACK; INSERT INTO t VALUES (1), false",
    "ROLLBACK AND CHAIN, false",
    "ROLLBACK TO a, false",
    "UPDATE t SET v = 2; ROLLBACK, false",
    "COMMIT, false",
    "SELECT 1, false"
  })
  void aRollbackThatIsLostNeedNotFail(String text, boolean onlyRollsBack) {
    inBlock();
    mayCommit(WireMessages.query(text));
    assertEquals(onlyRollsBack, outcome.onlyRollsBack());
  }

  @ParameterizedTest
  @CsvSource({
    "SELECT v FROM t, false",
    "BEGIN; VALUES (1); SHOW work_mem; COMMIT, false",
    "SELECT v FROM t FOR UPDATE, true",
    "UPDATE t SET v = 2, true",
    "LOCK TABLE t, true",
    "EXECUTE p, true",
    "SELECT 'unterminated, true"
  })
  void onlyQueriesLockNothing(String text, boolean mayLock) {
    outside();
    mayCommit(WireMessages.query(text));
    assertEquals(mayLock, outcome.mayLock());
  }

  @Test
  void whatAnEarlierGroupHasLockedStaysLocked() {
    inBlock();
    mayCommit(WireMessages.query("SELECT v FROM t"));
    outcome.next(true);
    assertFalse(outcome.mayHaveLocked());
    mayCommit(WireMessages.query("UPDATE t SET v = 2"));
    assertTrue(outcome.mayHaveLocked());
    outcome.next(true);
    mayCommit(WireMessages.query("SELECT v FROM t"));
    assertFalse(outcome.mayLock());
    assertTrue(outcome.mayHaveLocked());
    outcome.forwarded(true);
    assertFalse(outcome.mayHaveLocked(), "in another transaction");
  }

  @Test
  void whatABlocksTextCommittedIsOverWithItsGroup() {
    inBlock();
    assertTrue(mayCommit(WireMessages.query("COMMIT; BEGIN")));
    outcome.next(true);
    assertFalse(outcome.isOpen());
    assertFalse(mayCommit(WireMessages.query("UPDATE t SET v = 2")));
  }

  /** Its texts name statements as the messages of the extended protocol do. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "DEALLOCATE ALL; PREPARE \"earlier read\" AS INSERT INTO t VALUES (1)",
        "SELECT 'unterminated"
      })
  void aNameMayStandForAnotherStatementAfterATextThatPreparesOne(String text) {
    inBlock();
    mayCommit(WireMessages.query(text));
    outcome.next(true);
    assertTrue(
        mayCommit(
            prepared("", "ROLLBACK"),
            bound("", ""),
            executed(""),
            bound("p", "earlier read"),
            executed("p")));
  }

  // ---- the extended protocol

  private static byte[] prepared(String name, String text) {
    return WireMessages.parse(name, text);
  }

  private static byte[] bound(String portal, String name) {
    return WireMessages.bind(portal, name);
  }

  private static byte[] executed(String portal) {
    return WireMessages.execute(portal, 0);
  }

  private static byte[] all(String text) {
    return WireMessages.join(prepared("", text), bound("", ""), executed(""));
  }

  /** One message after the other of what was joined. */
  private boolean mayCommitAll(byte[]... groups) {
    for (byte[] group : groups) {
      for (int at = 0; at < group.length; ) {
        int length = Unpooled.wrappedBuffer(group, at + 1, 4).readInt();
        mayCommit(Arrays.copyOfRange(group, at, at + 1 + length));
        at += 1 + length;
      }
    }
    return outcome.mayCommit();
  }

  @ParameterizedTest
  @CsvSource({
    "false, BEGIN, INSERT INTO t VALUES (1), COMMIT, true",
    "false, BEGIN, INSERT INTO t VALUES (1), SELECT 1, false",
    "false, INSERT INTO t VALUES (1), BEGIN, SELECT 1, true",
    "false, INSERT INTO t VALUES (1), COMMIT, BEGIN, true",
    "true, UPDATE t SET v = 2, COMMIT, BEGIN, true",
    "true, ROLLBACK, INSERT INTO t VALUES (1), SELECT 1, true",
    "true, UPDATE t SET v = 2, ROLLBACK, BEGIN, false"
  })
  void blocksBeginAndEndWithinAGroup(
      boolean block, String first, String second, String third, boolean mayCommit) {
    outcome.forwarded(block);
    assertEquals(mayCommit, mayCommitAll(all(first), all(second), all(third)));
  }

  @Test
  void aPortalRunsWithItsExecuteInALaterGroup() {
    inBlock();
    assertFalse(mayCommitAll(prepared("c", "COMMIT"), bound("p", "c")), "nothing has run yet");
    outcome.next(true);
    assertTrue(mayCommitAll(executed("p")));
  }

  @Test
  void aPortalFromBeforeTheTransactionWasForwardedMayCommit() {
    inBlock();
    assertTrue(mayCommitAll(executed("p")));
  }

  @Test
  void statementsPreparedEarlierAreKnown() {
    inBlock();
    assertFalse(mayCommitAll(bound("", "earlier read"), executed("")));
    assertTrue(mayCommitAll(bound("", "earlier commit"), executed("")));
  }

  @Test
  void aLongStatementReplacesTheOneThatWasKnown() {
    inBlock();
    assertFalse(mayCommitAll(all("SELECT 1")));
    note(WireMessages.parse("", "COMMIT" + LONG), 60);
    assertTrue(mayCommitAll(bound("", ""), executed("")));
  }

  @Test
  void aStatementThatWasSkippedAfterAnErrorDoesNotReplaceTheOneThatWasKnown() {
    inBlock();
    mayCommitAll(prepared("c", "COMMIT"), bound("p", "c"));
    outcome.next(true);
    assertFalse(mayCommitAll(all("SELECT 1 / 0"), prepared("c", "SELECT 1"), bound("p", "c")));
    outcome.failed();
    outcome.next(true);
    assertFalse(mayCommitAll(all("ROLLBACK TO s")));
    assertTrue(mayCommitAll(executed("p")), "the portal is what it was before");
    outcome.next(true);
    assertTrue(mayCommitAll(bound("", "c"), executed("")), "so is the statement");
  }

  @Test
  void longParametersDoNotHideTheStatement() {
    inBlock();
    byte[] bind = WireMessages.bind("", "earlier read", LONG);
    note(bind, 60);
    assertFalse(mayCommitAll(executed("")));
  }

  @Test
  void aFunctionThatIsCalledMayCommitOutsideABlock() {
    byte[] call = WireMessages.message('F', out -> out.writeInt(1));
    outside();
    assertTrue(mayCommit(call));
    inBlock();
    assertFalse(mayCommit(call));
  }
}
