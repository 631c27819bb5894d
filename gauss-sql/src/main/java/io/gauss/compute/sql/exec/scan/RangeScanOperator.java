package io.gauss.compute.sql.exec.scan;

import io.gauss.common.memory.Memory;
import io.gauss.common.page.TreePage;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.row.KeyCodec;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.Operator;
import io.gauss.compute.sql.exec.node.FullScanNode;
import io.gauss.compute.sql.exec.node.KeyRange;
import io.gauss.compute.sql.exec.node.PlanNode;
import io.gauss.compute.sql.exec.node.RangeScanNode;
import io.gauss.compute.sql.exec.table.TableHandle;
import io.gauss.compute.store.RowVersion;
import io.gauss.compute.store.VersionedScan;
import io.gauss.compute.store.VersionedTree;
import io.gauss.compute.type.ByteSink;
import java.util.Arrays;

/**
 * Scans key ranges of the clustered tree, or scans an index and reads each row by its key. The
 * scan's latch is held only while a batch is filled: the scan is paused before any other tree is
 * read and before the batch is handed on.
 */
public final class RangeScanOperator extends Operator {
  private final PlanNode node;
  private final TableDef tableDef;
  private final TableDef.IndexDef indexDef;
  private final boolean reverse;
  private final ScanRanges ranges;
  private final RowDecoder decoder;

  /** Clustering keys found in the index and not read yet: bytes, and where each ends. */
  private final ByteSink foundKeys;

  private int[] foundEnds = new int[FIRST_ROWS];
  private int found;

  /** How many of the found keys' rows have been read, and where the next key starts. */
  private int read;

  private int readTo;
  private boolean moreInIndex;
  private final RowVersion version = new RowVersion();
  private final byte[] keyScratch;

  private ExecContext ctx;
  private TableHandle table;
  private VersionedTree tree;
  private EngineContext engine;
  private VersionedScan scan;
  private boolean scanOpen;
  private int range;
  private int size;
  private long expected;

  public RangeScanOperator(RangeScanNode node) {
    this(node, node.table(), node.index(), node.ranges(), node.reverse(), decoder(node));
  }

  public RangeScanOperator(FullScanNode node) {
    this(
        node,
        node.table(),
        null,
        new KeyRange[0],
        false,
        new RowDecoder(node.columns(), node.types(), node.filter()));
  }

  private static RowDecoder decoder(RangeScanNode node) {
    return new RowDecoder(node.columns(), node.types(), node.filter());
  }

  private RangeScanOperator(
      PlanNode node,
      TableDef tableDef,
      TableDef.IndexDef indexDef,
      KeyRange[] keyRanges,
      boolean reverse,
      RowDecoder decoder) {
    this.node = node;
    this.tableDef = tableDef;
    this.indexDef = indexDef;
    this.reverse = reverse;
    this.decoder = decoder;
    ranges = new ScanRanges(keyRanges, indexDef != null);
    foundKeys = indexDef == null ? null : new ByteSink();
    keyScratch =
        indexDef == null && decoder.keyColumn() >= 0 ? new byte[TreePage.MAX_KEY_BYTES] : null;
  }

  @Override
  public void open(ExecContext context) {
    ctx = context;
    closeScan();
    TableHandle handle = context.tables.open(tableDef.oid());
    if (handle != table) {
      table = handle;
      tree = indexDef == null ? handle.rows() : handle.index(handle.indexPosition(indexDef.oid()));
      scan = null;
    }
    if (scan == null || engine != context.engine) {
      engine = context.engine;
      scan = tree.newScan(engine);
    }
    KeyCodec codec =
        indexDef == null
            ? table.primaryKeyCodec()
            : table.indexCodec(table.indexPosition(indexDef.oid()));
    ranges.evaluate(codec, context.eval);
    range = 0;
    found = 0;
    read = 0;
    size = FIRST_ROWS;
    expected = Long.MAX_VALUE;
  }

  @Override
  public void expectRows(long rows) {
    expected = rows;
    size = (int) Math.max(1, Math.min(rows, FIRST_ROWS));
  }

