package io.gauss.compute.txn.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bytes of messages about transactions, and what is refused. */
class TransactionLayoutsTest {
  private static final long XID = 0x0400_7000_0000_004DL; // 7.77@2

  private static ByteBuf empty() {
    return Unpooled.buffer();
  }

  private static void assertBytes(String expected, ByteBuf message) {
    assertEquals(expected.replace(" ", ""), ByteBufUtil.hexDump(message));
  }

  private static void assertRefused(Runnable reading) {
    GaussException e = assertThrows(GaussException.class, reading::run);
    assertEquals(SqlState.PROTOCOL_VIOLATION, e.state());
  }

  @Test
  void aQuestionAboutXids() {
    ByteBuf question = empty();
    XidQuestionLayout.writeQuestion(question, 1, 0x501);
    question.writeLongLE(XID);
    assertBytes("0100 0000 01000000 0105000000000000 4d00000000700004", question);
    assertEquals(1, XidQuestionLayout.checkQuestion(question));
    assertEquals(0x501, XidQuestionLayout.snapshot(question));
    assertEquals(XID, XidQuestionLayout.xid(question, 0));
    assertRefused(() -> XidQuestionLayout.checkQuestion(question.slice(0, 23)));
    assertRefused(() -> XidQuestionLayout.checkQuestion(question.copy().setShortLE(0, 2)));
    assertRefused(() -> XidQuestionLayout.checkQuestion(question.copy().setIntLE(4, 0)));
  }

  @Test
  void itsAnswer() {
    ByteBuf answer = empty();
    XidQuestionLayout.writeAnswers(answer, 1);
    XidQuestionLayout.writeAnswer(answer, new XidAnswer.Committed(0x501));
    assertBytes("0100 0000 01000000 0300000000000000 0105000000000000", answer);
    XidQuestionLayout.checkAnswers(answer, 1);
    assertEquals(new XidAnswer.Committed(0x501), XidQuestionLayout.answer(answer, 0));
    assertRefused(() -> XidQuestionLayout.answer(answer.copy().setLongLE(8, 7), 0));
    assertRefused(() -> XidQuestionLayout.answer(answer.copy().setLongLE(8, 1L << 32 | 3), 0));
    for (XidAnswer other :
        List.of(
            new XidAnswer.NotYet(),
            new XidAnswer.Aborted(),
            new XidAnswer.Passed(7),
            new XidAnswer.Overwritten(8),
            new XidAnswer.NoSegment())) {
      ByteBuf one = empty();
      XidQuestionLayout.writeAnswers(one, 1);
      XidQuestionLayout.writeAnswer(one, other);
      assertEquals(other, XidQuestionLayout.answer(one, 0));
    }
    assertRefused(() -> XidQuestionLayout.checkAnswers(answer, 2));
  }

  @Test
  void theQuestionForAnOutcomeAndItsAnswer() {
    ByteBuf question = XidOutcomeLayout.question(empty(), XID);
    assertBytes("0100 000000000000 4d00000000700004", question);
    assertEquals(XID, XidOutcomeLayout.xid(question));
    ByteBuf answer = XidOutcomeLayout.answer(empty(), XidOutcomeLayout.ABORTED);
    assertBytes("0100 0300 00000000", answer);
    assertEquals(XidOutcomeLayout.ABORTED, XidOutcomeLayout.outcome(answer));
    assertRefused(() -> XidOutcomeLayout.outcome(question));
  }

  @Test
  void rowWaits() {
    ByteBuf wait = RowWaitLayout.wait(empty(), 7, 5, XID, 0x0102);
    assertBytes("0200 0800 00000000 0500000000000000 4d00000000700004 0201000000000000", wait);
    RowWaitLayout.check(wait, RowWaitLayout.WAIT_BYTES);
    assertEquals(7, RowWaitLayout.passedBy(wait));
    assertEquals(-1, RowWaitLayout.passedBy(RowWaitLayout.wait(empty(), -1, 5, XID, 0x0102)));
    assertEquals(5, RowWaitLayout.wait(wait));
    assertEquals(XID, RowWaitLayout.xid(wait));
    assertEquals(0x0102, RowWaitLayout.row(wait));
    ByteBuf leave = RowWaitLayout.leave(empty(), 5);
    assertBytes("0200 000000000000 0500000000000000", leave);
    RowWaitLayout.check(leave, RowWaitLayout.LEAVE_BYTES);
    RowState turn = new RowState.Turn(new XidAnswer.Committed(0x501), 16);
    ByteBuf state = RowWaitLayout.state(empty(), 5, turn);
    assertBytes("0200 0300 0300 1000 0500000000000000 0105000000000000", state);
    RowWaitLayout.check(state, RowWaitLayout.STATE_BYTES);
    assertEquals(5, RowWaitLayout.wait(state));
    assertEquals(turn, RowWaitLayout.state(state));
    for (RowState other :
        List.of(
            new RowState.Waiting(7),
            new RowState.Ended(new XidAnswer.Aborted()),
            new RowState.Again())) {
      assertEquals(other, RowWaitLayout.state(RowWaitLayout.state(empty(), 5, other)));
    }
    assertRefused(() -> RowWaitLayout.state(state.copy().setShortLE(2, 9)));
    assertRefused(() -> RowWaitLayout.check(state, RowWaitLayout.WAIT_BYTES));
  }

  @Test
  void waitReports() {
    ByteBuf report =
        DeadlockLayout.report(
            empty(), new DeadlockLayout.Report(3, 4, 0x501, new long[] {6}, "a", "bc"));
    assertBytes(
        "0100 0100 00000000 0300000000000000 0400000000000000 0105000000000000 0600000000000000"
            + "0100 61 0200 6263",
        report);
    DeadlockLayout.Report read = DeadlockLayout.readReport(report.copy());
    assertEquals(3, read.waiter());
    assertEquals(4, read.waitId());
    assertEquals(0x501, read.age());
    assertArrayEquals(new long[] {6}, read.holders());
    assertEquals("a bc", read.who() + " " + read.what());
    for (int length = 0; length < report.readableBytes(); length++) {
      int cut = length;
      assertRefused(() -> DeadlockLayout.readReport(report.slice(0, cut)));
    }
  }

  @Test
  void whatComesOfWaitReports() {
    assertBytes(
        "0100 0000 00000000 0300000000000000 0400000000000000", DeadlockLayout.over(empty(), 3, 4));
    ByteBuf ask = DeadlockLayout.ask(empty(), 9, 3, 4);
    assertBytes("0100 0000 00000000 0300000000000000 0400000000000000 0900000000000000", ask);
    DeadlockLayout.check(ask, DeadlockLayout.ASK_BYTES);
    assertEquals(9, DeadlockLayout.question(ask));
    ByteBuf stands = DeadlockLayout.stands(empty(), 9, 3, true);
    assertBytes("0100 0100 00000000 0300000000000000 0000000000000000 0900000000000000", stands);
    assertTrue(DeadlockLayout.stands(stands));
    assertFalse(DeadlockLayout.stands(DeadlockLayout.stands(empty(), 9, 3, false)));
    ByteBuf kill = DeadlockLayout.kill(empty(), 3, 4, "why");
    assertBytes("0100 0000 00000000 0300000000000000 0400000000000000 0300 776879", kill);
    assertEquals("why", DeadlockLayout.readKill(kill.copy()).detail());
    assertRefused(() -> DeadlockLayout.readKill(kill.slice(0, 27)));
  }
}
