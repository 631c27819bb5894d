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
 * The row store of a compute node: all versioned trees and what they share. Registers itself with
 * the transactions for rollback and purge. Thread-safe.
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
  private final ContendedLeaves crowded = new ContendedLeaves();

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
   * Creates a space with an empty tree in it; returns the space's number. It is its maker's until
   * {@link #settled} or {@link #drop}. May wait.
   */
  public int create(EngineContext ctx) {
    return newTrees.create(() -> BTree.create(ctx, pool, spaces));
  }

  /** The transaction that has made the tree is committed: the catalog has it. Never waits. */
  public void settled(int space) {
    newTrees.settled(space);
  }

  /**
   * The trees, of whichever node, that are there and that no transaction of this node has made and
   * not committed yet. May wait.
   */
  public List<Integer> settledTrees(EngineContext ctx) {
    return newTrees.others(() -> spaces.userSpaces(ctx));
  }

  /** The node that made the tree, or has recovered that node since, by its slot. May wait. */
  public int maker(EngineContext ctx, int space) {
    return spaces.maker(ctx, space);
  }

  /** Makes a space of a fixed number with an empty tree in it, unless it is there. May wait. */
  public void ensure(EngineContext ctx, int space) {
    spaces.ensure(ctx, space);
    if (!BTree.isFormatted(ctx, pool, space)) {
      BTree.formatRoot(ctx, pool, spaces, space);
    }
  }

  /** Whether the space is there with a tree in it. May wait. */
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

  /** Drops a tree with its space. The caller has made sure that nobody uses it. May wait. */
  public void drop(EngineContext ctx, int space) {
    dropped.add(space);
    trees.remove(space);
    spaces.drop(ctx, space);
    newTrees.settled(space);
  }

  /**
   * Another node has dropped a tree, or is about to: nobody uses it any more, and what is known of
   * it here is forgotten. Never waits.
   */
  public void droppedElsewhere(int space) {
    dropped.add(space);
    trees.remove(space);
  }

  /** Leaves purged while the background rests; it continues between two batches. */
  private static final int PURGE_BATCH = 64;

  /**
   * Purges all leaves of a tree of what no snapshot can see any more, as the background does of
   * those that transactions noted. May wait.
   *
   * @return how many leaves were looked at
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

  ContendedLeaves crowded() {
    return crowded;
  }

  /** Times that this node has cut a leaf since it started, so that rows of others lie elsewhere. */
  public long contendedLeaves() {
    return crowded.cuts();
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
