package io.gauss.common.id;

/**
 * A transaction's identity in a {@code long}: the compute node's slot less one (6 bits), the number
 * of the undo segment among those of that slot (14 bits), and the sequence in the segment (44
 * bits).
 *
 * <p>So the slot that an xid belongs to can be read from the xid itself. A <em>segment</em> in
 * other classes is slot and number together, as one number that is unique in the cluster: {@link
 * #segment}.
 */
public final class Xid {
  /**
   * No transaction: the xid of a record that has been visible to every snapshot since it was
   * loaded.
   */
  public static final long NONE = 0;

  /** Compute nodes have slots from 1 to this number. */
  public static final int MAX_SLOT = 63;

  public static final int SEQUENCE_BITS = 44;
  public static final long SEQUENCE_MASK = (1L << SEQUENCE_BITS) - 1;

  /** A slot has segments from 1 to this number. */
  public static final int MAX_INDEX = (1 << 14) - 1;

  private static final int INDEX_BITS = 14;

  private Xid() {}

  /** A segment's number in the cluster. */
  public static int segment(int slot, int index) {
    return slot - 1 << INDEX_BITS | index;
  }

  public static long of(int segment, long sequence) {
    return ((long) segment << SEQUENCE_BITS) | (sequence & SEQUENCE_MASK);
  }

  public static int segment(long xid) {
    return (int) (xid >>> SEQUENCE_BITS);
  }

  /** Slot of the writing compute node; for {@link #NONE} it is 1. */
  public static int slot(long xid) {
    return (int) (xid >>> SEQUENCE_BITS + INDEX_BITS) + 1;
  }

  /** Number of its segment among those of its slot; for {@link #NONE} it is 0. */
  public static int index(long xid) {
    return (int) (xid >>> SEQUENCE_BITS) & MAX_INDEX;
  }

  /** Slot that a segment belongs to. */
  public static int slotOf(int segment) {
    return (segment >>> INDEX_BITS) + 1;
  }

  /** Number of a segment among those of its slot. */
  public static int indexOf(int segment) {
    return segment & MAX_INDEX;
  }

  public static long sequence(long xid) {
    return xid & SEQUENCE_MASK;
  }

  /** Segment's number, sequence and slot, such as {@code 3.77@1}; {@code none} for no xid. */
  public static String toString(long xid) {
    return xid == NONE ? "none" : index(xid) + "." + sequence(xid) + "@" + slot(xid);
  }
}
