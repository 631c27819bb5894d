package io.gauss.storage.local.pages;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.health.Problem;
import io.gauss.common.id.PageId;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pages that could not be read or folded since the store was opened, because they are damaged.
 * A page is removed when it can be read and folded again. Thread-safe.
 */
final class DamagedPages {
  private static final Logger LOG = LoggerFactory.getLogger(DamagedPages.class);

  private final ConcurrentSkipListMap<Long, String> pages = new ConcurrentSkipListMap<>();

  /** Notes and logs the page if the failure is damage. */
  void failed(long pageId, GaussException e) {
    if (e.state() == SqlState.DATA_CORRUPTED && pages.put(pageId, e.getMessage()) == null) {
      LOG.error(
          "page {} is damaged; no checkpoint gets past its records until it is repaired",
          PageId.toString(pageId),
          e);
    }
  }

  void succeeded(long pageId) {
    if (!pages.isEmpty() && pages.remove(pageId) != null) {
      LOG.info("page {} is no longer damaged", PageId.toString(pageId));
    }
  }

  /** The pages of a space were deleted. */
  void deleted(int space) {
    pages.keySet().removeIf(pageId -> PageId.space(pageId) == space);
  }

  /** Their ids at this moment. */
  List<Long> ids() {
    return List.copyOf(pages.keySet());
  }

  int count() {
    return pages.size();
  }

  /** Null when there are none. */
  Problem problem() {
    Map.Entry<Long, String> first = pages.firstEntry();
    return first == null
        ? null
        : new Problem("damaged pages", pages.size() + " of them: " + first.getValue());
  }
}
