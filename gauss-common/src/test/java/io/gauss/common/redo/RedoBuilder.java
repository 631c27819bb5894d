package io.gauss.common.redo;

import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;

/** Builds single redo records in off-heap memory and applies them, for tests. */
public final class RedoBuilder {
  private final long memory = Memory.allocateForever(1 << 16, 8);
  private int length;

  /** Starts a record against a page. */
  public RedoBuilder start(int type, long pageId, long previousLsn) {
    Memory.putByte(memory + MtrLayout.RECORD_TYPE, type);
    Memory.putByte(memory + MtrLayout.RECORD_FLAGS, 0);
    Memory.putLong(memory + MtrLayout.RECORD_PAGE_ID, pageId);
    Memory.putLong(memory + MtrLayout.RECORD_PREV_PAGE_LSN, previousLsn);
    length = MtrLayout.RECORD_HEADER_BYTES;
    return this;
  }

  public RedoBuilder u8(int value) {
    Memory.putByte(memory + length, value);
    length += 1;
    return this;
  }

  public RedoBuilder u16(int value) {
    Memory.putShort(memory + length, value);
    length += 2;
    return this;
  }

  public RedoBuilder u32(int value) {
    Memory.putInt(memory + length, value);
    length += 4;
    return this;
  }

  public RedoBuilder u64(long value) {
    Memory.putLong(memory + length, value);
    length += 8;
    return this;
  }

  public RedoBuilder bytes(byte... bytes) {
    Memory.copyIn(bytes, 0, memory + length, bytes.length);
    length += bytes.length;
    return this;
  }

  public RedoBuilder memory(long address, int bytes) {
    Memory.copy(address, memory + length, bytes);
    length += bytes;
    return this;
  }

  /** Address of the finished record. */
  public long end() {
    Memory.putShort(memory + MtrLayout.RECORD_LENGTH, length);
    return memory;
  }

  public int length() {
    return length;
  }

  /** Applies the record with the page's LSN plus one step. */
  public void applyTo(long page) {
    RedoApply.apply(page, end(), Memory.getLong(page + PageLayout.LSN) + 256, 7);
  }

  public void format(long page, long pageId, int type, int level) {
    start(RedoType.FORMAT, pageId, 0).u8(type).u8(level).u8(0).u8(0).u32(1).u32(0);
    u16(0).u16(0).u16(PageLayout.NO_HIGH_KEY).applyTo(page);
  }

  public void formatTree(long page, long pageId, int level, byte[] low, byte[] high, int prefix) {
    start(RedoType.FORMAT, pageId, 0).u8(PageType.TREE).u8(level).u8(0).u8(0).u32(1).u32(0);
    u16(prefix).u16(low.length).u16(high == null ? PageLayout.NO_HIGH_KEY : high.length);
    bytes(low).bytes(high == null ? new byte[0] : high).applyTo(page);
  }
}
