package io.gauss.storage.node;

import io.gauss.common.error.GaussException;
import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.transport.Peer;
import io.gauss.storage.api.PageStore;
import io.gauss.storage.local.pages.LocalPageStore;
import io.gauss.storage.remote.PageCopies;
import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repairs the pages that this storage node found damaged on its disk, with copies of other storage
 * nodes.
 *
 * <p>A copy is requested as of the offsets that this node has applied of every stream, so that it
 * contains everything that this node has promised to have; redo that is pending here is applied to
 * it. Until then reads of the page fail here, and readers use another node.
 *
 * <p>{@link #run} is for one thread, which blocks while it waits for copies.
 */
final class PageRepair implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(PageRepair.class);

  private final LocalPageStore store;
  private final PageCopies copies;

  /** Keeps the memory of {@link #page} alive. */
  private final Arena arena = Arena.ofAuto();

  private final long page = Memory.allocate(arena, PageLayout.PAGE_BYTES, PageLayout.PAGE_BYTES);

  /** The last failure to repair each page, so that it is logged once. */
  private final Map<Long, String> failures = new HashMap<>();

  PageRepair(LocalPageStore store, PageCopies copies) {
    this.store = store;
    this.copies = copies;
  }

  /** Tries to repair each page that is damaged now. */
  @Override
  public void run() {
    if (store.damagedPages() == 0) {
      failures.clear();
      return;
    }
    for (long pageId : store.damaged()) {
      try {
        repair(pageId);
        failures.remove(pageId);
      } catch (CompletionException | GaussException e) {
        Throwable cause =
            e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
        String why = String.valueOf(cause.getMessage());
        if (!why.equals(failures.put(pageId, why))) {
          LOG.warn(
              "page {} cannot be repaired yet; it is tried again", PageId.toString(pageId), cause);
        }
      }
    }
  }

  private void repair(long pageId) {
    Map<Integer, Long> floors = new TreeMap<>();
    for (PageStore.Progress stream : store.progress()) {
      floors.put(stream.stream(), stream.applied());
    }
    Peer giver = copies.read(pageId, floors, page).join();
    long lsn = store.repair(pageId, page);
    LOG.info(
        "page {} was repaired with the copy of {}, and has LSN {}",
        PageId.toString(pageId),
        giver.address(),
        Lsn.toString(lsn));
  }
}
