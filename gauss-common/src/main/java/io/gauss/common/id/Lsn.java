package io.gauss.common.id;

/**
 * Log sequence numbers: Lamport numbers of redo records, of commits (CSN) and of snapshots.
 *
 * <p>The counter is in the high 56 bits and the number of the node that issued it in the low 8, so
 * that LSNs of different nodes never collide and order as the counters do. LSNs are positive longs
 * and compare with {@code <}.
 */
public final class Lsn {
  public static final long NONE = 0;
  public static final int NODE_BITS = 8;

  /** Distance between consecutive LSNs of one node. */
  public static final long STEP = 1L << NODE_BITS;

  public static final int MAX_NODE = (1 << NODE_BITS) - 1;

  private Lsn() {}

  public static long of(long counter, int node) {
    return (counter << NODE_BITS) | node;
  }

  public static long counter(long lsn) {
    return lsn >>> NODE_BITS;
  }

  public static int node(long lsn) {
    return (int) (lsn & MAX_NODE);
  }

  public static String toString(long lsn) {
    return counter(lsn) + "@" + node(lsn);
  }
}
