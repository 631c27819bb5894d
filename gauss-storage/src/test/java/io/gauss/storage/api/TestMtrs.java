package io.gauss.storage.api;

import io.gauss.common.id.Lsn;
import io.gauss.common.redo.MtrLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Builds log bytes for tests: an MTR of records with given page, previous LSN, type and payload.
 */
public final class TestMtrs {
  /** On the heap: there are tens of thousands in a test, and direct memory has a limit. */
  private ByteBuffer buffer = littleEndian(1 << 10);

  private int mtr = -1;
  private int count;
  private long baseLsn;
  private long lastLsn;

  /** Begins an MTR; its records get consecutive LSNs from here. */
  public TestMtrs begin(long newBaseLsn) {
    end();
    mtr = buffer.position();
    count = 0;
    baseLsn = newBaseLsn;
    makeRoom(MtrLayout.HEADER_BYTES);
    buffer.position(mtr + MtrLayout.HEADER_BYTES);
    return this;
  }

  /** Adds a record and returns its LSN. */
  public long record(int type, long pageId, long prevPageLsn, byte[] payload) {
    int at = buffer.position();
    int length = MtrLayout.RECORD_HEADER_BYTES + payload.length;
    makeRoom(length);
    buffer.putShort(at + MtrLayout.RECORD_LENGTH, (short) length);
    buffer.put(at + MtrLayout.RECORD_TYPE, (byte) type);
    buffer.put(at + MtrLayout.RECORD_FLAGS, (byte) 0);
    buffer.putLong(at + MtrLayout.RECORD_PAGE_ID, pageId);
    buffer.putLong(at + MtrLayout.RECORD_PREV_PAGE_LSN, prevPageLsn);
    buffer.position(at + MtrLayout.RECORD_HEADER_BYTES);
    buffer.put(payload);
    lastLsn = baseLsn + count * Lsn.STEP;
    count++;
    return lastLsn;
  }

  private void makeRoom(int bytes) {
    if (buffer.remaining() < bytes) {
      buffer = littleEndian(2 * (buffer.position() + bytes)).put(buffer.flip());
    }
  }

  private static ByteBuffer littleEndian(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private void end() {
    if (mtr >= 0) {
      buffer.putInt(mtr + MtrLayout.LENGTH, buffer.position() - mtr);
      buffer.putShort(mtr + MtrLayout.COUNT, (short) count);
      buffer.put(mtr + MtrLayout.FORMAT_VERSION, (byte) MtrLayout.VERSION);
      buffer.put(mtr + MtrLayout.FLAGS, (byte) 0);
      buffer.putLong(mtr + MtrLayout.BASE_LSN, baseLsn);
      mtr = -1;
    }
  }

  public long lastLsn() {
    return lastLsn;
  }

  /** Bytes of the MTRs so far, as a new direct buffer; this object starts again empty. */
  public ByteBuffer take() {
    end();
    buffer.flip();
    ByteBuffer copy = ByteBuffer.allocateDirect(buffer.remaining()).order(ByteOrder.LITTLE_ENDIAN);
    copy.put(buffer).flip();
    buffer.clear();
    return copy;
  }

  /** One MTR with one record of that many payload bytes, filled from the seed. */
  public static ByteBuffer single(long lsn, int payloadBytes, long seed) {
    byte[] payload = new byte[payloadBytes];
    new java.util.Random(seed).nextBytes(payload);
    TestMtrs mtrs = new TestMtrs();
    mtrs.begin(lsn).record(1, 1, 0, payload);
    return mtrs.take();
  }
}
