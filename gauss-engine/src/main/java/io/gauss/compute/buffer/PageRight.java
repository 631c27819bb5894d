package io.gauss.compute.buffer;

/**
 * What this node may do with the page in a frame, and where the frame is in its life.
 *
 * <pre>
 *            take          loaded               revoke, downgrade
 *   FREE ----------> LOADING -------> OWNED  <----------------->  SHARED
 *    ^                  |               |                            |
 *    |     failed       v               | evicted                    | evicted
 *    +--------------- FAILED            |                            |
 *    +----------------------------------+----------------------------+
 * </pre>
 *
 * <p>On a single node every page that was loaded is OWNED (MESI's Modified). Between several there
 * are also SHARED (Shared: a copy that its giver may revoke), LENT (Owned as in MOESI: others have
 * copies, or the page is on its way to another node; read only), LEAVING (given away, retained
 * until the taker confirms, rule 16) and LOST (Invalid: the frame waits for its next page, or for
 * the same one again).
 */
final class PageRight {
  static final int FREE = 0;
  static final int LOADING = 1;
  static final int FAILED = 2;
  static final int OWNED = 3;
  static final int SHARED = 4;
  static final int LEAVING = 5;
  static final int LENT = 6;
  static final int LOST = 7;

  private static final int READABLE = 1 << OWNED | 1 << SHARED | 1 << LENT;
  private static final int WRITABLE = 1 << OWNED;
  private static final int DROPPABLE =
      1 << OWNED | 1 << SHARED | 1 << LENT | 1 << FAILED | 1 << LOST;

  private PageRight() {}

  static boolean allowsRead(int right) {
    return (READABLE >>> right & 1) != 0;
  }

  static boolean allowsWrite(int right) {
    return (WRITABLE >>> right & 1) != 0;
  }

  /** Whether eviction may take the frame, once its content is durable and it is not in use. */
  static boolean allowsDrop(int right) {
    return (DROPPABLE >>> right & 1) != 0;
  }

  static String name(int right) {
    return switch (right) {
      case FREE -> "FREE";
      case LOADING -> "LOADING";
      case FAILED -> "FAILED";
      case OWNED -> "OWNED";
      case SHARED -> "SHARED";
      case LEAVING -> "LEAVING";
      case LENT -> "LENT";
      case LOST -> "LOST";
      default -> "right " + right;
    };
  }
}
