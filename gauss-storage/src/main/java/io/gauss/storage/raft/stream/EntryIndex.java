package io.gauss.storage.raft.stream;

import io.gauss.common.invariant.Invariant;
import java.util.Arrays;

/**
 * The positions of the stream's batches: by offset, their index in the Raft log and their last LSN.
 * It grows at the end as entries are applied, and shrinks at the front. About 28 bytes a batch.
 *
 * <p>Thread-safe. Written by the one thread that applies entries.
 */
final class EntryIndex {
  private static final int INITIAL = 1024;

  /** A batch in the index. */
  record Position(long offset, long end, long raftIndex, long lastLsn, int checksum) {}

  // Batch i is at (first + i) modulo the arrays' length, a power of two.
  private long[] offsets = new long[INITIAL];
  private long[] raftIndexes = new long[INITIAL];
  private long[] lastLsns = new long[INITIAL];
  private int[] checksums = new int[INITIAL];
  private int first;
  private int count;
  private long end;
  private long forgottenLsn;

  synchronized int count() {
    return count;
  }

  /** Number of batches at or behind an offset. */
  synchronized int countFrom(long offset) {
    if (count == 0 || offset >= end) {
      return 0;
    }
    return offset <= offsets[first] ? count : count - lastNotAbove(offset);
  }

  /** Offset of the first of the last batches; the start when there are no more than these. */
  synchronized long offsetOfLast(int batches) {
    if (batches <= 0) {
      return end;
    }
    return batches >= count ? start() : offsets[at(count - batches)];
  }

  /**
   * Resets the index to an offset before which nothing is available.
   *
   * @param lastLsn highest LSN before the offset, 0 = there was nothing
   */
  synchronized void clear(long newEnd, long lastLsn) {
    first = 0;
    count = 0;
    end = newEnd;
    forgottenLsn = lastLsn;
  }

  synchronized void add(long offset, long newEnd, long raftIndex, long lastLsn, int checksum) {
    Invariant.check(offset == end, "offset {} does not follow {}", offset, end);
    if (count == offsets.length) {
      grow();
    }
    int at = at(count);
    offsets[at] = offset;
    raftIndexes[at] = raftIndex;
    lastLsns[at] = lastLsn;
    checksums[at] = checksum;
    count++;
    end = newEnd;
  }

  private void grow() {
    offsets = unrolled(offsets);
    raftIndexes = unrolled(raftIndexes);
    lastLsns = unrolled(lastLsns);
    int[] moved = new int[checksums.length * 2];
    System.arraycopy(checksums, first, moved, 0, checksums.length - first);
    System.arraycopy(checksums, 0, moved, checksums.length - first, first);
    checksums = moved;
    first = 0;
  }

  private long[] unrolled(long[] ring) {
    long[] moved = Arrays.copyOfRange(ring, first, first + ring.length * 2);
    System.arraycopy(ring, 0, moved, ring.length - first, first);
    return moved;
  }

  private int at(int i) {
    return (first + i) & (offsets.length - 1);
  }

  /** The batch that holds the byte at the offset; null when it is not in the index. */
  synchronized Position holding(long offset) {
    if (count == 0 || offset < offsets[first] || offset >= end) {
      return null;
    }
    return position(lastNotAbove(offset));
  }

  /** Highest forgotten LSN, 0 = nothing was forgotten. */
  synchronized long forgottenLsn() {
    return forgottenLsn;
  }

  /**
   * The batch with the first record at or above the LSN, of those that are in the index; null when
   * it is after the end.
   */
  synchronized Position locate(long lsn) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (lastLsns[at(middle)] < lsn) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low == count ? null : position(low);
  }

  private int lastNotAbove(long offset) {
    int low = 0;
    int high = count - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (offsets[at(middle)] <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  private Position position(int i) {
    int at = at(i);
    long batchEnd = i + 1 == count ? end : offsets[at(i + 1)];
    return new Position(offsets[at], batchEnd, raftIndexes[at], lastLsns[at], checksums[at]);
  }

  /** Lowest offset in the index; the end when it is empty. */
  synchronized long start() {
    return count == 0 ? end : offsets[first];
  }

  /** The last batch with a Raft index at or below the given one; null when there is none. */
  synchronized Position lastUpTo(long raftIndex) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (raftIndexes[at(middle)] <= raftIndex) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low == 0 ? null : position(low - 1);
  }

  /** Forgets all batches up to and including a Raft index. */
  synchronized void forgetUpTo(long raftIndex) {
    while (count > 0 && raftIndexes[first] <= raftIndex) {
      forgottenLsn = lastLsns[first];
      first = at(1);
      count--;
    }
  }
}
