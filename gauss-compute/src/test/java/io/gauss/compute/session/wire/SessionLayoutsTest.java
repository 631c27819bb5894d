package io.gauss.compute.session.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.session.wire.ActivityLayout.Activity;
import io.gauss.compute.session.wire.SignalLayout.Outcome;
import io.gauss.compute.sql.state.SystemState.AdvisoryRow;
import io.gauss.compute.sql.state.SystemState.NotifyRow;
import io.gauss.compute.sql.state.SystemState.SessionRow;
import io.gauss.compute.sql.state.SystemState.TransactionRow;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.txn.TransactionActivity;
import io.gauss.compute.txn.TransactionActivity.AdvisoryWait;
import io.gauss.compute.txn.TransactionActivity.HeldLock;
import io.gauss.compute.txn.TransactionActivity.RowWait;
import io.gauss.compute.txn.TransactionActivity.TableWait;
import io.gauss.compute.wait.CurrentWait;
import io.gauss.memory.lock.LockMode;
import io.gauss.memory.lock.LockName;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The bytes of messages about sessions, and what is refused. */
class SessionLayoutsTest {
  private static final NotifyRow NOTIFICATIONS = new NotifyRow(1, 2, 3, 4, 5, 6, 7, 8);

  private static void assertBytes(String expected, ByteBuf message) {
    assertEquals(expected.replace(" ", ""), ByteBufUtil.hexDump(message));
  }

  private static void assertRefused(Runnable reading) {
    GaussException e = assertThrows(GaussException.class, reading::run);
    assertEquals(SqlState.PROTOCOL_VIOLATION, e.state());
  }

  @Test
  void aSignalAndItsAnswer() {
    Signal terminate = new Signal.Terminate(20_000_017, 10);
    ByteBuf question = SignalLayout.writeQuestion(Unpooled.buffer(), terminate);
    assertBytes("0100 0300 112d3101 0a000000", question);
    assertEquals(terminate, SignalLayout.readQuestion(question));
    assertRefused(() -> SignalLayout.readQuestion(question.slice(0, 11)));
    assertRefused(() -> SignalLayout.readQuestion(question.copy().setShortLE(0, 2)));
    ByteBuf answer = SignalLayout.writeAnswer(Unpooled.buffer(), Outcome.IS_SUPERUSERS);
    assertBytes("0100 0300", answer);
    assertEquals(Outcome.IS_SUPERUSERS, SignalLayout.readAnswer(answer));
    assertRefused(() -> SignalLayout.readAnswer(answer.slice(0, 2)));
    assertRefused(() -> SignalLayout.readAnswer(answer.copy().setShortLE(2, 5)));
  }

  @Test
  void everySignalIsReadBackAsItWasWritten() {
    for (Signal signal :
        List.of(
            new Signal.CancelByKey(7, -5),
            new Signal.Cancel(7, 10),
            new Signal.Terminate(7, 10),
            new Signal.Look(7),
            new Signal.CancelPassed(7, 3),
            new Signal.EndPassed(7, -3))) {
      ByteBuf question = SignalLayout.writeQuestion(Unpooled.buffer(), signal);
      assertEquals(signal, SignalLayout.readQuestion(question));
    }
    ByteBuf unknown =
        SignalLayout.writeQuestion(Unpooled.buffer(), new Signal.Look(7)).setShortLE(2, 7);
    GaussException e = assertThrows(GaussException.class, () -> SignalLayout.readQuestion(unknown));
    assertEquals(SqlState.FEATURE_NOT_SUPPORTED, e.state());
  }

