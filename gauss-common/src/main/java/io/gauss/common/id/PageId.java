package io.gauss.common.id;

/**
 * A page's identity in a {@code long}: space (high 32 bits) and page number within the space (low
 * 32 bits).
 */
public final class PageId {
  /** No page. Page 0 of space 0 is never accessed by this id. */
  public static final long NONE = 0;

  private PageId() {}

  public static long of(int space, int number) {
    return ((long) space << 32) | (number & 0xFFFF_FFFFL);
  }

  public static int space(long pageId) {
    return (int) (pageId >>> 32);
  }

  public static int number(long pageId) {
    return (int) pageId;
  }

  public static String toString(long pageId) {
    return Integer.toUnsignedString(space(pageId)) + ":" + Integer.toUnsignedString(number(pageId));
  }
}
