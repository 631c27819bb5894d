package io.gauss.common.id;

/**
 * A page's identity in a {@code long}: space (high 32 bits) and page number within the space (low
 * 32 bits).
 */
public final class PageId {
  /**
   * No page. Space 0 page 0 never exists as a page that anybody asks for by number 0 of no space.
   */
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
