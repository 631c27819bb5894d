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
  public static final int LENGTH = PageLayout.HEADER_BYTES;
  public static final int DATA = LENGTH + 2;
  public static final int MAX_DATA = PageLayout.PAGE_BYTES - DATA;

  public static final int REFERENCE_PAGE = 0;
  public static final int REFERENCE_LENGTH = REFERENCE_PAGE + 4;
  public static final int REFERENCE_BYTES = REFERENCE_LENGTH + 4;

  private OverflowPage() {}

  public static int length(long page) {
    return Math.min(Memory.getUnsignedShort(page + LENGTH), MAX_DATA);
  }
}
