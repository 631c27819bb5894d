package io.gauss.memory.cache;

import io.gauss.common.page.PageLayout;

/**
 * A slot of the page cache's slab, laid out so that another machine can read it in one operation
 * without a request (one-sided RDMA): the bytes that it has read show whether they are whole.
 * Integers are little-endian.
 *
 * <pre>
 *  0     8  version word: even = at rest, odd = being written; it rises with every change
 *  8     4  CRC32C of the version word and of bytes 12 to 8255
 * 12     1  layout version, 1
 * 13     1  kind: 0 empty, 1 released page
 * 14     2  stream of the last change
 * 16     8  page id
 * 24     8  LSN
 * 32    32  zero
 * 64  8192  the page
 * </pre>
 *
 * A reader accepts the bytes as whole when the version word is even and the CRC is right, and as
 * its page when the page id matches. Neither check is enough alone: a NIC reads cache lines in no
 * particular order, and a torn slot may begin with an even word.
 */
public final class SlotLayout {
  public static final int VERSION_WORD = 0;
  public static final int CRC = VERSION_WORD + 8;
  public static final int LAYOUT_VERSION = CRC + 4;
  public static final int KIND = LAYOUT_VERSION + 1;
  public static final int STREAM = KIND + 1;
  public static final int PAGE_ID = STREAM + 2;
  public static final int LSN = PAGE_ID + 8;
  public static final int RESERVED = LSN + 8;
  public static final int PAGE = 64;
  public static final int BYTES = PAGE + PageLayout.PAGE_BYTES;

  /** Version of the layout that this code writes. */
  public static final int CURRENT_VERSION = 1;

  private SlotLayout() {}
}
