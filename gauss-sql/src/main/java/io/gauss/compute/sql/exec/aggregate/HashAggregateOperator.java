package io.gauss.compute.sql.exec.aggregate;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.Operator;
import io.gauss.compute.sql.exec.node.AggregateNode;
import io.gauss.compute.sql.exec.row.KeyWriter;
import io.gauss.compute.sql.exec.row.RowSerializer;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.spill.KeyedRecord;
import io.gauss.compute.sql.exec.spill.KeyedTable;
import io.gauss.compute.sql.exec.spill.SpillFile;
import io.gauss.compute.sql.exec.spill.SpillPartitions;
import io.gauss.compute.type.ByteSink;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Aggregates with a hash table of groups. Above the work memory no new group is added: rows of
 * groups that are not in the table go to disk by hash, while rows of known groups are still
 * aggregated. After the table's groups have been emitted, each partition is processed as an input
 * of its own. So accumulators never have to be written.
 */
public final class HashAggregateOperator extends Operator {
  private final AggregateNode node;
  private final Operator input;
  private final KeyWriter keys;
  private final RowSerializer groupRow;
  private final RowSerializer inputRow;
  private final AggregateStates states;
  private final KeyedTable table = new KeyedTable();
  private final KeyedRecord record = new KeyedRecord();
  private final ByteSink spilled = new ByteSink();
  private final RowBatch out;
  private final RowBatch fileBatch;
  private final Deque<Partition> pending = new ArrayDeque<>();
  private ExecContext ctx;
  private SpillPartitions overflow;
  private int level;
  private boolean aggregated;
  private int emitted;

  private record Partition(SpillFile file, int level) {}

  public HashAggregateOperator(AggregateNode node, Operator input) {
    this.node = node;
    this.input = input;
    keys = new KeyWriter(node.input().types(), node.groupColumns());
    int groups = node.groupColumns().length;
    groupRow = new RowSerializer(java.util.Arrays.copyOf(node.types(), groups));
    inputRow = new RowSerializer(node.input().types());
    states = new AggregateStates(node.calls(), node.input().types());
    out = Rows.batch(node.types());
    fileBatch = Rows.batch(node.input().types());
  }

  @Override
  public void open(ExecContext context) {
    close();
    ctx = context;
    level = 0;
    restart();
    input.open(context);
  }

  private void restart() {
    table.clear();
    states.reset(ctx);
    aggregated = false;
    emitted = 0;
  }

  @Override
  public RowBatch next() {
    ctx.checkInterrupt();
    while (true) {
      if (!aggregated) {
        for (RowBatch in = input.next(); in != null; in = input.next()) {
          ctx.checkInterrupt();
          ctx.eval.resetScratch();
          take(in);
        }
        finishInput();
      }
      out.clear();
      while (emitted < table.size() && !ctx.isFull(out, MAX_ROWS)) {
        emit(emitted++);
      }
      if (out.size > 0) {
        return out;
      }
      if (pending.isEmpty()) {
        return null;
      }
      aggregatePartition(pending.pop());
    }
  }

  private void emit(int group) {
    groupRow.read(table.array(group), table.payloadOffset(group), out, out.size, 0);
    states.results(ctx.eval, group, out, out.size, groupRow.columns());
    out.size++;
  }

  private void take(RowBatch in) {
    for (int row = 0; row < in.size; row++) {
      record.startKey();
      keys.write(in, row, record.sink);
      record.endKey();
      long hash = record.hash();
      int group = table.find(hash, record.array(), 4, record.keyLength());
      if (group < 0) {
        if (overflow != null || isFull()) {
          spill(in, row, hash);
          continue;
        }
        groupRow.write(in, row, node.groupColumns(), record.sink);
        group = table.add(hash, record.array(), record.length());
        states.newGroup();
      }
      states.add(ctx.eval, in, row, group);
    }
  }

  private boolean isFull() {
    return table.size() > 0
        && level < SpillPartitions.MAX_LEVEL
        && table.bytes() + states.bytes() > ctx.workMemoryBytes();
  }

  private void spill(RowBatch in, int row, long hash) {
    if (overflow == null) {
      overflow = new SpillPartitions(ctx, level);
    }
    spilled.clear();
    inputRow.write(in, row, spilled);
    overflow.add(hash, spilled.array, 0, spilled.length);
  }

  private void finishInput() {
    states.finish(ctx);
    aggregated = true;
    if (overflow != null) {
      if (ctx.instrumentation != null) {
        ctx.instrumentation.of(node).spilledBytes += overflow.bytes();
      }
      for (int i = 0; i < overflow.files.length; i++) {
        if (overflow.files[i] != null) {
          pending.push(new Partition(overflow.files[i], level + 1));
        }
      }
      overflow = null;
    }
  }

  private void aggregatePartition(Partition partition) {
    restart();
    level = partition.level();
    try {
      partition.file().rewind();
      fileBatch.clear();
      while (partition.file().read(spilled)) {
        inputRow.read(spilled.array, 0, fileBatch, fileBatch.size++, 0);
        if (ctx.isFull(fileBatch, MAX_ROWS)) {
          ctx.checkInterrupt();
          take(fileBatch);
          fileBatch.clear();
        }
      }
      take(fileBatch);
    } finally {
      partition.file().close();
    }
    finishInput();
  }

  @Override
  public void close() {
    table.release();
    if (overflow != null) {
      overflow.close();
      overflow = null;
    }
    for (Partition partition : pending) {
      partition.file().close();
    }
    pending.clear();
    states.close();
    input.close();
  }
}
