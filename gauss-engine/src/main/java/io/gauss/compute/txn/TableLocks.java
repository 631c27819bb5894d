package io.gauss.compute.txn;

import io.gauss.common.invariant.Invariant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * The table locks of this node, by table number. Found without locks; an entry, once made, stays:
 * it is small, and a dropped table's number is not used again.
 */
final class TableLocks {
  private volatile TableLock[] slots = new TableLock[64];
  private volatile NodeLocks leases; // null on a single node
  private int size;

  /** From now on a mode is granted only while this node has it on lease. Before the first lock. */
  synchronized void leases(NodeLocks ofNode) {
    Invariant.check(size == 0, "{} table locks were taken before the node had leases", size);
    leases = ofNode;
  }

  TableLock of(int table) {
    TableLock lock = find(slots, table);
    return lock != null ? lock : add(table);
  }

  /** The node ends. */
  void stop() {
    NodeLocks ofNode = leases;
    if (ofNode != null) {
      ofNode.stop();
    }
  }

  /** The lock of a table; null when it was never requested here. */
  TableLock existing(int table) {
    return find(slots, table);
  }

  /** All locks that were ever requested here. */
  List<TableLock> all() {
    return Arrays.stream(slots).filter(Objects::nonNull).toList();
  }

  private static TableLock find(TableLock[] slots, int table) {
    int mask = slots.length - 1;
    for (int i = hash(table) & mask; slots[i] != null; i = (i + 1) & mask) {
      if (slots[i].table() == table) {
        return slots[i];
      }
    }
    return null;
  }

  private synchronized TableLock add(int table) {
    TableLock[] current = slots;
    TableLock there = find(current, table);
    if (there != null) {
      return there;
    }
    size++;
    TableLock[] copy =
        size * 2 > current.length ? rehashed(current) : Arrays.copyOf(current, current.length);
    TableLock lock = new TableLock(table, leases);
    put(copy, lock);
    slots = copy; // published as a whole, so that readers need no lock
    return lock;
  }

  private static TableLock[] rehashed(TableLock[] from) {
    TableLock[] larger = new TableLock[from.length * 2];
    for (TableLock lock : from) {
      if (lock != null) {
        put(larger, lock);
      }
    }
    return larger;
  }

  private static void put(TableLock[] slots, TableLock lock) {
    int mask = slots.length - 1;
    int i = hash(lock.table()) & mask;
    while (slots[i] != null) {
      i = (i + 1) & mask;
    }
    slots[i] = lock;
  }

  private static int hash(int table) {
    int h = table * 0x9E3779B9;
    return h ^ h >>> 16;
  }
}
