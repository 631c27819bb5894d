package io.gauss.compute.pgwire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.pgwire.FirstGroup.Verdict;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** What the client's node does with the answer to the first group of a forwarded transaction. */
class FirstGroupTest {
  private static final byte[] PARSED = WireMessages.message('1', out -> {});
  private static final byte[] DONE =
      WireMessages.message('C', out -> out.write("UPDATE 1\0".getBytes(StandardCharsets.UTF_8)));
  private static final byte[] READY = WireMessages.message('Z', out -> out.writeByte('I'));

  private final FirstGroup group = new FirstGroup();

  private static byte[] error(String severity, SqlState state) {
    return WireMessages.message(
        'E',
        out ->
            out.write(
                "V%s\0C%s\0Mit fails\0\0"
                    .formatted(severity, state.code())
                    .getBytes(StandardCharsets.UTF_8)));
  }

  private static InputBuffer buffer(byte[]... parts) {
    InputBuffer in = new InputBuffer();
    in.append(Unpooled.wrappedBuffer(WireMessages.join(parts)));
    return in;
  }

  private Verdict look(byte[]... answer) {
    return group.look(buffer(answer), true, false);
  }

  @Test
  void anAnswerIsToldWhenItIsCompleteOrLarge() {
    assertEquals(Verdict.INCOMPLETE, look());
    assertEquals(Verdict.INCOMPLETE, look(PARSED, DONE));
    assertEquals(Verdict.INCOMPLETE, look(PARSED, Arrays.copyOf(READY, 3)));
    assertEquals(Verdict.ANSWER, look(PARSED, DONE, READY));
    byte[] row =
        WireMessages.message('D', out -> out.write(new byte[FirstGroup.MOST_ANSWER_BYTES]));
    assertEquals(Verdict.ANSWER, look(PARSED, Arrays.copyOf(row, 100)));
    assertEquals(Verdict.ANSWER, look(WireMessages.message('G', out -> out.writeInt(0))));
  }

  @Test
  void anErrorOfTheStatementIsItsAnswer() {
    assertEquals(Verdict.ANSWER, look(PARSED, error("ERROR", SqlState.UNIQUE_VIOLATION), READY));
    assertEquals(Verdict.INCOMPLETE, look(error("ERROR", SqlState.UNIQUE_VIOLATION)));
  }

  @Test
  void anErrorOfTheNodeIsNoAnswer() {
    assertEquals(Verdict.CANNOT, look(PARSED, error("ERROR", SqlState.OUT_OF_MEMORY), READY));
    assertEquals(SqlState.OUT_OF_MEMORY, group.error().state());
    assertEquals(Verdict.CANNOT, look(PARSED, error("ERROR", SqlState.CANNOT_CONNECT_NOW)));
    assertEquals(Verdict.END, look(PARSED, error("FATAL", SqlState.ADMIN_SHUTDOWN)));
  }

  /** A statement before it may have been committed. */
  @Test
  void anErrorBehindWhatMayBeCommittedIsItsAnswer() {
    byte[] error = error("ERROR", SqlState.OUT_OF_MEMORY);
    assertEquals(Verdict.ANSWER, group.look(buffer(DONE, error, READY), true, false));
    assertEquals(Verdict.CANNOT, group.look(buffer(DONE, error, READY), false, false));
    assertEquals(Verdict.ANSWER, group.look(buffer(error, READY), false, true));
  }

  /** It has committed nothing. */
  @Test
  void anErrorBehindABeginIsNoAnswer() {
    byte[] begun =
        WireMessages.message('C', out -> out.write("BEGIN\0".getBytes(StandardCharsets.UTF_8)));
    byte[] error = error("ERROR", SqlState.OUT_OF_MEMORY);
    assertEquals(Verdict.CANNOT, group.look(buffer(PARSED, begun, error, READY), true, false));
    assertEquals(Verdict.ANSWER, group.look(buffer(begun, DONE, error, READY), true, false));
  }

  /** One that needs too much says nothing of the others. */
  @Test
  void aStatementThatNeedsTooMuchDoesNotKeepOthersFromItsNode() {
    assertFalse(FirstGroup.isNodeUnwell(new GaussException(SqlState.OUT_OF_MEMORY, "much")));
    assertFalse(FirstGroup.isNodeUnwell(new GaussException(SqlState.DISK_FULL, "much")));
    assertTrue(FirstGroup.isNodeUnwell(new GaussException(SqlState.CANNOT_CONNECT_NOW, "why")));
  }

  @Test
  void itComesBeforeWhatTheClientHasSentSince() {
    group.begin();
    group.sent(new byte[] {9, 1, 2}, 1, 2);
    group.sent(new byte[] {3}, 0, 1);
    InputBuffer in = buffer(new byte[] {0, 4, 5});
    in.consume(1);
    group.giveBack(in);
    assertEquals("[1, 2, 3, 4, 5]", Arrays.toString(in.copy(0, in.available())));
    assertFalse(group.isKept());
  }

  @Test
  void whatIsLongIsNotKept() {
    group.begin();
    group.sent(new byte[FirstGroup.MOST_BYTES], 0, FirstGroup.MOST_BYTES);
    assertTrue(group.isKept());
    group.sent(new byte[1], 0, 1);
    assertFalse(group.isKept());
    group.begin();
    assertTrue(group.isKept());
    group.giveBack(buffer());
  }
}
