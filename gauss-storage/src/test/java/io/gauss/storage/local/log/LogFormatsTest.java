package io.gauss.storage.local.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/**
 * Golden bytes: what lies on disks today must be read by every later version, or carry another
 * version number.
 */
class LogFormatsTest {
  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static void assertGolden(String expected, byte[] actual) {
    assertEquals(expected.replaceAll("\\s", ""), HexFormat.of().formatHex(actual));
  }

  @Test
  void logBatch() {
    ByteBuffer frame = buffer(LogBatchLayout.HEADER_BYTES + 3);
    byte[] payload = {1, 2, 3};
    LogBatchLayout.encodeHeader(
        frame,
        0,
        0x0102,
        7,
        9,
        0x1112131415161718L,
        0x1112131415161710L,
        0x2100,
        0x2200,
        ByteBuffer.wrap(payload),
        new CRC32C());
    frame.put(LogBatchLayout.HEADER_BYTES, payload);
    assertGolden(
        "474c423101000000020100000700000009000000030000001817161514131211"
            + "1017161514131211002100000000000000220000000000006e4ca6e9093b6a2a"
            + "010203",
        frame.array());
    CRC32C crc = new CRC32C();
    assertTrue(LogBatchLayout.headerIsValid(frame, 0, crc));
    assertTrue(LogBatchLayout.payloadIsValid(frame, 0, crc));
    frame.put(LogBatchLayout.HEADER_BYTES, (byte) 0);
    assertTrue(LogBatchLayout.headerIsValid(frame, 0, crc));
    assertFalse(LogBatchLayout.payloadIsValid(frame, 0, crc));
    assertEquals(72, LogBatchLayout.frameBytes(3));
    assertEquals(72, LogBatchLayout.frameBytes(8));
  }

  @Test
  void logSegmentHead() {
    ByteBuffer head = buffer(LogSegmentLayout.HEAD_BYTES);
    LogSegmentLayout.encode(head, 0, 0x0102, 5, 0x1000, 0x2200, 0x0F00, 9, 7);
    assertGolden(
        "47415553534c4f47010000000201000005000000000000000010000000000000"
            + "0022000000000000000f000000000000090000000700000000000000a9c9769f",
        head.array());
    assertTrue(LogSegmentLayout.isValid(head, 0, 0x0102, 5));
    assertFalse(LogSegmentLayout.isValid(head, 0, 0x0102, 6));
    assertEquals("segment-000000000000001f.log", LogSegmentLayout.fileName(31));
    assertEquals(31, LogSegmentLayout.sequenceOf("segment-000000000000001f.log"));
    assertEquals(-1, LogSegmentLayout.sequenceOf("control"));
  }

  @Test
  void logControlSlot() {
    ByteBuffer slot = buffer(LogControlLayout.SLOT_BYTES);
    LogControlLayout.encode(slot, 0, 0x0102, 4, 9, 7, 0x1000, true);
    assertGolden(
        "474155535343544c010000000201000004000000000000000900000007000000"
            + "001000000000000001000000000000000000000000000000000000000f587efb",
        slot.array());
    assertTrue(LogControlLayout.isValid(slot, 0, 0x0102));
    assertFalse(LogControlLayout.isValid(slot, 0, 0x0103));
  }
}