  @Override
  public RowBatch next() {
    RowBatch batch = decoder.batch;
    while (true) {
      ctx.checkInterrupt();
      ctx.eval.resetScratch();
      batch.clear();
      boolean more = fill();
      removed(decoder.filterLate(ctx.eval));
      if (batch.size > 0) {
        expected -= batch.size;
        size = (int) Math.max(1, Math.min(expected, Math.min(size * 2, MAX_ROWS)));
        if (expected <= 0) {
          // The caller that announced how many rows it needs requests more all the same.
          size = FIRST_ROWS;
          expected = Long.MAX_VALUE;
        }
        return batch;
      }
      if (!more) {
        return null;
      }
    }
  }

  /** Fills the batch; false when the ranges are at their end. Releases the latch when it throws. */
  private boolean fill() {
    try {
      return indexDef == null ? fillFromTable() : fillFromIndex();
    } catch (RuntimeException | Error e) {
      closeScan();
      throw e;
    }
  }

  /** Moves the scan to its next row, through all ranges; false at the end of the last one. */
  private boolean advance() {
    while (true) {
      if (!scanOpen) {
        if (range == ranges.count()) {
          return false;
        }
        openRange(ranges.get(reverse ? ranges.count() - 1 - range : range));
        range++;
      }
      if (scan.next()) {
        return true;
      }
      closeScan();
    }
  }

  private void openRange(ScanRanges.Interval interval) {
    scan.open(
        ctx.transaction,
        ctx.snapshot(),
        interval.low.length == 0 ? null : interval.low.array,
        interval.low.length,
        true,
        interval.unbounded ? null : interval.end.array,
        interval.unbounded ? 0 : interval.end.length,
        false,
        reverse);
    scanOpen = true;
  }

  private void closeScan() {
    if (scanOpen) {
      scanOpen = false;
      scan.close();
    }
  }

  private boolean fillFromTable() {
    RowBatch batch = decoder.batch;
    int rejected = 0;
    boolean more = false;
    while (advance()) {
      if (decoder.decode(
          table.rowCodec(), ctx.eval, scan.rowAddress(), scan.rowLength(), batch.size)) {
        if (keyScratch != null) {
          int length = scan.copyKey(keyScratch, 0);
          decoder.setKey(batch.size, keyScratch, 0, length);
        }
        batch.size++;
      } else {
        rejected++;
      }
      if (batch.size == size || rejected == MAX_ROWS || ctx.isLarge(batch)) {
        more = true;
        scan.pause();
        break;
      }
    }
    removed(rejected);
    return more;
  }

  private void removed(int rows) {
    if (ctx.instrumentation != null) {
      ctx.instrumentation.of(node).rowsRemoved += rows;
    }
  }

  /** Collects clustering keys from the index, pauses, and reads their rows. */
  private boolean fillFromIndex() {
    if (read < found) {
      readFound();
      return moreInIndex || read < found;
    }
    foundKeys.clear();
    found = 0;
    read = 0;
    readTo = 0;
    moreInIndex = false;
    while (advance()) {
      int length = scan.rowLength();
      foundKeys.ensure(length);
      Memory.copyOut(scan.rowAddress(), foundKeys.array, foundKeys.length, length);
      foundKeys.length += length;
      if (found == foundEnds.length) {
        foundEnds = Arrays.copyOf(foundEnds, found * 2);
      }
      foundEnds[found++] = foundKeys.length;
      if (found == size) {
        moreInIndex = true;
        scan.pause();
        break;
      }
    }
    readFound();
    return moreInIndex || read < found;
  }

  private void readFound() {
    RowBatch batch = decoder.batch;
    boolean rowsWanted = !decoder.needsNoRow();
    int rejected = 0;
    while (read < found && !ctx.isLarge(batch)) {
      int start = readTo;
      int length = foundEnds[read] - start;
      if (rowsWanted
          && !table
              .rows()
              .get(ctx.transaction, ctx.snapshot(), foundKeys.array, start, length, version)) {
        throw new IllegalStateException(
            "index " + indexDef.name() + " names a row that table " + tableDef.name() + " lacks");
      }
      if (!rowsWanted || decoder.decode(table.rowCodec(), ctx.eval, version, batch.size)) {
        if (decoder.keyColumn() >= 0) {
          decoder.setKey(batch.size, foundKeys.array, start, length);
        }
        batch.size++;
      } else {
        rejected++;
      }
      readTo = foundEnds[read++];
    }
    removed(rejected);
  }

  @Override
  public void close() {
    closeScan();
  }
}
