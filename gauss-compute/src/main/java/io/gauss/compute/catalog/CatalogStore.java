package io.gauss.compute.catalog;

import io.gauss.common.memory.Memory;
import io.gauss.compute.space.SystemSpaces;
import io.gauss.compute.store.Outcome;
import io.gauss.compute.store.RowVersion;
import io.gauss.compute.store.Store;
import io.gauss.compute.store.VersionedScan;
import io.gauss.compute.store.VersionedTree;
import io.gauss.compute.store.WaitPolicy;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.type.ByteSink;
import java.util.HashMap;
import java.util.Map;

/**
 * Reads and writes catalog objects as rows of the catalog tree: key = oid (4 bytes, big-endian),
 * row = {@link CatalogCodec}. Rows are versioned and change with the transaction of the DDL
 * statement like any others.
 */
public final class CatalogStore {
  private final VersionedTree tree;

  public CatalogStore(Store store) {
    this.tree = store.tree(SystemSpaces.CATALOG);
  }

  private static byte[] key(int oid) {
    ByteSink sink = new ByteSink(Integer.BYTES);
    sink.putInt(oid);
    return sink.toByteArray();
  }

  /** All objects that the transaction's snapshot sees. */
  public Map<Integer, CatalogObject> load(Transaction txn) {
    Map<Integer, CatalogObject> objects = new HashMap<>();
    txn.startStatement();
    try (VersionedScan scan = tree.newScan(txn.context())) {
      scan.open(txn, txn.snapshot(), null, 0, true, null, 0, true, false);
      byte[] row = new byte[1024];
      while (scan.next()) {
        int length = scan.rowLength();
        if (row.length < length) {
          row = new byte[length * 2];
        }
        Memory.copyOut(scan.rowAddress(), row, 0, length);
        CatalogObject object = CatalogCodec.decode(row, length);
        objects.put(object.oid(), object);
      }
    } finally {
      txn.endStatement();
    }
    return objects;
  }

  /** Inserts the object or replaces the one with its oid. The object's lock is held. */
  public void put(Transaction txn, CatalogObject object) {
    byte[] key = key(object.oid());
    byte[] row = CatalogCodec.encode(object);
    RowVersion version = new RowVersion();
    while (true) {
      Outcome found =
          tree.readNewest(txn, txn.snapshot(), key, 0, key.length, WaitPolicy.WAIT, version);
      Outcome written =
          found == Outcome.NOT_FOUND
              ? tree.insert(txn, key, 0, key.length, row, 0, row.length, version)
              : tree.update(txn, version, row, 0, row.length);
      if (written == Outcome.OK) {
        return;
      }
    }
  }

  /**
   * Puts statistics into the newest definition of a table, whatever it is by now; nothing happens
   * when the table is gone. Needs no lock on the table: DDL that runs at the same time either is
   * waited for or loses nothing but these statistics.
   */
  public void putStatistics(Transaction txn, CollectedStatistics collected) {
    byte[] key = key(collected.tableOid());
    RowVersion version = new RowVersion();
    while (true) {
      Outcome found =
          tree.readNewest(txn, txn.snapshot(), key, 0, key.length, WaitPolicy.WAIT, version);
      if (found == Outcome.NOT_FOUND
          || !(CatalogCodec.decode(version.row, version.rowLength) instanceof TableDef table)) {
        return;
      }
      byte[] row = CatalogCodec.encode(collected.putInto(table));
      if (tree.update(txn, version, row, 0, row.length) == Outcome.OK) {
        return;
      }
    }
  }

  public void remove(Transaction txn, int oid) {
    byte[] key = key(oid);
    RowVersion version = new RowVersion();
    while (true) {
      Outcome found =
          tree.readNewest(txn, txn.snapshot(), key, 0, key.length, WaitPolicy.WAIT, version);
      if (found == Outcome.NOT_FOUND || tree.delete(txn, version) == Outcome.OK) {
        return;
      }
    }
  }
}
