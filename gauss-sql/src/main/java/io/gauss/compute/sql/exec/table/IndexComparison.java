package io.gauss.compute.sql.exec.table;

import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.store.RowVersion;
import io.gauss.compute.store.VersionedScan;
import io.gauss.compute.store.VersionedTree;
import io.gauss.compute.txn.Snapshot;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.Value;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Compares a table's rows with the entries of its indexes, as one snapshot sees them: every row has
 * its entry in every index, which leads back to it, and there are as many entries as rows; so there
 * is no entry without its row.
 */
public final class IndexComparison {
  private final Transaction transaction;
  private final EngineContext ctx;
  private final Snapshot snapshot;
  private final TableHandle table;
  private final EvalContext eval = new EvalContext();
  private final TableKeys keys;
  private final RowBatch row;
  private final RowVersion version = new RowVersion();
  private final RowVersion entry = new RowVersion();
  private final ByteSink key = new ByteSink(64);
  private final Value scratch = new Value();

  private IndexComparison(Transaction transaction, TableHandle table) {
    this.transaction = transaction;
    this.ctx = transaction.context();
    this.snapshot = transaction.snapshot();
    this.table = table;
    this.keys = new TableKeys(table, eval);
    this.row = Rows.batch(table.types());
  }

  /**
   * Compares all indexes of a table. The transaction has a statement open. Reads the whole table
   * and its indexes.
   *
   * @throws IllegalStateException naming the first difference
   */
  public static void check(Transaction transaction, TableHandle table) {
    if (!table.def().indexes().isEmpty()) {
      new IndexComparison(transaction, table).run();
    }
  }

  private void run() {
    int indexes = table.def().indexes().size();
    long[] rows = new long[indexes];
    try (VersionedScan scan = table.rows().newScan(ctx)) {
      scan.open(transaction, snapshot, null, 0, true, null, 0, true, false);
      while (scan.next()) {
        scan.copyVersion(version);
        scan.pause();
        eval.resetScratch();
        row.clear();
        table
            .rowCodec()
            .decode(version.row, 0, version.rowLength, table.allColumns(), row.columns, 0, scratch);
        row.size = 1;
        for (int i = 0; i < indexes; i++) {
          if (table.isIn(i, eval, row, 0)) {
            checkEntry(i);
            rows[i]++;
          }
        }
      }
    }
    for (int i = 0; i < indexes; i++) {
      long entries = count(table.index(i));
      if (entries != rows[i]) {
        throw new IllegalStateException(
            "%s has %d entries, its table has %d rows for it".formatted(name(i), entries, rows[i]));
      }
    }
  }

  private void checkEntry(int index) {
    key.clear();
    keys.indexKey(index, row, 0, version.key, version.keyLength, key);
    if (!table.index(index).get(transaction, snapshot, key.array, 0, key.length, entry)) {
      throw new IllegalStateException(
          "%s has no entry for row %s".formatted(name(index), rowKey()));
    }
    if (!Arrays.equals(entry.row, 0, entry.rowLength, version.key, 0, version.keyLength)) {
      throw new IllegalStateException(
          "%s leads from the key of row %s to another row".formatted(name(index), rowKey()));
    }
  }

  private String name(int index) {
    return "index %s.%s".formatted(table.def().schema(), table.def().indexes().get(index).name());
  }

  private String rowKey() {
    return HexFormat.of().formatHex(version.key, 0, version.keyLength);
  }

  private long count(VersionedTree index) {
    long entries = 0;
    try (VersionedScan scan = index.newScan(ctx)) {
      scan.open(transaction, snapshot, null, 0, true, null, 0, true, false);
      while (scan.next()) {
        entries++;
      }
    }
    return entries;
  }
}
