package io.gauss.compute.store;

import io.gauss.common.id.PageId;
import io.gauss.common.id.Xid;
import io.gauss.common.page.PageView;
import io.gauss.common.page.TreePage;
import io.gauss.common.page.VersionHeader;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.tree.BTree;
import io.gauss.compute.tree.LeafCut;
import io.gauss.compute.tree.TreeCursor;
import io.gauss.compute.txn.Transaction;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Cuts leaves that come to this node again and again though no other node writes the same rows
 * there: rows of different nodes happen to be neighbours (false sharing). A leaf is cut next to the
 * run of rows around the wanted one that this node has written last, so that both nodes can keep
 * theirs. It is meant for small, hot tables; its cost is bounded for each tree.
 *
 * <p>Thread-safe.
 */
final class ContendedLeaves {
  /** A leaf that has come this often for other rows within the time is cut. */
  private static final int ARRIVALS = 16;

  private static final long WITHIN_NANOS = TimeUnit.SECONDS.toNanos(4);

  /**
   * How often this node cuts leaves of a tree at most: where all nodes write all rows nothing
   * helps.
   */
  private static final int MOST_CUTS = 256;

  /** Leaves that are watched at once, in a table whose entries overwrite each other. */
  private static final int WATCHED = 256;

  private static final class Watched {
    long page;
    long since;
    int arrivals;
  }

  private final Watched[] watched = new Watched[WATCHED];
  private final LongAdder cuts = new LongAdder();

  ContendedLeaves() {
    for (int i = 0; i < WATCHED; i++) {
      watched[i] = new Watched();
    }
  }

  /** Times that a leaf was cut. */
  long cuts() {
    return cuts.sum();
  }

  /**
   * A leaf has come from another node so that a row can be changed or added next to rows of others.
   * With its latch held; the cursor is at the row, or at the place of the new one.
   *
   * @param cutsOfTree so far
   * @return true when it is to be cut
   */
  boolean isToBeCut(Transaction txn, TreeCursor cursor, int cutsOfTree, long now) {
    return hasComeOften(cursor.guard.pageId(), now)
        && cutsOfTree < MOST_CUTS
        && around(txn).recordsLeft(cursor.guard.address(), cursor.slot) > 0;
  }

  private boolean hasComeOften(long page, long now) {
    Watched leaf = watched[PageId.number(page) * 31 + PageId.space(page) & WATCHED - 1];
    synchronized (leaf) {
      if (leaf.page != page || now - leaf.since > WITHIN_NANOS) {
        leaf.page = page;
        leaf.since = now;
        leaf.arrivals = 0;
      }
      leaf.arrivals++;
      if (leaf.arrivals < ARRIVALS) {
        return false;
      }
      leaf.arrivals = 0;
      return true;
    }
  }

  /**
   * Cuts the leaf of a key on both sides of this node's rows around it, where there are rows of
   * others. No latch may be held; may wait.
   */
  void separate(
      EngineContext ctx, Transaction txn, BTree tree, byte[] key, int offset, int length) {
    cuts.increment();
    tree.cut(ctx, key, offset, length, around(txn));
  }

  private static Neighbours around(Transaction txn) {
    return new Neighbours(Xid.slot(txn.xid()));
  }

  /**
   * Rows around one, by the node that wrote them last.
   *
   * @param node slot of this node
   */
  private record Neighbours(int node) implements LeafCut {
    @Override
    public int recordsLeft(long page, int slot) {
      int count = PageView.slotCount(page);
      int own = slot >= 0 ? slot : ~slot;
      for (int i = own - 1; i >= 0; i--) {
        if (isOthers(page, i)) {
          return i + 1 < count ? i + 1 : 0;
        }
      }
      for (int i = slot >= 0 ? slot + 1 : own; i < count; i++) {
        if (isOthers(page, i)) {
          return i;
        }
      }
      return 0;
    }

    private boolean isOthers(long page, int slot) {
      long writer = VersionHeader.xid(TreePage.version(page, slot));
      return writer != Xid.NONE && Xid.slot(writer) != node;
    }
  }
}
