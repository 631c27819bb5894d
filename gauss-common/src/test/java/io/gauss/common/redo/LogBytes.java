package io.gauss.common.redo;

import io.gauss.common.id.Lsn;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Builds log bytes of one node for tests, MTR by MTR, with LSNs that follow each other. */
public final class LogBytes {
  private final ByteBuffer buffer = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
  private long nextLsn = Lsn.of(1, 1);
  private int mtr;
  private int count;

  /** Begins an MTR; returns the LSN of its first record. */
  public long begin() {
    mtr = buffer.position();
    count = 0;
    buffer.putInt(0).putShort((short) 0).put((byte) MtrLayout.VERSION).put((byte) 0);
    buffer.putLong(nextLsn);
    return nextLsn;
  }

  /** Adds a record to the MTR; returns its LSN. */
  public long record(int type, long page, long previousLsn, byte[] payload) {
    int length = MtrLayout.RECORD_HEADER_BYTES + payload.length;
    buffer.putShort((short) length).put((byte) type).put((byte) 0);
    buffer.putLong(page).putLong(previousLsn).put(payload);
    buffer.putShort(mtr + MtrLayout.COUNT, (short) ++count);
    buffer.putInt(mtr + MtrLayout.LENGTH, buffer.position() - mtr);
    long lsn = nextLsn;
    nextLsn += Lsn.STEP;
    return lsn;
  }

  /** An MTR of one record. */
  public long single(int type, long page, long previousLsn, byte[] payload) {
    begin();
    return record(type, page, previousLsn, payload);
  }

  /** LSN of the next record. */
  public long nextLsn() {
    return nextLsn;
  }

  /** All bytes so far. */
  public ByteBuffer bytes() {
    ByteBuffer all = ByteBuffer.allocateDirect(buffer.position()).order(ByteOrder.LITTLE_ENDIAN);
    return all.put(buffer.duplicate().flip()).flip();
  }
}
