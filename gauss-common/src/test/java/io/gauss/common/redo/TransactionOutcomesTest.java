package io.gauss.common.redo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.common.id.PageId;
import io.gauss.common.id.Xid;
import io.gauss.common.page.PageType;
import io.gauss.common.page.UndoContentLayout;
import io.gauss.common.page.UndoRecordLayout;
import io.gauss.common.page.UndoSpaces;
import io.gauss.common.page.UndoTableLayout;
import io.gauss.common.redo.TransactionOutcomes.Outcome;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The transactions whose commits are in a log, and cases that the log does not determine. */
class TransactionOutcomesTest {
  private static final long TABLE = PageId.of(UndoSpaces.of(1), 3);
  private static final long OTHER_TABLE = PageId.of(UndoSpaces.of(1), 30);
  private static final long UNDO = PageId.of(UndoSpaces.of(1), 4);

  private final LogBytes log = new LogBytes();

  private static ByteBuffer payload(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private void formatTable(long page, int segment, long chunk) {
    log.begin();
    log.record(RedoType.FORMAT, page, 0, payload(18).put((byte) PageType.UNDO_TABLE).array());
    log.record(
        RedoType.WRITE,
        page,
        0,
        payload(4).putShort((short) UndoTableLayout.SEGMENT).putShort((short) segment).array());
    if (chunk != 0) {
      write(page, 0, UndoTableLayout.CHUNK, chunk);
    }
  }

  private long write(long page, long previous, int offset, long value) {
    return log.record(
        RedoType.WRITE,
        page,
        previous,
        payload(10).putShort((short) offset).putLong(value).array());
  }

  private void undo(long xid) {
    log.single(
        RedoType.UNDO_APPEND,
        UNDO,
        0,
        payload(UndoContentLayout.KEY).putLong(UndoRecordLayout.XID, xid).array());
  }

  private long commit(long page, long previous, long sequence) {
    long csn = log.begin();
    return write(page, previous, UndoTableLayout.entry(sequence), csn);
  }

  private void abort(long page, long previous, long sequence) {
    log.begin();
    write(page, previous, UndoTableLayout.entry(sequence), UndoTableLayout.ENTRY_ABORTED);
  }

  private List<Outcome> outcomes() {
    MtrCursor cursor = new MtrCursor(log.bytes(), 0);
    TransactionOutcomes outcomes = new TransactionOutcomes(256 + 1);
    List<Outcome> found = new ArrayList<>();
    while (cursor.next()) {
      outcomes.next(cursor).ifPresent(found::add);
    }
    return found;
  }

  @Test
  void onATableWhoseBeginningIsThereAllIsKnown() {
    formatTable(TABLE, 7, 12);
    commit(TABLE, 0, 12_005);
    abort(TABLE, 0, 12_006);
    assertEquals(
        List.of(new Outcome(Xid.of(7, 12_005), true), new Outcome(Xid.of(7, 12_006), false)),
        outcomes());
  }

  @Test
  void theFirstCommitOfAnUnknownTableTellsNobody() {
    undo(Xid.of(7, 12_005));
    commit(TABLE, 0, 12_005);
    assertEquals(List.of(new Outcome(Xid.NONE, true)), outcomes());
  }

  @Test
  void theSecondOneIsThatOfTheTransactionWhoseUndoIsThere() {
    long first = commit(TABLE, 0, 12_004);
    undo(Xid.of(7, 12_005));
    long second = commit(TABLE, first, 12_005);
    abort(TABLE, second, 12_006);
    assertEquals(
        List.of(
            new Outcome(Xid.NONE, true),
            new Outcome(Xid.of(7, 12_005), true),
            new Outcome(Xid.of(7, 12_006), false)),
        outcomes());
  }

  @Test
  void twoTransactionsThatItCouldBeAreNotGuessedAt() {
    long first = commit(TABLE, 0, 12_004);
    undo(Xid.of(7, 12_005));
    undo(Xid.of(8, 3_005));
    commit(TABLE, first, 12_005);
    assertEquals(Xid.NONE, outcomes().getLast().xid());
  }

  @Test
  void anEarlierTransactionOfASegmentIsOver() {
    long first = commit(TABLE, 0, 12_004);
    undo(Xid.of(8, 3_005));
    undo(Xid.of(8, 3_006));
    undo(Xid.of(7, 12_005));
    commit(TABLE, first, 12_005);
    assertEquals(Xid.of(7, 12_005), outcomes().getLast().xid());
  }

  @Test
  void aPageThatIsUsedForAnotherChunkIsReadAnew() {
    formatTable(TABLE, 7, 12);
    formatTable(TABLE, 7, 15);
    commit(TABLE, 0, 15_001);
    formatTable(OTHER_TABLE, 9, 0);
    commit(OTHER_TABLE, 0, 1);
    assertEquals(
        List.of(new Outcome(Xid.of(7, 15_001), true), new Outcome(Xid.of(9, 1), true)), outcomes());
  }

  @Test
  void otherWritesOfEightBytesAreNone() {
    log.begin();
    write(PageId.of(UndoSpaces.of(1), 9), 0, 112, 12345);
    write(
        PageId.of(UndoSpaces.of(1), 9), 0, UndoTableLayout.entry(4), UndoTableLayout.ENTRY_ABORTED);
    write(PageId.of(UndoSpaces.of(1), 9), 0, UndoTableLayout.FIRST_ENTRY + 3, log.nextLsn());
    assertEquals(List.of(), outcomes());
  }
}
