package io.gauss.common.id;

/**
 * A transaction's identity in a {@code long}: undo segment (high 16 bits) and sequence in the
 * segment (low 48 bits).
 */
public final class Xid {
  /**
   * No transaction: what a record carries that has been visible to everybody since it was loaded.
   */
  public static final long NONE = 0;

  public static final int SEQUENCE_BITS = 48;
  public static final long SEQUENCE_MASK = (1L << SEQUENCE_BITS) - 1;

  private Xid() {}

  public static long of(int segment, long sequence) {
    return ((long) segment << SEQUENCE_BITS) | (sequence & SEQUENCE_MASK);
  }

  public static int segment(long xid) {
    return (int) (xid >>> SEQUENCE_BITS);
  }

  public static long sequence(long xid) {
    return xid & SEQUENCE_MASK;
  }

  public static String toString(long xid) {
    return segment(xid) + "." + sequence(xid);
  }
}
