package io.gauss.compute.catalog.statistics;

import io.gauss.compute.catalog.KeyExpression;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableStatistics;
import io.gauss.compute.catalog.TableStatistics.ColumnStatistics;
import io.gauss.compute.row.RowCodec;
import io.gauss.compute.store.VersionedScan;
import io.gauss.compute.store.VersionedTree;
import io.gauss.compute.tree.TreeLeaves;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.type.Value;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * The work of ANALYZE: reads leaves picked at random (all leaves of a small table), counts their
 * visible rows, and summarizes each column over a random sample of those rows. Runs inside a
 * statement of the transaction and uses its snapshot; holds no latch between leaves and waits for
 * pages.
 */
public final class StatisticsCollector {
  /** Most leaves that are read; below that the row count is exact. */
  static final int LEAVES_MAX = 1500;

  /** Most rows that are summarized: 200 for each bucket. */
  static final int ROWS_MAX = 20_000;

  private static final long SAMPLE_BYTES_MAX = 24L << 20;

  private final RandomGenerator random;

  /** The expressions that are keys of a table's indexes. Belongs to one thread. */
  public interface Keys {
    List<KeyExpression> expressions();

    /**
     * Computes the value of an expression for a row.
     *
     * @param expression position in {@link #expressions}
     * @param row as stored
     * @param out valid until the next call
     * @return false when the row is not in the expression's index: then it might have no value
     */
    boolean value(int expression, byte[] row, Value out);
  }

  public StatisticsCollector(RandomGenerator random) {
    this.random = random;
  }

  /**
   * @param rows clustered tree of the table
   * @param codec codec of its rows, with the values of columns that are missing in older rows
   * @param keys expressions that are summarized like columns
   */
  public TableStatistics collect(
      Transaction txn, TableDef table, VersionedTree rows, RowCodec codec, Keys keys) {
    TreeLeaves.Leaves leaves = TreeLeaves.sample(rows.btree(), txn.context(), LEAVES_MAX, random);
    RowSample sample = new RowSample(ROWS_MAX, SAMPLE_BYTES_MAX, random);
    try (VersionedScan scan = rows.newScan(txn.context())) {
      if (leaves.sample().size() == leaves.count()) {
        read(txn, scan, new TreeLeaves.Range(null, null), sample);
      } else {
        for (TreeLeaves.Range leaf : leaves.sample()) {
          read(txn, scan, leaf, sample);
          txn.context().interrupts().check();
        }
      }
    }
    double read = leaves.sample().size();
    double tableRows = sample.seen() * (leaves.count() / read);
    ColumnStatistics[] columns = new ColumnStatistics[table.columns().size()];
    for (int i = 0; i < columns.length; i++) {
      int column = i;
      columns[i] =
          ColumnSummary.of(
              sample.rows(),
              (row, out) -> {
                codec.decode(row, 0, row.length, column, out);
                return true;
              },
              table.columns().get(i).type(),
              tableRows,
              isUnique(table, i));
    }
    Map<String, ColumnStatistics> expressions = new HashMap<>();
    for (int i = 0; i < keys.expressions().size(); i++) {
      KeyExpression expression = keys.expressions().get(i);
      int number = i;
      expressions.put(
          expression.sql(),
          ColumnSummary.of(
              sample.rows(),
              (row, out) -> keys.value(number, row, out),
              expression.type(),
              tableRows,
              false));
      txn.context().interrupts().check();
    }
    return new TableStatistics(tableRows, leaves.count(), columns, expressions);
  }

  private static void read(
      Transaction txn, VersionedScan scan, TreeLeaves.Range leaf, RowSample sample) {
    byte[] low = leaf.low();
    byte[] high = leaf.high();
    scan.open(
        txn,
        txn.snapshot(),
        low,
        low == null ? 0 : low.length,
        true,
        high,
        high == null ? 0 : high.length,
        false,
        false);
    while (scan.next()) {
      sample.offer(scan.rowAddress(), scan.rowLength());
    }
    scan.pause();
  }

  private static boolean isUnique(TableDef table, int column) {
    if (table.primaryKey().length == 1 && table.primaryKey()[0] == column) {
      return true;
    }
    for (TableDef.IndexDef index : table.indexes()) {
      if (index.isUniqueAtCommit() && index.columns().length == 1 && index.columns()[0] == column) {
        return true;
      }
    }
    return false;
  }
}
