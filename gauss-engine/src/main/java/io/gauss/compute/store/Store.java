package io.gauss.compute.store;

import io.gauss.common.page.PageLayout;
import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.space.Spaces;
import io.gauss.compute.tree.BTree;
import io.gauss.compute.tree.TreeLeafPages;
import io.gauss.compute.txn.Transactions;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The row store of a compute node: all versioned trees and their shared parts. Registers itself
 * with the transactions for rollback and purge. Thread-safe.
 */
public final class Store {
  private final BufferPool pool;
  private final Spaces spaces;
  private final Transactions transactions;
  private final int maxUsedBytes;
  private final OverflowRows overflow;
  private final TreePurge purge;
  private final ConcurrentHashMap<Integer, VersionedTree> trees = new ConcurrentHashMap<>();
  private final java.util.Set<Integer> dropped = ConcurrentHashMap.newKeySet();
  private final NewTrees newTrees = new NewTrees();
  private final ContendedLeaves contended = new ContendedLeaves();

  public Store(BufferPool pool, Spaces spaces, Transactions transactions) {
    this(pool, spaces, transactions, PageLayout.PAGE_BYTES);
  }

  /**
   * @param maxUsedBytes most bytes of slots and records that a tree page takes before it is split;
   *     tests set it low
   */
  Store(BufferPool pool, Spaces spaces, Transactions transactions, int maxUsedBytes) {
    this.pool = pool;
    this.spaces = spaces;
    this.transactions = transactions;
    this.maxUsedBytes = maxUsedBytes;
    this.overflow = new OverflowRows(pool, spaces);
    this.purge = new TreePurge(this);
    transactions.applier(new TreeUndoApplier(this));
    transactions.leafPurge(purge);
  }

  /**
   * Creates a space with an empty tree in it; returns the space's number. It belongs to its creator
   * until {@link #settled} or {@link #drop}. May wait.
   */
  public int create(EngineContext ctx) {
    return newTrees.create(() -> BTree.create(ctx, pool, spaces));
  }

  /**
   * The transaction that created the tree is committed: the tree is in the catalog. Never waits.
   */
  public void settled(int space) {
    newTrees.settled(space);
  }

  /**
   * The existing trees, of whichever node, except those that uncommitted transactions of this node
   * have created. May wait.
   */
  public List<Integer> settledTrees(EngineContext ctx) {
    return newTrees.others(() -> spaces.userSpaces(ctx));
  }

  /** The slot of the node that created the tree, or has recovered that node since. May wait. */
  public int maker(EngineContext ctx, int space) {
    return spaces.maker(ctx, space);
  }

  /** Creates a space of a fixed number with an empty tree in it, unless it exists. May wait. */
  public void ensure(EngineContext ctx, int space) {
    spaces.ensure(ctx, space);
    if (!BTree.isFormatted(ctx, pool, space)) {
      BTree.formatRoot(ctx, pool, spaces, space);
    }
  }

  /** Whether the space exists and has a tree in it. May wait. */
  public boolean isThere(EngineContext ctx, int space) {
    return spaces.exists(ctx, space) && BTree.isFormatted(ctx, pool, space);
  }

  /** The tree of a space. The space exists; nothing is read. */
  public VersionedTree tree(int space) {
    VersionedTree tree = trees.get(space);
    return tree != null
        ? tree
        : trees.computeIfAbsent(
            space, s -> new VersionedTree(this, new BTree(pool, spaces, s, maxUsedBytes)));
  }

  /** Drops a tree with its space. The caller has made sure that it is not in use. May wait. */
  public void drop(EngineContext ctx, int space) {
    dropped.add(space);
    trees.remove(space);
    spaces.drop(ctx, space);
    newTrees.settled(space);
  }

  /** Whether pages of dropped trees are still kept for what may use them. */
  public boolean keepsDropped() {
    return !spaces.dropped().isEmpty();
  }

  /**
   * Gives the pages of dropped trees back that no snapshot of any node can have seen in use. May
   * wait.
   *
   * @return number of trees
   */
  public int giveBackDropped(EngineContext ctx) {
    return spaces.dropped().giveBack(ctx, transactions.horizon().lsn());
  }

  /**
   * Another node has dropped a tree, or is about to: it is not in use any more, and the state kept
   * about it here is discarded. Never waits.
   */
  public void droppedElsewhere(int space) {
    dropped.add(space);
    trees.remove(space);
  }

  /** Leaves purged while the background purge is paused; it continues between two batches. */
  private static final int PURGE_BATCH = 64;

  /**
   * Purges all leaves of a tree of rows that no snapshot can see any more, as the background purge
   * does for the leaves that transactions noted. May wait.
   *
   * @return number of leaves visited
   * @throws io.gauss.common.error.GaussException 57014 when the session is cancelled
   */
  public long purge(EngineContext ctx, int space) {
    transactions.refreshHorizon();
    long[] pages = TreeLeafPages.list(tree(space).btree(), ctx);
    for (int from = 0; from < pages.length; from += PURGE_BATCH) {
      ctx.interrupts().check();
      int first = from;
      int end = Math.min(pages.length, from + PURGE_BATCH);
      transactions.withoutMaintenance(
          () -> {
            for (int i = first; i < end; i++) {
              purge.purge(ctx, pages[i]);
            }
            purge.giveBack(ctx);
          });
    }
    return pages.length;
  }

  /**
   * Whether the space was dropped since this node started, so that late background work leaves it
   * alone.
   */
  public boolean isDropped(int space) {
    return dropped.contains(space);
  }

  ContendedLeaves contended() {
    return contended;
  }

  /**
   * How often this node has cut a leaf since it started to separate its rows from those of others.
   */
  public long contendedLeaves() {
    return contended.cuts();
  }

  BufferPool pool() {
    return pool;
  }

  Spaces spaces() {
    return spaces;
  }

  Transactions transactions() {
    return transactions;
  }

  OverflowRows overflow() {
    return overflow;
  }

  TreePurge purge() {
    return purge;
  }
}
