package io.gauss.compute.routing;

import io.gauss.compute.buffer.MovablePages;
import io.gauss.compute.routing.data.GroupOwners;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;

/**
 * Chooses which of this node's pages to offer to which node: those of groups that another node is
 * to own, unless transactions use them here that would not follow them, they have just been written
 * here, or were recently offered to that node. So when a page comes back because transactions on
 * this node write it, it is not sent away again and again. Not thread-safe.
 */
final class PageOffers {
  static final long REMEMBERED_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final Map<Long, Offer> offered = new HashMap<>();
  private int staying;

  private record Offer(int slot, long nanos) {}

  /** What tells that a page is in use on this node. */
  @FunctionalInterface
  interface Use {
    /**
     * @param lsn of the page's last change
     */
    boolean isHere(long group, long lsn);
  }

  /**
   * The other nodes, by slot.
   *
   * @param areThere there is such a node
   * @param takeNow it can be offered something; a node that is not there cannot
   */
  record Takers(IntPredicate areThere, IntPredicate takeNow) {}

  /** Pages for one node. */
  static final class Batch {
    private final long[] pages;
    private int size;

    Batch(int most) {
      pages = new long[most];
    }

    int size() {
      return size;
    }

    long page(int i) {
      return pages[i];
    }
  }

  /**
   * Goes through the pages.
   *
   * @param takers to whom pages may go
   * @param use tells which pages are skipped, since they are used here
   * @param most pages for each node
   * @return by slot, the pages to offer
   */
  Map<Integer, Batch> choose(
      GroupOwners owners,
      int self,
      Takers takers,
      MovablePages pages,
      Use use,
      int most,
      long nowNanos) {
    offered.values().removeIf(offer -> nowNanos - offer.nanos() > REMEMBERED_NANOS);
    Map<Integer, Batch> found = new TreeMap<>();
    staying = 0;
    pages.forEachOwned(
        (page, lsn) -> {
          long group = PageGroups.of(page);
          int slot = owners.slot(group);
          if (slot == 0 || slot == self || !takers.areThere().test(slot)) {
            return;
          }
          Offer before = offered.get(page);
          if (use.isHere(group, lsn)) {
            staying++; // whether or not the other node takes anything now
          } else if (takers.takeNow().test(slot) && (before == null || before.slot() != slot)) {
            Batch batch = found.computeIfAbsent(slot, s -> new Batch(most));
            if (batch.size < most) {
              batch.pages[batch.size++] = page;
            }
          }
        });
    return found;
  }

  /** The node has accepted the first {@code count} pages. */
  void taken(int slot, Batch batch, int count, long nowNanos) {
    for (int i = 0; i < Math.min(count, batch.size); i++) {
      offered.put(batch.pages[i], new Offer(slot, nowNanos));
    }
  }

  /** Pages that the last pass skipped because they had just been written, or are used here. */
  int staying() {
    return staying;
  }
}
