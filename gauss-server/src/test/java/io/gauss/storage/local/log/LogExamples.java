package io.gauss.storage.local.log;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Bytes of the files of a local log, for the registry of formats. */
public final class LogExamples {
  private LogExamples() {}

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  public static byte[] logFrame() {
    byte[] payload = {1, 2, 3};
    ByteBuffer frame = buffer(LogBatchLayout.HEADER_BYTES + payload.length);
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
    return frame.put(LogBatchLayout.HEADER_BYTES, payload).array();
  }

  public static byte[] logSegment() {
    ByteBuffer head = buffer(LogSegmentLayout.HEAD_BYTES);
    LogSegmentLayout.encode(head, 0, 0x0102, 5, 0x1000, 0x2200, 0x0F00, 9, 7);
    return head.array();
  }

  public static byte[] logControl() {
    ByteBuffer slot = buffer(LogControlLayout.SLOT_BYTES);
    LogControlLayout.encode(slot, 0, 0x0102, 4, 9, 7, 0x1000, true);
    return slot.array();
  }
}
