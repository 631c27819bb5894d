package io.gauss.compute.sql.exec.scan;

import io.gauss.compute.expr.Expr;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.Operator;
import io.gauss.compute.sql.exec.node.IndexLookupNode;
import io.gauss.compute.sql.exec.node.PlanNode;
import io.gauss.compute.sql.exec.node.PointReadNode;
import io.gauss.compute.sql.exec.table.TableHandle;
import io.gauss.compute.sql.exec.table.TableKeys;
import io.gauss.compute.store.RowVersion;
import io.gauss.compute.store.VersionedTree;
import io.gauss.compute.txn.Snapshot;
import io.gauss.compute.type.ByteSink;

/**
 * Reads at most one row by its primary key, or through a unique index. Allocates nothing after its
 * first execution.
 */
public final class PointReadOperator extends Operator {
  private final PlanNode node;
  private final int tableOid;
  private final int indexOid;
  private final Expr[] key;
  private final RowDecoder decoder;
  private final ByteSink keyBytes = new ByteSink(64);
  private final RowVersion version = new RowVersion();
  private final RowVersion entry;
  private ExecContext ctx;
  private TableHandle table;
  private int index = -1;
  private boolean done;

  public PointReadOperator(PointReadNode node) {
    this.node = node;
    tableOid = node.table().oid();
    indexOid = 0;
    key = node.key();
    decoder = new RowDecoder(node.columns(), node.types(), node.filter());
    entry = null;
  }

  public PointReadOperator(IndexLookupNode node) {
    this.node = node;
    tableOid = node.table().oid();
    indexOid = node.index().oid();
    key = node.key();
    decoder = new RowDecoder(node.columns(), node.types(), node.filter());
    entry = new RowVersion();
  }

  @Override
  public void open(ExecContext context) {
    ctx = context;
    TableHandle handle = context.tables.open(tableOid);
    if (handle != table) {
      table = handle;
      index = indexOid == 0 ? -1 : handle.indexPosition(indexOid);
    }
    done = false;
  }

  @Override
  public RowBatch next() {
    if (done) {
      return null;
    }
    done = true;
    ctx.eval.resetScratch();
    keyBytes.clear();
    RowBatch batch = decoder.batch;
    batch.clear();
    if (!TableKeys.evaluate(
            index < 0 ? table.primaryKeyCodec() : table.indexCodec(index), key, ctx.eval, keyBytes)
        || !find()) {
      return null;
    }
    boolean passes = decoder.decode(table.rowCodec(), ctx.eval, version, 0);
    batch.size = 1;
    if (!passes || decoder.filterLate(ctx.eval) > 0) {
      if (ctx.instrumentation != null) {
        ctx.instrumentation.of(node).rowsRemoved++;
      }
      return null;
    }
    if (decoder.keyColumn() >= 0) {
      decoder.setKey(0, version.key, 0, version.keyLength);
    }
    return batch;
  }

  private boolean find() {
    Snapshot snapshot = ctx.snapshot();
    if (index < 0) {
      return table
          .rows()
          .get(ctx.transaction, snapshot, keyBytes.array, 0, keyBytes.length, version);
    }
    VersionedTree tree = table.index(index);
    return tree.get(ctx.transaction, snapshot, keyBytes.array, 0, keyBytes.length, entry)
        && table.rows().get(ctx.transaction, snapshot, entry.row, 0, entry.rowLength, version);
  }

  @Override
  public void close() {}
}
