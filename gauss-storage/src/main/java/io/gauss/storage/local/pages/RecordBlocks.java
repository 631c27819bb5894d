package io.gauss.storage.local.pages;

import io.gauss.common.memory.Memory;
import io.gauss.common.redo.MtrLayout;
import java.lang.foreign.Arena;
import org.agrona.collections.LongArrayList;

/**
 * Off-heap memory for records that wait to be folded. Each page has a chain of blocks that grows
 * with it; folding frees the whole chain at once.
 *
 * <pre>
 * block                               record in a block
 *  0  8  next block, 0 = none          0  8  LSN
 *  8  4  class                         8  8  stream offset of the record's MTR
 * 12  4  bytes used, head included    16  4  stream
 * 16     records                      20     the record, see MtrLayout
 * </pre>
 *
 * Not thread-safe; the store's lock guards it. A detached chain belongs to the thread that detached
 * it.
 */
final class RecordBlocks implements AutoCloseable {
  static final int NEXT = 0;
  private static final int CLASS = 8;
  private static final int USED = 12;
  private static final int HEAD_BYTES = 16;

  static final int RECORD_LSN = 0;
  static final int RECORD_OFFSET = 8;
  static final int RECORD_STREAM = 16;
  static final int RECORD = 20;

  /** Powers of two from 256 bytes on; the last one holds the longest record. */
  private static final int[] CLASS_BYTES = {
    256, 512, 1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10
  };

  /** Growth of a chain alone does not use block classes above this one. */
  private static final int GROWTH_CLASS = 5;

  private static final int SLAB_BYTES = 1 << 20;

  private final Arena arena = Arena.ofShared();
  private final long[] free = new long[CLASS_BYTES.length];
  private long slab;
  private int slabUsed = SLAB_BYTES;
  private long memory;

  /** Bytes of the blocks in use. */
  long memory() {
    return memory;
  }

  /** Copies a record behind the last one of the chain. */
  void append(PageEntry entry, long record, int length, long lsn, long mtrOffset, int stream) {
    int bytes = RECORD + length;
    long block = entry.lastBlock;
    if (block == 0
        || Memory.getInt(block + USED) + bytes > CLASS_BYTES[Memory.getInt(block + CLASS)]) {
      int wanted = block == 0 ? 0 : Math.min(Memory.getInt(block + CLASS) + 1, GROWTH_CLASS);
      while (CLASS_BYTES[wanted] - HEAD_BYTES < bytes) {
        wanted++;
      }
      long fresh = allocate(wanted);
      if (block == 0) {
        entry.firstBlock = fresh;
      } else {
        Memory.putLong(block + NEXT, fresh);
      }
      entry.lastBlock = fresh;
      block = fresh;
    }
    int used = Memory.getInt(block + USED);
    long at = block + used;
    Memory.putLong(at + RECORD_LSN, lsn);
    Memory.putLong(at + RECORD_OFFSET, mtrOffset);
    Memory.putInt(at + RECORD_STREAM, stream);
    Memory.copy(record, at + RECORD, length);
    Memory.putInt(block + USED, used + bytes);
  }

  /** Addresses of a chain's records in the order in which they were appended; returns how many. */
  static int collect(long firstBlock, LongArrayList to) {
    int count = 0;
    for (long block = firstBlock; block != 0; block = Memory.getLong(block + NEXT)) {
      long end = block + Memory.getInt(block + USED);
      long at = block + HEAD_BYTES;
      while (at < end) {
        to.addLong(at);
        count++;
        at += RECORD + MtrLayout.recordLength(at + RECORD);
      }
    }
    return count;
  }

  /** Frees a chain. */
  void release(long firstBlock) {
    long block = firstBlock;
    while (block != 0) {
      long next = Memory.getLong(block + NEXT);
      int blockClass = Memory.getInt(block + CLASS);
      Memory.putLong(block + NEXT, free[blockClass]);
      free[blockClass] = block;
      memory -= CLASS_BYTES[blockClass];
      block = next;
    }
  }

  private long allocate(int blockClass) {
    long block = free[blockClass];
    if (block != 0) {
      free[blockClass] = Memory.getLong(block + NEXT);
    } else {
      block = carve(CLASS_BYTES[blockClass]);
    }
    memory += CLASS_BYTES[blockClass];
    Memory.putLong(block + NEXT, 0);
    Memory.putInt(block + CLASS, blockClass);
    Memory.putInt(block + USED, HEAD_BYTES);
    return block;
  }

  private long carve(int bytes) {
    if (slabUsed + bytes > SLAB_BYTES) {
      // The rest of the old slab goes to the free lists, largest pieces first.
      for (int c = CLASS_BYTES.length - 1; c >= 0; c--) {
        while (slabUsed + CLASS_BYTES[c] <= SLAB_BYTES) {
          Memory.putLong(slab + slabUsed + NEXT, free[c]);
          free[c] = slab + slabUsed;
          slabUsed += CLASS_BYTES[c];
        }
      }
      slab = Memory.allocate(arena, SLAB_BYTES, 64);
      slabUsed = 0;
    }
    long block = slab + slabUsed;
    slabUsed += bytes;
    return block;
  }

  @Override
  public void close() {
    arena.close();
  }
}
