package io.gauss.compute.sql.exec.window;

import io.gauss.compute.row.ColumnVector;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.Operator;
import io.gauss.compute.sql.exec.node.WindowNode;
import io.gauss.compute.sql.exec.row.KeyWriter;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.spill.UnspillableMemory;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import java.util.Arrays;

/**
 * Window functions over an input that is sorted by partition and order. Holds one partition at a
 * time, in memory: a function may use any of its rows.
 */
public final class WindowOperator extends Operator {
  /** Most memory of a partition; beyond it the statement fails with 53200. */
  private static final long PARTITION_BYTES_MAX = 256L << 20;

  private final Operator input;
  private final PgType[] inputTypes;
  private final KeyWriter partitionKeys;
  private final KeyWriter orderKeys;
  private final WindowCall[] calls;
  private final RowBatch out;
  private final ByteSink key = new ByteSink();
  private final ByteSink partitionKey = new ByteSink();
  private final UnspillableMemory memory =
      new UnspillableMemory(PARTITION_BYTES_MAX, "A partition of a window function takes");
  private WindowPartition partition;
  private ExecContext ctx;
  private RowBatch in;
  private int inRow;
  private int outRow;
  private boolean inputEnded;

  public WindowOperator(WindowNode node, Operator input) {
    this.input = input;
    inputTypes = node.input().types();
    partitionKeys =
        node.partition().length == 0 ? null : new KeyWriter(inputTypes, node.partition());
    orderKeys = node.order().length == 0 ? null : KeyWriter.forSort(inputTypes, node.order());
    calls = new WindowCall[node.calls().length];
    for (int i = 0; i < calls.length; i++) {
      calls[i] =
          new WindowCall(
              node.calls()[i], node.order(), inputTypes, node.types()[inputTypes.length + i]);
    }
    out = Rows.batch(node.types());
  }

  @Override
  public void open(ExecContext context) {
    ctx = context;
    in = null;
    inRow = 0;
    inputEnded = false;
    partition = null;
    memory.release();
    input.open(context);
    for (WindowCall call : calls) {
      call.open(context);
    }
  }

  @Override
  public RowBatch next() {
    ctx.checkInterrupt();
    if (partition == null || outRow == partition.size()) {
      if (!readPartition()) {
        return null;
      }
      for (WindowCall call : calls) {
        call.compute(partition);
      }
      outRow = 0;
    }
    out.clear();
    while (outRow < partition.size() && !ctx.isFull(out, MAX_ROWS)) {
      Rows.copy(partition.rows, outRow, out, out.size);
      for (int i = 0; i < calls.length; i++) {
        Rows.copy(calls[i].results(), outRow, out.columns[inputTypes.length + i], out.size);
      }
      out.size++;
      outRow++;
    }
    return out;
  }

  private boolean readPartition() {
    memory.release(); // of the partition before
    RowBatch rows = Rows.batch(inputTypes);
    while (true) {
      if (in == null || inRow == in.size) {
        in = inputEnded ? null : input.next();
        inRow = 0;
        if (in == null) {
          inputEnded = true;
          break;
        }
        ctx.checkInterrupt();
        checkSize(rows);
      }
      if (partitionKeys != null && rows.size > 0 && isOther()) {
        break;
      }
      if (partitionKeys != null && rows.size == 0) {
        partitionKey.clear();
        partitionKeys.write(in, inRow, partitionKey);
      }
      Rows.copy(in, inRow++, rows, rows.size);
      rows.size++;
    }
    if (rows.size == 0) {
      partition = null;
      return false;
    }
    partition = new WindowPartition(rows, orderKeys);
    return true;
  }

  private boolean isOther() {
    key.clear();
    partitionKeys.write(in, inRow, key);
    return !Arrays.equals(key.array, 0, key.length, partitionKey.array, 0, partitionKey.length);
  }

  private void checkSize(RowBatch rows) {
    long bytes = 0;
    for (ColumnVector column : rows.columns) {
      bytes += column.dataLength + 12L * rows.size;
    }
    memory.take(ctx.statementMemory, bytes);
  }

  @Override
  public void close() {
    partition = null;
    memory.release();
    input.close();
  }
}
