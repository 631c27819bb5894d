package io.gauss.compute.store;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * Trees that transactions of this node have created and not committed, so that they are not taken
 * for orphans. Thread-safe; a reader waits for threads that are creating a tree at the moment.
 */
final class NewTrees {
  private final ReentrantReadWriteLock making = new ReentrantReadWriteLock();
  private final Set<Integer> spaces = ConcurrentHashMap.newKeySet();

  int create(IntSupplier tree) {
    making.readLock().lock();
    try {
      int space = tree.getAsInt();
      spaces.add(space);
      return space;
    } finally {
      making.readLock().unlock();
    }
  }

  /** The tree is in the committed catalog, or gone. */
  void settled(int space) {
    spaces.remove(space);
  }

  /** Returns all trees except these. */
  List<Integer> others(Supplier<List<Integer>> all) {
    making.writeLock().lock();
    try {
      return all.get().stream().filter(space -> !spaces.contains(space)).toList();
    } finally {
      making.writeLock().unlock();
    }
  }
}
