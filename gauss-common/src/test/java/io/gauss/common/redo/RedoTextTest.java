package io.gauss.common.redo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.Xid;
import io.gauss.common.page.PageType;
import io.gauss.common.page.UndoContentLayout;
import io.gauss.common.page.UndoRecordLayout;
import io.gauss.common.page.VersionHeader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class RedoTextTest {
  private final ByteBuffer payload = ByteBuffer.allocate(256).order(ByteOrder.LITTLE_ENDIAN);

  private String text(int type) {
    int length = payload.position();
    return RedoText.of(type, payload.slice(0, length).order(ByteOrder.LITTLE_ENDIAN));
  }

  private RedoTextTest u16(int... values) {
    for (int value : values) {
      payload.putShort((short) value);
    }
    return this;
  }

  private RedoTextTest version(int flags, long xid, int undoPage, int undoSlot) {
    payload.put((byte) flags).put((byte) 0).putLong(xid).putInt(undoPage);
    payload.putShort((short) undoSlot).putLong(99);
    return this;
  }

  @Test
  void format() {
    payload.put((byte) PageType.TREE).put((byte) 2).putShort((short) 0).putInt(5).putInt(17);
    assertEquals(
        "TREE, level 2, generation 5, right 17, low key 3 bytes, high key none",
        u16(0, 3, 0xFFFF).text(RedoType.FORMAT));
  }

  @Test
  void changesOfSlots() {
    assertEquals("slot 4: 2 bytes", u16(4, 0).text(RedoType.INSERT));
    payload.clear();
    assertEquals("slot 4 at 10: 3 bytes become 2", u16(4, 10, 3, 0).text(RedoType.SPLICE));
    payload.clear();
    assertEquals("slot 4, 3 of them", u16(4, 3).text(RedoType.REMOVE));
    payload.clear();
    assertEquals("slots 1, 5", u16(1, 5).text(RedoType.REMOVE_MANY));
    payload.clear();
    assertEquals(
        "slots 1, 2, 3, 4, 5, 6, 7, 8, ... (9)",
        u16(1, 2, 3, 4, 5, 6, 7, 8, 9).text(RedoType.REMOVE_MANY));
  }

  @Test
  void bytesInThePage() {
    payload.putShort((short) 80).put(new byte[] {1, (byte) 0xAB});
    assertEquals("at 80: 01ab", text(RedoType.WRITE));
    payload.put(new byte[20]);
    assertTrue(text(RedoType.WRITE).endsWith("0000... (22 bytes)"));
    payload.clear();
    assertEquals("all but the hole from 100 to 8000", u16(100, 8000).text(RedoType.IMAGE));
  }

  @Test
  void versions() {
    u16(4).version(VersionHeader.DELETED, Xid.of(3, 77), 12, 5).u16(0, 0);
    assertEquals("slot 4, xid 3.77@1, deleted, undo page 12 slot 5", text(RedoType.VERSION));
    payload.clear();
    u16(4).version(VersionHeader.LOCKED_ONLY, Xid.of(3, 77), 12, 5).u16(30, 2).u16(0);
    assertEquals(
        "slot 4 at 30: 2 bytes become 2, xid 3.77@1, locked, undo page 12 slot 5",
        text(RedoType.VERSION));
  }

  @Test
  void rows() {
    version(0, Xid.of(3, 77), 12, 5);
    for (int row = 0; row < 3; row++) {
      payload.put((byte) 0).putShort((short) 1).putShort((short) 2).put(new byte[3]);
    }
    assertEquals("3 rows, xid 3.77@1, undo page 12 slot 5", text(RedoType.INSERT_MANY));
  }

  @Test
  void undo() {
    payload.putLong(UndoRecordLayout.XID, Xid.of(3, 77));
    payload.put(UndoContentLayout.KIND, (byte) UndoContentLayout.KIND_UPDATE);
    payload.putInt(UndoContentLayout.SPACE, 128);
    payload.putShort(UndoContentLayout.KEY_LENGTH, (short) 8);
    payload.position(UndoContentLayout.KEY + 8);
    assertEquals("xid 3.77@1, UPDATE in space 128, key 8 bytes", text(RedoType.UNDO_APPEND));
  }

  @Test
  void whatIsTooShortOrUnknownIsSaidToBe() {
    for (int type = RedoType.FORMAT; type <= RedoType.INSERT_MANY; type++) {
      payload.clear();
      payload.put((byte) 1);
      if (type != RedoType.REMOVE_MANY) {
        assertEquals("malformed: 1 bytes", text(type), RedoType.name(type));
      }
    }
    payload.clear();
    assertEquals("0 bytes", text(99));
  }
}
