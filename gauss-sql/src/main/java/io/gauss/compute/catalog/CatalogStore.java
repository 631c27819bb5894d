package io.gauss.compute.catalog;

import io.gauss.common.memory.Memory;
import io.gauss.compute.space.SystemSpaces;
import io.gauss.compute.store.Outcome;
import io.gauss.compute.store.RowVersion;
import io.gauss.compute.store.Store;
import io.gauss.compute.store.VersionedScan;
import io.gauss.compute.store.VersionedTree;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.WaitPolicy;
import io.gauss.compute.type.ByteSink;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Reads and writes catalog objects as rows of the catalog tree: key = oid (4 bytes, big-endian),
 * row = {@link CatalogCodec}. Rows are versioned and change with the transaction of the DDL
 * statement like any others.
 */
public final class CatalogStore {
  private static final int KEY_BYTES = 64; // more than the length of any key of the tree

  private final VersionedTree tree;

  public CatalogStore(Store store) {
    this.tree = store.tree(SystemSpaces.CATALOG);
  }

  private static byte[] key(int oid) {
    ByteSink sink = new ByteSink(Integer.BYTES);
    sink.putInt(oid);
    return sink.toByteArray();
  }

  /** A row of the catalog tree and the object that it encodes. */
  record StoredObject(byte[] row, CatalogObject object) {}

  /**
   * All objects at a snapshot.
   *
   * @param rows by oid
   * @param snapshot LSN
   */
  public record Loaded(Map<Integer, StoredObject> rows, long snapshot) {
    /** An empty result. */
    public static final Loaded NOTHING = new Loaded(Map.of(), 0);

    /** The objects by oid. */
    public Map<Integer, CatalogObject> objects() {
      Map<Integer, CatalogObject> objects = new HashMap<>();
      rows.forEach((oid, row) -> objects.put(oid, row.object()));
      return objects;
    }
  }

  /** All objects that a new snapshot of the transaction sees. */
  public Map<Integer, CatalogObject> load(Transaction txn) {
    return load(txn, Loaded.NOTHING).objects();
  }

  /**
   * All objects that a new snapshot of the transaction sees.
   *
   * @param before the result of an earlier load: objects whose rows have not changed are reused
   */
  public Loaded load(Transaction txn, Loaded before) {
    Map<Integer, StoredObject> rows = new HashMap<>();
    long snapshot;
    txn.startStatement();
    snapshot = txn.snapshot().lsn();
    try (VersionedScan scan = tree.newScan(txn.context())) {
      scan.open(txn, txn.snapshot(), null, 0, true, null, 0, true, false);
      byte[] row = new byte[1024];
      byte[] key = new byte[KEY_BYTES];
      while (scan.next()) {
        int length = scan.rowLength();
        if (row.length < length) {
          row = new byte[length * 2];
        }
        Memory.copyOut(scan.rowAddress(), row, 0, length);
        scan.copyKey(key, 0);
        StoredObject known = before.rows().get(ByteSink.getInt(key, 0));
        if (known != null && Arrays.equals(known.row(), 0, known.row().length, row, 0, length)) {
          rows.put(known.object().oid(), known);
          continue;
        }
        CatalogObject object = CatalogCodec.decode(row, length);
        rows.put(object.oid(), new StoredObject(Arrays.copyOf(row, length), object));
      }
    } finally {
      txn.endStatement();
    }
    return new Loaded(rows, snapshot);
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
   * Puts statistics into the newest definition of a table, even if that has changed; does nothing
   * when the table is gone. Needs no lock on the table: this either waits for concurrent DDL, or
   * the DDL loses only these statistics.
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
