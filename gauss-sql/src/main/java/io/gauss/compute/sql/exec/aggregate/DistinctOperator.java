package io.gauss.compute.sql.exec.aggregate;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.Operator;
import io.gauss.compute.sql.exec.node.DistinctNode;
import io.gauss.compute.sql.exec.row.KeyWriter;
import io.gauss.compute.sql.exec.row.RowSerializer;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.spill.KeyedRecord;
import io.gauss.compute.sql.exec.spill.KeyedTable;
import io.gauss.compute.sql.exec.spill.SpillFile;
import io.gauss.compute.sql.exec.spill.SpillPartitions;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * Passes on the first row of each group of equal rows, in input order. For unsorted input it keeps
 * a table of the keys seen; above the work memory, rows with other keys go to disk by hash and are
 * processed afterwards.
 */
public final class DistinctOperator extends Operator {
  private final DistinctNode node;
  private final Operator input;
  private final KeyWriter keys;
  private final RowSerializer serializer;
  private final KeyedTable table = new KeyedTable();
  private final KeyedRecord record = new KeyedRecord();
  private final ByteSink previous = new ByteSink();
  private final ByteSink spilled = new ByteSink();
  private final RowBatch fileBatch;
  private final Deque<Partition> pending = new ArrayDeque<>();
  private ExecContext ctx;
  private SpillPartitions overflow;
  private Partition current;
  private int level;
  private boolean hasPrevious;

  private record Partition(SpillFile file, int level) {}

  public DistinctOperator(DistinctNode node, Operator input) {
    this.node = node;
    this.input = input;
    PgType[] types = node.types();
    keys =
        new KeyWriter(
            types, node.columns() == null ? KeyWriter.allColumns(types.length) : node.columns());
    serializer = new RowSerializer(types);
    fileBatch = Rows.batch(types);
  }

  @Override
  public void open(ExecContext context) {
    close();
    ctx = context;
    level = 0;
    hasPrevious = false;
    table.clear();
    input.open(context);
  }

  @Override
  public RowBatch next() {
    while (true) {
      RowBatch batch = nextInput();
      if (batch == null) {
        if (!nextPartition()) {
          return null;
        }
        continue;
      }
      ctx.checkInterrupt();
      int kept = 0;
      for (int row = 0; row < batch.size; row++) {
        if (isFirst(batch, row)) {
          Rows.moveDown(batch, row, kept++);
        }
      }
      if (kept > 0) {
        batch.size = kept;
        return batch;
      }
    }
  }

  private boolean isFirst(RowBatch batch, int row) {
    record.startKey();
    keys.write(batch, row, record.sink);
    record.endKey();
    int length = record.keyLength();
    if (node.sorted()) {
      if (hasPrevious
          && Arrays.equals(record.array(), 4, 4 + length, previous.array, 0, previous.length)) {
        return false;
      }
      hasPrevious = true;
      previous.clear();
      previous.putBytes(record.array(), 4, length);
      return true;
    }
    long hash = record.hash();
    if (table.find(hash, record.array(), 4, length) >= 0) {
      return false;
    }
    if (overflow != null
        || (table.bytes() > ctx.workMemoryBytes() && level < SpillPartitions.MAX_LEVEL)) {
      if (overflow == null) {
        overflow = new SpillPartitions(ctx, level);
      }
      spilled.clear();
      serializer.write(batch, row, spilled);
      overflow.add(hash, spilled.array, 0, spilled.length);
      return false;
    }
    table.add(hash, record.array(), record.length());
    return true;
  }

  private RowBatch nextInput() {
    if (current == null) {
      return input.next();
    }
    fileBatch.clear();
    while (!ctx.isFull(fileBatch, MAX_ROWS) && current.file().read(spilled)) {
      serializer.read(spilled.array, 0, fileBatch, fileBatch.size++, 0);
    }
    return fileBatch.size == 0 ? null : fileBatch;
  }

  private boolean nextPartition() {
    if (overflow != null) {
      if (ctx.instrumentation != null) {
        ctx.instrumentation.of(node).spilledBytes += overflow.bytes();
      }
      for (SpillFile file : overflow.files) {
        if (file != null) {
          pending.push(new Partition(file, level + 1));
        }
      }
      overflow = null;
    }
    if (current != null) {
      current.file().close();
      current = null;
    }
    if (pending.isEmpty()) {
      return false;
    }
    current = pending.pop();
    current.file().rewind();
    level = current.level();
    table.clear();
    return true;
  }

  @Override
  public void close() {
    table.release();
    if (overflow != null) {
      overflow.close();
      overflow = null;
    }
    if (current != null) {
      current.file().close();
      current = null;
    }
    for (Partition partition : pending) {
      partition.file().close();
    }
    pending.clear();
    input.close();
  }
}
