package io.gauss.compute.mtr;

import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.common.invariant.BrokenInvariant;
import io.gauss.common.invariant.Invariant;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.RecordSink;
import io.gauss.common.redo.MtrLayout;
import io.gauss.common.redo.RedoApply;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.log.MtrBuffers;
import java.util.Arrays;

/**
 * A mini-transaction being built: redo records against pages held by write guards, which are
 * applied and appear in the log together at {@link #commit}. Nothing changes on any page before
 * commit. One per {@link EngineContext}.
 *
 * <p>Order of use: {@link #begin} (may wait for log space; no latch held) - take write guards - add
 * records - {@link #commit} - release guards.
 *
 * <p>Several records may change one page: they apply in order, and each names as the page's
 * previous LSN the one that the page has when the record is applied. The buffer is borrowed from
 * the log and given back when the session is idle, or at once when it had to grow.
 */
public final class Mtr implements RecordSink {
  /** Bytes of the header that every MTR has besides its records; {@link #begin} adds them. */
  public static final int OVERHEAD = MtrLayout.HEADER_BYTES;

  private final EngineContext ctx;
  private final LogBuffer log;
  private final LogBuffer.Place place = new LogBuffer.Place();

  private long buffer;
  private int size;
  private int end; // bytes used, header included
  private int recordStart; // 0 = no record open
  private int credit; // 0 = not open
  private int count;
  private long committedBase;

  private LoggedPage[] guards = new LoggedPage[8]; // by record
  private int[] starts = new int[8]; // by record
  private int[] placeholders = new int[8]; // pairs: position, record index
  private int placeholderCount;

  Mtr(EngineContext ctx, LogBuffer log) {
    this.ctx = ctx;
    this.log = log;
  }

  /**
   * Opens the MTR and reserves log space before any latch.
   *
   * @param maxBytes upper bound of the records' bytes, their headers included; commit gives back
   *     the rest
   * @throws io.gauss.common.error.GaussException 53100 when the log's disk is full, 57P03 when the
   *     log is stalled, 58030 when it has failed
   */
  public void begin(int maxBytes) {
    open(maxBytes, false);
  }

  /**
   * As {@link #begin}, for rollbacks: continues while there is room in the ring even when the disk
   * is full or the log stalled, and then waits instead of failing.
   */
  public void beginRollback(int maxBytes) {
    open(maxBytes, true);
  }

  private void open(int maxBytes, boolean urgent) {
    Invariant.check(credit == 0, "an MTR is open already");
    int bytes = maxBytes + MtrLayout.HEADER_BYTES;
    log.takeCredit(ctx, bytes, urgent);
    credit = bytes;
    end = MtrLayout.HEADER_BYTES;
    count = 0;
    placeholderCount = 0;
    recordStart = 0;
    if (buffer == 0) {
      size = MtrBuffers.SMALL;
      buffer = log.buffers().take(size);
    }
  }

  public boolean isOpen() {
    return credit != 0;
  }

  /**
   * Starts a record of a type against a page; payload follows by the put methods, then {@link
   * #endRecord}.
   */
  public void startRecord(LoggedPage page, int type) {
    Invariant.check(isOpen(), "no MTR is open");
    Invariant.check(recordStart == 0, "the record before was not ended");
    Invariant.check(page.isHeld() && page.isWrite(), "a record needs a write guard");
    if (count == guards.length) {
      guards = Arrays.copyOf(guards, count * 2);
      starts = Arrays.copyOf(starts, count * 2);
    }
    recordStart = end;
    guards[count] = page;
    starts[count] = end;
    long record = claim(MtrLayout.RECORD_HEADER_BYTES);
    Memory.putByte(record + MtrLayout.RECORD_TYPE, type);
    Memory.putByte(record + MtrLayout.RECORD_FLAGS, 0);
    Memory.putLong(record + MtrLayout.RECORD_PAGE_ID, page.pageId());
  }

  @Override
  public void putByte(int value) {
    Memory.putByte(claim(1), value);
  }

  @Override
  public void putShort(int value) {
    Memory.putShort(claim(2), value);
  }

  @Override
  public void putInt(int value) {
    Memory.putInt(claim(4), value);
  }

  @Override
  public void putLong(long value) {
    Memory.putLong(claim(8), value);
  }

  @Override
  public void putBytes(byte[] bytes, int offset, int length) {
    Memory.copyIn(bytes, offset, claim(length), length);
  }

  public void putMemory(long address, int length) {
    Memory.copy(address, claim(length), length);
  }

  /**
   * Puts 8 bytes that commit fills with the LSN of record {@code recordIndex} of this MTR (undo
   * pointers, CSNs).
   */
  public void putLsnOf(int recordIndex) {
    if (placeholderCount * 2 == placeholders.length) {
      placeholders = Arrays.copyOf(placeholders, placeholders.length * 2);
    }
    int at = placeholderCount++ * 2;
    placeholders[at] = end;
    placeholders[at + 1] = recordIndex;
    claim(8);
  }

