package io.gauss.compute.txn;

import java.util.Arrays;

/**
 * A session's questions about other nodes' transactions and their last answers: xid -> value, in
 * the encoding of {@link RemoteXids}. Answers stay until the next question, so that the session
 * finds them when it retries, even if the shared cache has dropped them meanwhile. Used by one
 * thread at a time.
 */
final class RemoteAnswers {
  /** Value of a transaction that is asked about and not known. */
  static final long WANTED = 0;

  private static final int KEPT = 1024;

  private long[] xids = new long[64];
  private long[] values = new long[64];
  private int size;
  private boolean open;

  /**
   * Begins a question. Earlier answers are kept while they are few; xids that were asked about and
   * not answered, because of an exception, are forgotten.
   */
  void begin() {
    if (open || size > KEPT) {
      Arrays.fill(xids, 0);
      Arrays.fill(values, 0);
      size = 0;
    }
    open = true;
  }

  /** All xids asked about are known. */
  void end() {
    open = false;
  }

  void want(long xid) {
    put(xid, WANTED);
  }

  /** The value, {@link #WANTED} when there is none. */
  long get(long xid) {
    int at = find(xid);
    return xids[at] == xid ? values[at] : WANTED;
  }

  void put(long xid, long value) {
    int at = find(xid);
    if (xids[at] != xid) {
      if (2 * size >= xids.length) {
        grow();
        at = find(xid);
      }
      xids[at] = xid;
      size++;
    }
    values[at] = value;
  }

  /** Places of entries are below this; {@link #xidAt} is 0 where there is none. */
  int places() {
    return xids.length;
  }

  long xidAt(int place) {
    return xids[place];
  }

  long valueAt(int place) {
    return values[place];
  }

  private int find(long xid) {
    int mask = xids.length - 1;
    int at = (int) (xid * 0x9E37_79B9_7F4A_7C15L >>> 40) & mask;
    while (xids[at] != 0 && xids[at] != xid) {
      at = at + 1 & mask;
    }
    return at;
  }

  private void grow() {
    long[] oldXids = xids;
    long[] oldValues = values;
    xids = new long[oldXids.length * 2];
    values = new long[xids.length];
    for (int i = 0; i < oldXids.length; i++) {
      if (oldXids[i] != 0) {
        int at = find(oldXids[i]);
        xids[at] = oldXids[i];
        values[at] = oldValues[i];
      }
    }
  }
}
