package io.gauss.compute.buffer;

import io.gauss.common.id.PageId;
import io.gauss.common.page.PageType;
import io.gauss.common.page.PageView;
import java.util.Locale;

/** What a page is used for, as far as that explains why several nodes want it. */
public enum PageKind {
  /** The root of a tree that has more than one level. */
  ROOT,
  /** Between root and leaves. */
  INNER,
  /** Holds rows, or keys of an index. */
  LEAF,
  /** Part of a long row. */
  OVERFLOW,
  /** Old versions: read by readers that go back from a row that another node has changed. */
  UNDO,
  /** Outcomes of transactions, and pages that lead to undo. */
  TRANSACTION_TABLE,
  /** Which pages of a space are in use. */
  SPACE_MAP,
  SEQUENCE,
  /** Not written yet, or the database's first page. */
  OTHER;

  /** Number of a tree's root in its space. */
  private static final int TREE_ROOT = 1;

  /** Of the page at an address. */
  static PageKind of(long pageId, long address) {
    return switch (PageView.type(address)) {
      case PageType.TREE -> {
        if (PageView.level(address) == 0) {
          yield LEAF;
        }
        yield PageId.number(pageId) == TREE_ROOT ? ROOT : INNER;
      }
      case PageType.OVERFLOW -> OVERFLOW;
      case PageType.UNDO -> UNDO;
      case PageType.UNDO_TABLE,
          PageType.UNDO_SEGMENT,
          PageType.UNDO_DIRECTORY,
          PageType.PURGE_LIST ->
          TRANSACTION_TABLE;
      case PageType.SPACE_MAP, PageType.SPACE_DIRECTORY -> SPACE_MAP;
      case PageType.SEQUENCE -> SEQUENCE;
      default -> OTHER;
    };
  }

  /** The name in views and metrics. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