  /** Ends the record and returns its index in the MTR. */
  public int endRecord() {
    Invariant.check(recordStart != 0, "no record is open");
    int length = end - recordStart;
    Invariant.check(length <= 0xFFFF, "redo record of {} bytes", length);
    Memory.putShort(buffer + recordStart + MtrLayout.RECORD_LENGTH, length);
    recordStart = 0;
    return count++;
  }

  /** Index the next record will have. */
  public int nextIndex() {
    return count;
  }

  /**
   * Reserves offset and LSNs together, fills in LSNs, applies every record to its page through
   * {@code RedoApply}, and publishes the bytes to the log. Never waits.
   *
   * @return LSN of record 0; record i has {@code + i * Lsn.STEP}
   */
  public long commit() {
    Invariant.check(
        credit != 0 && recordStart == 0 && count != 0,
        "MTR to commit is not open, is empty or has an open record");
    long newest = newestPageLsn();
    if (newest > log.clock().now()) {
      log.clock().observe(newest);
    }
    long base = log.reserve(end, count, place);
    try {
      Memory.putInt(buffer + MtrLayout.LENGTH, end);
      Memory.putShort(buffer + MtrLayout.COUNT, count);
      Memory.putByte(buffer + MtrLayout.FORMAT_VERSION, MtrLayout.VERSION);
      Memory.putByte(buffer + MtrLayout.FLAGS, 0);
      Memory.putLong(buffer + MtrLayout.BASE_LSN, base);
      for (int i = 0; i < placeholderCount; i++) {
        int index = placeholders[2 * i + 1];
        Invariant.check(index >= 0 && index < count, "LSN of record {} of {}", index, count);
        Memory.putLong(buffer + placeholders[2 * i], MtrLayout.recordLsn(base, index));
      }
      applyRecords(base);
      log.publish(buffer, place.offset, end, base);
    } catch (RuntimeException | Error e) {
      // Some pages may have their records and others not, and the log has none of the records: law
      // 1 (do = redo).
      BrokenInvariant broken =
          Invariant.broken("law 1: an MTR does not fit the pages that it was made for", e);
      log.fail(broken);
      throw broken;
    } finally {
      log.returnCredit(credit - end);
      committedBase = base;
      close();
    }
    return base;
  }

  /** The highest LSN of the pages to change; asserts that they are still held for writing. */
  private long newestPageLsn() {
    long newest = 0;
    for (int i = 0; i < count; i++) {
      LoggedPage guard = guards[i];
      Invariant.check(
          guard.isWrite()
              && guard.pageId() == Memory.getLong(buffer + starts[i] + MtrLayout.RECORD_PAGE_ID),
          "a record's page is not held for writing any more");
      newest = Math.max(newest, Memory.getLong(guard.address() + PageLayout.LSN));
    }
    return newest;
  }

  private void applyRecords(long base) {
    int stream = log.streamId();
    for (int i = 0; i < count; i++) {
      long page = guards[i].address();
      long record = buffer + starts[i];
      long lsn = MtrLayout.recordLsn(base, i);
      long before = Memory.getLong(page + PageLayout.LSN);
      if (lsn <= before) {
        throw Invariant.broken(
            "law 5: page "
                + PageId.toString(guards[i].pageId())
                + " has LSN "
                + Lsn.toString(before)
                + ", its next record "
                + Lsn.toString(lsn));
      }
      Memory.putLong(record + MtrLayout.RECORD_PREV_PAGE_LSN, before);
      RedoApply.apply(page, record, lsn, stream);
      Invariant.check(
          Memory.getLong(page + PageLayout.LSN) == lsn, "apply did not set the page's LSN");
    }
  }

  /** LSN of a record of the MTR committed last. */
  public long lsnOf(int recordIndex) {
    return MtrLayout.recordLsn(committedBase, recordIndex);
  }

  /** Drops the collected records; pages are unchanged. No effect when not open. */
  public void abandon() {
    if (credit != 0) {
      log.returnCredit(credit);
      close();
    }
  }

  /** Gives the buffer back to the log until the next {@link #begin}; for sessions that go idle. */
  void releaseBuffer() {
    if (buffer != 0 && credit == 0) {
      log.buffers().giveBack(buffer, size);
      buffer = 0;
    }
  }

  private void close() {
    credit = 0;
    recordStart = 0;
    Arrays.fill(guards, 0, Math.min(count + 1, guards.length), null);
    if (size > MtrBuffers.SMALL) {
      releaseBuffer();
    }
  }

  private long claim(int bytes) {
    int at = end;
    int newEnd = at + bytes;
    Invariant.check(newEnd <= credit, "MTR of more than the {} bytes it was opened for", credit);
    if (newEnd > size) {
      grow(newEnd);
    }
    end = newEnd;
    return buffer + at;
  }

  private void grow(int bytes) {
    int newSize = MtrBuffers.sizeFor(bytes);
    long larger = log.buffers().take(newSize);
    Memory.copy(buffer, larger, end);
    log.buffers().giveBack(buffer, size);
    buffer = larger;
    size = newSize;
  }
}
