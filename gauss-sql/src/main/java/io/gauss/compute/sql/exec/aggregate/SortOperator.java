package io.gauss.compute.sql.exec.aggregate;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.LimitBounds;
import io.gauss.compute.sql.exec.Operator;
import io.gauss.compute.sql.exec.node.SortNode;
import io.gauss.compute.sql.exec.row.KeyWriter;
import io.gauss.compute.sql.exec.row.RowSerializer;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.spill.KeyedRecord;
import io.gauss.compute.sql.exec.spill.RecordSorter;
import io.gauss.compute.type.ByteSink;

/** Sorts all input at open; with a small limit keeps only the first rows. */
public final class SortOperator extends Operator {
  private final SortNode node;
  private final Operator input;
  private final KeyWriter keys;
  private final RowSerializer serializer;
  private final RecordSorter sorter = new RecordSorter();
  private final KeyedRecord record = new KeyedRecord();
  private final RowBatch batch;
  private ExecContext ctx;
  private boolean sorted;

  public SortOperator(SortNode node, Operator input) {
    this.node = node;
    this.input = input;
    this.keys = KeyWriter.forSort(node.types(), node.keys());
    this.serializer = new RowSerializer(node.types());
    this.batch = Rows.batch(node.types());
  }

  @Override
  public void open(ExecContext context) {
    ctx = context;
    sorted = false;
    long limit = LimitBounds.limit(ctx, node.limit());
    long offset = LimitBounds.offset(ctx, node.offset());
    boolean topN =
        limit != Long.MAX_VALUE
            && RecordSorter.worthTopN(limit)
            && RecordSorter.worthTopN(offset)
            && RecordSorter.worthTopN(limit + offset);
    sorter.reset(ctx, topN ? limit + offset : Long.MAX_VALUE);
    input.open(ctx);
  }

  private void sort() {
    for (RowBatch in = input.next(); in != null; in = input.next()) {
      ctx.checkInterrupt();
      for (int row = 0; row < in.size; row++) {
        record.startKey();
        keys.write(in, row, record.sink);
        record.endKey();
        if (sorter.isBeyondCut(record.array(), record.keyLength())) {
          continue;
        }
        serializer.write(in, row, record.sink);
        sorter.add(record.array(), record.length());
      }
    }
    sorter.finish();
    sorted = true;
    if (ctx.instrumentation != null) {
      ctx.instrumentation.of(node).spilledBytes += sorter.spilledBytes();
    }
  }

  @Override
  public RowBatch next() {
    if (!sorted) {
      sort();
    }
    ctx.checkInterrupt();
    batch.clear();
    while (!ctx.isFull(batch, MAX_ROWS)) {
      byte[] array = sorter.next();
      if (array == null) {
        break;
      }
      int offset = sorter.recordOffset();
      int payload = offset + 4 + ByteSink.getIntLe(array, offset);
      serializer.read(array, payload, batch, batch.size++, 0);
    }
    return batch.size == 0 ? null : batch;
  }

  @Override
  public void close() {
    sorter.close();
    input.close();
  }
}
