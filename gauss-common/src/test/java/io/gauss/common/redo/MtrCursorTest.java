package io.gauss.common.redo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Lsn;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class MtrCursorTest {
  private static final byte[] THREE = {1, 2, 3};

  private static ByteBuffer twoMtrs() {
    LogBytes log = new LogBytes();
    log.begin();
    log.record(RedoType.INSERT, 70, 0, THREE);
    log.record(RedoType.WRITE, 71, Lsn.of(1, 1), new byte[0]);
    log.single(RedoType.REMOVE, 72, 0, new byte[] {9});
    return log.bytes();
  }

  @Test
  void itGoesThroughTheRecordsOfAllMtrs() {
    MtrCursor cursor = new MtrCursor(twoMtrs(), 1000);
    assertTrue(cursor.next());
    assertEquals(1000, cursor.mtrOffset());
    assertEquals(1016, cursor.recordOffset());
    assertEquals(Lsn.of(1, 1), cursor.lsn());
    assertEquals(Lsn.of(2, 1), cursor.lastLsn());
    assertEquals(2, cursor.count());
    assertEquals(RedoType.INSERT, cursor.type());
    assertEquals(70, cursor.pageId());
    assertEquals(ByteBuffer.wrap(THREE), cursor.payload());
    assertTrue(cursor.next());
    assertEquals(1, cursor.index());
    assertEquals(Lsn.of(1, 1), cursor.previousPageLsn());
    assertEquals(20, cursor.length());
    assertTrue(cursor.next());
    assertEquals(1059, cursor.mtrOffset());
    assertEquals(Lsn.of(3, 1), cursor.lsn());
    assertFalse(cursor.next());
  }

  @Test
  void bytesThatAreCutOffAreDamageWhereverTheCutIs() {
    ByteBuffer whole = twoMtrs();
    for (int length = 1; length < whole.remaining(); length++) {
      if (length != 59) { // the first MTR alone
        MtrCursor cursor = new MtrCursor(whole.slice(0, length), 0);
        GaussException damage =
            assertThrows(
                GaussException.class,
                () -> {
                  while (cursor.next()) {
                    assertTrue(cursor.length() > 0);
                  }
                },
                "cut at " + length);
        assertEquals(SqlState.DATA_CORRUPTED, damage.state());
      }
    }
  }

  @Test
  void lengthsThatDoNotAddUpAreDamage() {
    ByteBuffer bytes = twoMtrs();
    bytes.putShort(MtrLayout.HEADER_BYTES, (short) 22);
    MtrCursor cursor = new MtrCursor(bytes, 0);
    assertThrows(
        GaussException.class,
        () -> {
          while (cursor.next()) {
            assertTrue(cursor.length() > 0);
          }
        });
  }

  @Test
  void anotherFormatVersionIsRefused() {
    ByteBuffer bytes = twoMtrs();
    bytes.put(MtrLayout.FORMAT_VERSION, (byte) 2);
    assertThrows(GaussException.class, () -> new MtrCursor(bytes, 0).next());
  }
}