  @Test
  void aQuestionToRunTransactionsOfAClientAndItsAnswer() {
    ForwardLayout.Question asked =
        new ForwardLayout.Question(
            10_000_007, 10, "::1:5", new TreeMap<>(Map.of("TimeZone", "UTC", "a", "ö")));
    ByteBuf question = ForwardLayout.writeQuestion(Unpooled.buffer(), asked);
    assertBytes(
        "0200 0200 87969800 0a000000 05000000 3a3a313a35 08000000 54696d655a6f6e65 03000000 555443"
            + " 01000000 61 02000000 c3b6",
        question);
    assertEquals(asked, ForwardLayout.readQuestion(question));
    for (int end = 0; end < question.readableBytes(); end++) {
      ByteBuf part = question.slice(0, end);
      assertRefused(() -> ForwardLayout.readQuestion(part));
    }
    assertRefused(() -> ForwardLayout.readQuestion(question.copy().setShortLE(0, 1)));
    ByteBuf answer =
        ForwardLayout.writeAnswer(
            Unpooled.buffer(), new ForwardLayout.Answer(5433, 1, -2, new byte[] {7, 8}));
    assertBytes("0200 0100 39150000 0100000000000000 feffffffffffffff 0200 0708", answer);
    ForwardLayout.Answer read = ForwardLayout.readAnswer(answer);
    assertEquals(5433, read.port());
    assertEquals(1, read.ticket());
    assertEquals(-2, read.ticketEnd());
    assertArrayEquals(new byte[] {7, 8}, read.certificate());
    for (int end = 0; end < answer.readableBytes(); end++) {
      ByteBuf part = answer.slice(0, end);
      assertRefused(() -> ForwardLayout.readAnswer(part));
    }
    assertNull(ForwardLayout.readAnswer(ForwardLayout.writeAnswer(Unpooled.buffer(), null)));
  }

  @Test
  void whatANodesSessionsDo() {
    Activity activity =
        new Activity(
            List.of(
                new SessionRow(5, "ö", null, null, "active", "", new CurrentWait("log", 0x11, 7))),
            List.of(
                new TransactionRow(
                    5,
                    "waiting",
                    7L,
                    9L,
                    new TransactionActivity(
                        0x301,
                        IsolationLevel.READ_COMMITTED,
                        0x42,
                        List.of(new HeldLock(16_384, TableLockMode.SHARE)),
                        new RowWait(0x302, 1_000)))),
            List.of(new AdvisoryRow(5, LockName.advisory(1, 2), LockMode.EXCLUSIVE)),
            NOTIFICATIONS);
    ByteBuf written = ActivityLayout.write(Unpooled.buffer(), activity);
    assertBytes(
        "0300 01000000 05000000 0200c3b6 ffff ffff 0600616374697665 0000"
            + " 03006c6f67 1100000000000000 0700000000000000"
            + " 01000000 05000000 070077616974696e67 0700000000000000 0900000000000000"
            + " 0103000000000000 01 4200000000000000 0100 00400000 02"
            + " 01 0203000000000000 e803000000000000"
            + " 01000000 05000000 04 0200000001000000 07"
            + " 01000000 02000000 0300000000000000 0400000000000000 05000000 0600000000000000"
            + " 0700000000000000 0800000000000000",
        written);
    assertEquals(activity, ActivityLayout.read(written.duplicate()));
    for (int length = 0; length < written.readableBytes(); length++) {
      ByteBuf part = written.slice(0, length);
      assertRefused(() -> ActivityLayout.read(part));
    }
    assertRefused(() -> ActivityLayout.read(written.copy().setShortLE(0, 1)));
  }

  @Test
  void aWaitForATableAndARollbackWithoutASession() {
    Activity activity =
        new Activity(
            List.of(),
            List.of(
                new TransactionRow(
                    null,
                    "rolling back",
                    null,
                    9L,
                    new TransactionActivity(
                        1,
                        null,
                        0,
                        List.of(),
                        new TableWait(16_385, TableLockMode.ACCESS_EXCLUSIVE, 5)))),
            List.of(),
            NOTIFICATIONS);
    assertEquals(activity, ActivityLayout.read(ActivityLayout.write(Unpooled.buffer(), activity)));
  }

  @Test
  void aWaitForAnAdvisoryLock() {
    Activity activity =
        new Activity(
            List.of(),
            List.of(
                new TransactionRow(
                    6,
                    "waiting",
                    7L,
                    9L,
                    new TransactionActivity(
                        0,
                        IsolationLevel.REPEATABLE_READ,
                        0,
                        List.of(),
                        new AdvisoryWait(LockName.advisory(-1), LockMode.SHARE, 5)))),
            List.of(),
            NOTIFICATIONS);
    assertEquals(activity, ActivityLayout.read(ActivityLayout.write(Unpooled.buffer(), activity)));
  }

  @Test
  void theTextOfALongStatementIsCut() {
    String text = "é".repeat(3_000);
    Activity activity =
        new Activity(
            List.of(new SessionRow(1, "u", null, null, "idle", text, null)),
            List.of(),
            List.of(),
            NOTIFICATIONS);
    Activity read = ActivityLayout.read(ActivityLayout.write(Unpooled.buffer(), activity));
    assertEquals("é".repeat(ActivityLayout.MOST_CHARACTERS), read.sessions().getFirst().query());
  }
}
