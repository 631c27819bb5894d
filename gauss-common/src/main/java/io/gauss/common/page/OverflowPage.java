package io.gauss.common.page;

import io.gauss.common.memory.Memory;

/**
 * A page of an overflow chain: the row bytes of one row version that is too long for its leaf.
 * Chains are immutable and belong to one version (rule 26). The next page of the chain is the right
 * sibling in the page header.
 *
 * <pre>
 * page       64  2  bytes of the row on this page
 *            66     the bytes
 * reference   0  4  first page of the chain (in the tree's space)
 *             4  4  length of the row in bytes
 * </pre>
 */
public final class OverflowPage {
  /** Offset on the page at which {@link #put} is to be written. */
  public static final int LENGTH = PageLayout.HEADER_BYTES;

  private static final int DATA = LENGTH + 2;
  public static final int MAX_DATA = PageLayout.PAGE_BYTES - DATA;

  private static final int REFERENCE_PAGE = 0;
  private static final int REFERENCE_LENGTH = REFERENCE_PAGE + 4;
  private static final int REFERENCE_BYTES = REFERENCE_LENGTH + 4;

  private OverflowPage() {}

  /** Writes the page's part of the row, for the offset {@link #LENGTH}. */
  public static void put(RecordSink to, byte[] row, int offset, int length) {
    to.putShort(length);
    to.putBytes(row, offset, length);
  }

  /** Address of the row's bytes on the page. */
  public static long data(long page) {
    return page + DATA;
  }

  /** A reference to a chain, which replaces the row in the leaf. */
  public static byte[] reference(int firstPage, int rowLength) {
    byte[] reference = new byte[REFERENCE_BYTES];
    for (int i = 0; i < 4; i++) {
      reference[REFERENCE_PAGE + i] = (byte) (firstPage >>> 8 * i);
      reference[REFERENCE_LENGTH + i] = (byte) (rowLength >>> 8 * i);
    }
    return reference;
  }

  /** First page of the chain that a reference in a leaf leads to. */
  public static int firstPage(long reference) {
    return Memory.getInt(reference + REFERENCE_PAGE);
  }

  /** First page of the chain that a reference in an array leads to. */
  public static int firstPage(byte[] bytes, int reference) {
    int number = 0;
    for (int i = 0; i < 4; i++) {
      number |= (bytes[reference + REFERENCE_PAGE + i] & 0xFF) << 8 * i;
    }
    return number;
  }

  /** Length of the row that a reference in a leaf stands for. */
  public static int rowLength(long reference) {
    return Memory.getInt(reference + REFERENCE_LENGTH);
  }

  public static int length(long page) {
    return Math.min(Memory.getUnsignedShort(page + LENGTH), MAX_DATA);
  }
}
