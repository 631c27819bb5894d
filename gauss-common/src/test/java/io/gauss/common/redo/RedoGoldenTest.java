package io.gauss.common.redo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageChecksum;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.common.page.TreePage;
import io.gauss.common.page.UndoContentLayout;
import io.gauss.common.page.VersionHeader;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The bytes of docs/formats.md: a change here is a change of the format. */
class RedoGoldenTest {
  private static final long ID = PageId.of(5, 9);
  private static final int LEAF_KEY = 26;
  private final long page = Memory.allocateForever(PageLayout.PAGE_BYTES, 64);
  private final RedoBuilder redo = new RedoBuilder();

  @Test
  void aFormattedLeafWithTwoRecordsHasTheseBytes() {
    redo.formatTree(page, ID, 0, bytes("item/"), bytes("item/9"), 5);
    insert(0, "2", "two");
    insert(0, "1", "one");

    assertEquals(
        "000000000103000009000000050000000003000000000000070000000000000002005000b91f000001000000"
            + "05000500060000000000"
            + "00".repeat(10),
        hex(0, 64));
    assertEquals("b91f1e0000000031" + "d71f1e0000000032", hex(64, 16));
    String version = "0000" + "0200000000000100" + "03000000" + "0400" + "0105000000000000";
    assertEquals("0100" + version + "31" + "6f6e65", hex(0x1fb9, 30));
    assertEquals("0100" + version + "32" + "74776f", hex(0x1fd7, 30));
    assertEquals("6974656d2f" + "6974656d2f39", hex(0x1ff5, 11));
  }

  @Test
  void aRunOfRowsHasTheseBytesAndMakesThePageThatSingleInsertsMake() {
    redo.formatTree(page, ID, 0, bytes("item/"), bytes("item/9"), 5);
    insert(0, "2", "two");
    insert(0, "1", "one");
    insert(2, "3", "three");
    insert(3, "5", "five");
    String expected = hex(PageLayout.SLOT_COUNT, PageLayout.PAGE_BYTES - PageLayout.SLOT_COUNT);

    redo.formatTree(page, ID, 0, bytes("item/"), bytes("item/9"), 5);
    insert(0, "2", "two");
    insert(0, "1", "one");
    byte[] version = java.util.Arrays.copyOfRange(leaf("", ""), 2, 26);
    redo.start(RedoType.INSERT_MANY, ID, 0).bytes(version);
    redo.u8(2).u16(1).u16(5).bytes(bytes("3three")).u8(0).u16(1).u16(4).bytes(bytes("5five"));
    long payload = redo.end() + MtrLayout.RECORD_HEADER_BYTES;
    assertEquals(
        "0000"
            + "0200000000000100"
            + "03000000"
            + "0400"
            + "0105000000000000"
            + "02"
            + "0100"
            + "0500"
            + "337468726565"
            + "00"
            + "0100"
            + "0400"
            + "3566697665",
        hexAt(payload, redo.length() - MtrLayout.RECORD_HEADER_BYTES));
    redo.applyTo(page);

    assertEquals(
        expected, hex(PageLayout.SLOT_COUNT, PageLayout.PAGE_BYTES - PageLayout.SLOT_COUNT));
  }

  private void insert(int slot, String suffix, String row) {
    redo.start(RedoType.INSERT, ID, 0).u16(slot).bytes(leaf(suffix, row)).applyTo(page);
  }

  /** A leaf record of xid 16.2@1, undo 3:4 at LSN 0x501. */
  private byte[] leaf(String suffix, String row) {
    byte[] key = bytes(suffix);
    byte[] bytes = new byte[TreePage.leafBytes(key.length, row.length())];
    bytes[0] = (byte) key.length;
    bytes[4] = 2;
    bytes[10] = 1;
    bytes[12] = 3;
    bytes[16] = 4;
    bytes[18] = 1;
    bytes[19] = 5;
    System.arraycopy(key, 0, bytes, LEAF_KEY, key.length);
    System.arraycopy(bytes(row), 0, bytes, LEAF_KEY + key.length, row.length());
    return bytes;
  }

  @Test
  void anImageOfALaterFormatIsRefused() {
    redo.start(RedoType.IMAGE, ID, 0).u16(PageLayout.HEADER_BYTES).u16(PageLayout.PAGE_BYTES);
    redo.u8(PageLayout.CURRENT_VERSION + 1).bytes(new byte[59]);
    GaussException e = assertThrows(GaussException.class, () -> redo.applyTo(page));
    assertEquals(SqlState.FEATURE_NOT_SUPPORTED, e.state());
  }

  @Test
  void checksumCoversEverythingBehindIt() {
    redo.format(page, ID, PageType.META, 0);
    PageChecksum.set(page);
    assertTrue(PageChecksum.verify(page));
    Memory.putByte(page + 8191, 1);
    assertFalse(PageChecksum.verify(page));
  }

  @Test
  void anInnerRecordHoldsChildAndSuffix() {
    redo.formatTree(page, ID, 1, bytes(""), null, 0);
    redo.start(RedoType.INSERT, ID, 0).u16(0).u16(2).u32(12).bytes(bytes("ab")).applyTo(page);
    assertEquals("f81f080000006261", hex(64, 8));
    assertEquals("0200" + "0c000000" + "6162", hex(0x1ff8, 8));
    assertEquals(12, TreePage.child(page, 0));
  }

  @Test
  void anUndoRecordHasTheseBytes() {
    long record = page;
    Memory.zero(record, 80);
    Memory.putByte(record + UndoContentLayout.KIND, UndoContentLayout.KIND_UPDATE);
    Memory.putInt(record + UndoContentLayout.SPACE, 5);
    VersionHeader.write(
        record + UndoContentLayout.OLD_VERSION, 1, 0x0001_0000_0000_0002L, 3, 4, 0x501);
    Memory.putShort(record + UndoContentLayout.KEY_LENGTH, 2);
    Memory.putShort(record + UndoContentLayout.ROW_AT, 7);
    Memory.putShort(record + UndoContentLayout.NEW_BYTES, 9);
    Memory.copyIn(bytes("kkold"), 0, record + UndoContentLayout.KEY, 5);
    assertEquals(
        "02000500000001000200000000000100030000000400010500000000000002000700" + "09006b6b6f6c64",
        hex(24, 41));
    assertEquals(record + 62, UndoContentLayout.oldBytes(record));
    assertEquals(3, UndoContentLayout.oldBytesLength(record, 65));
  }

  @Test
  void writeChangesHeaderFieldsAndBytes() {
    redo.format(page, ID, PageType.META, 0);
    redo.start(RedoType.WRITE, ID, 256).u16(PageLayout.RIGHT_SIBLING).u32(77).applyTo(page);
    redo.start(RedoType.WRITE, ID, 512).u16(8190).u16(0xABCD).applyTo(page);
    assertEquals("4d000000", hex(PageLayout.RIGHT_SIBLING, 4));
    assertEquals("cdab", hex(8190, 2));
    assertEquals(768, Memory.getLong(page + PageLayout.LSN));
    assertEquals(7, Memory.getInt(page + PageLayout.STREAM));
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private String hex(int offset, int length) {
    return hexAt(page + offset, length);
  }

  private static String hexAt(long address, int length) {
    byte[] out = new byte[length];
    Memory.copyOut(address, out, 0, length);
    return HexFormat.of().formatHex(out);
  }
}
