package io.gauss.compute.sql.exec.aggregate;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.Operator;
import io.gauss.compute.sql.exec.node.SetOpNode;
import io.gauss.compute.sql.exec.row.KeyWriter;
import io.gauss.compute.sql.exec.row.RowSerializer;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.spill.KeyedRecord;
import io.gauss.compute.sql.exec.spill.RecordSorter;
import io.gauss.compute.type.ByteSink;
import java.util.Arrays;

/** INTERSECT and EXCEPT: sorts both inputs together and counts equal rows of each side. */
public final class SetOpOperator extends Operator {
  private final SetOpNode node;
  private final Operator left;
  private final Operator right;
  private final KeyWriter keys;
  private final RowSerializer serializer;
  private final RecordSorter sorter = new RecordSorter();
  private final KeyedRecord record = new KeyedRecord();
  private final ByteSink key = new ByteSink();
  private final RowBatch out;

  /** The left row of the group being counted, and that of the group being emitted. */
  private RowBatch groupRow;

  private RowBatch emitRow;
  private ExecContext ctx;
  private boolean sorted;
  private boolean hasGroup;
  private boolean done;
  private long leftCount;
  private long rightCount;
  private long owed;

  public SetOpOperator(SetOpNode node, Operator left, Operator right) {
    this.node = node;
    this.left = left;
    this.right = right;
    keys = new KeyWriter(node.types(), KeyWriter.allColumns(node.types().length));
    serializer = new RowSerializer(node.types());
    out = Rows.batch(node.types());
    groupRow = Rows.batch(node.types());
    emitRow = Rows.batch(node.types());
  }

  @Override
  public void open(ExecContext context) {
    ctx = context;
    sorted = false;
    hasGroup = false;
    done = false;
    owed = 0;
    sorter.reset(ctx, Long.MAX_VALUE);
    left.open(ctx);
    right.open(ctx);
  }

  /** Records: key, side (1 byte), row. */
  private void sort(Operator input, int side) {
    for (RowBatch in = input.next(); in != null; in = input.next()) {
      ctx.checkInterrupt();
      for (int i = 0; i < in.size; i++) {
        record.startKey();
        keys.write(in, i, record.sink);
        record.endKey();
        record.sink.putByte(side);
        if (side == 0) {
          serializer.write(in, i, record.sink);
        }
        sorter.add(record.array(), record.length());
      }
    }
  }

  @Override
  public RowBatch next() {
    if (!sorted) {
      sort(left, 0);
      sort(right, 1);
      sorter.finish();
      sorted = true;
      if (ctx.instrumentation != null) {
        ctx.instrumentation.of(node).spilledBytes += sorter.spilledBytes();
      }
    }
    ctx.checkInterrupt();
    out.clear();
    while (!ctx.isFull(out, MAX_ROWS)) {
      if (owed > 0) {
        owed--;
        Rows.copy(emitRow, 0, out, out.size++);
      } else if (done) {
        break;
      } else {
        readRecord();
      }
    }
    return out.size == 0 ? null : out;
  }

  /**
   * Processes one record; at the end of a group, {@link #owed} is the number of times its row is
   * emitted.
   */
  private void readRecord() {
    byte[] array = sorter.next();
    if (array == null) {
      done = true;
      endGroup();
      return;
    }
    int start = sorter.recordOffset() + 4;
    int end = start + ByteSink.getIntLe(array, start - 4);
    if (!hasGroup || !Arrays.equals(array, start, end, key.array, 0, key.length)) {
      endGroup();
      hasGroup = true;
      leftCount = 0;
      rightCount = 0;
      key.clear();
      key.putBytes(array, start, end - start);
    }
    if (array[end] != 0) {
      rightCount++;
    } else if (leftCount++ == 0) {
      groupRow.clear();
      serializer.read(array, end + 1, groupRow, 0, 0);
    }
  }

  private void endGroup() {
    if (!hasGroup || leftCount == 0) {
      return;
    }
    owed =
        switch (node.kind()) {
          case INTERSECT -> node.all() ? Math.min(leftCount, rightCount) : Math.min(1, rightCount);
          case EXCEPT -> node.all() ? Math.max(0, leftCount - rightCount) : rightCount == 0 ? 1 : 0;
        };
    RowBatch swap = emitRow;
    emitRow = groupRow;
    groupRow = swap;
  }

  @Override
  public void close() {
    sorter.close();
    left.close();
    right.close();
  }
}
