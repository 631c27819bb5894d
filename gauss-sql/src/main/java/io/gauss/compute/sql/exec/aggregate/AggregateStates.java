package io.gauss.compute.sql.exec.aggregate;

import io.gauss.compute.expr.Accumulator;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.node.AggregateCall;
import io.gauss.compute.sql.exec.row.KeyWriter;
import io.gauss.compute.sql.exec.row.RowSerializer;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.row.SortKey;
import io.gauss.compute.sql.exec.spill.KeyedRecord;
import io.gauss.compute.sql.exec.spill.RecordSorter;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.util.Arrays;

/**
 * The accumulators of all groups of one aggregation, by group number. DISTINCT and ORDER BY within
 * a call are done by sorting that call's arguments by group, order and value before they are
 * aggregated, on disk when there are many.
 */
final class AggregateStates {
  private final Call[] calls;
  private int groups;
  private long bytes;

  AggregateStates(AggregateCall[] calls, PgType[] inputTypes) {
    this.calls = new Call[calls.length];
    for (int i = 0; i < calls.length; i++) {
      this.calls[i] = new Call(calls[i], inputTypes);
    }
  }

  void reset(ExecContext ctx) {
    groups = 0;
    bytes = 0;
    for (Call call : calls) {
      call.reset(ctx);
    }
  }

  int newGroup() {
    for (Call call : calls) {
      bytes += call.newGroup(groups);
    }
    return groups++;
  }

  /** Memory of the accumulators when they were created, bytes. */
  long bytes() {
    return bytes;
  }

  void add(EvalContext ctx, RowBatch in, int row, int group) {
    for (Call call : calls) {
      call.add(ctx, in, row, group);
    }
  }

  /** Ends input: aggregates the arguments that had to be sorted. */
  void finish(ExecContext ctx) {
    for (Call call : calls) {
      call.finish(ctx);
    }
  }

  /** Stores a group's results into the batch from a column on. */
  void results(EvalContext ctx, int group, RowBatch out, int row, int firstColumn) {
    Value value = ctx.acquire();
    for (int i = 0; i < calls.length; i++) {
      calls[i].result(ctx, group, value);
      out.columns[firstColumn + i].set(row, value);
    }
    ctx.release();
  }

  void close() {
    for (Call call : calls) {
      call.close();
    }
  }

  /** One aggregate. */
  private static final class Call {
    private final AggregateCall call;
    private final Value[] arguments;
    private final boolean ignoresNulls;
    private final boolean emptyIsNull;
    private Accumulator[] states = new Accumulator[4];
    private boolean[] used = new boolean[4];

    /** Sorts arguments first; null when they are aggregated in input order. */
    private final RecordSorter sorter;

    private final KeyWriter orderKey;
    private final KeyWriter argumentKey;
    private final RowSerializer argumentRow;
    private final RowBatch argumentBatch;
    private final KeyedRecord record = new KeyedRecord();
    private final ByteSink previous = new ByteSink();

    Call(AggregateCall call, PgType[] inputTypes) {
      this.call = call;
      ignoresNulls = call.function().aggregate().ignoresNulls();
      emptyIsNull = call.function().aggregate().emptyIsNull();
      arguments = new Value[call.arguments().length];
      PgType[] types = new PgType[arguments.length];
      for (int i = 0; i < arguments.length; i++) {
        arguments[i] = new Value();
        types[i] = inputTypes[call.arguments()[i]];
      }
      boolean sorts = (call.distinct() && arguments.length > 0) || call.order().length > 0;
      sorter = sorts ? new RecordSorter() : null;
      SortKey[] order = call.order();
      orderKey = sorts && order.length > 0 ? KeyWriter.forSort(inputTypes, order) : null;
      argumentKey = sorts && call.distinct() ? new KeyWriter(inputTypes, call.arguments()) : null;
      argumentRow = sorts ? new RowSerializer(types) : null;
      argumentBatch = sorts ? Rows.batch(types) : null;
    }

    void reset(ExecContext ctx) {
      Arrays.fill(used, false);
      if (states.length > 1024) {
        states = new Accumulator[4];
        used = new boolean[4];
      }
      if (sorter != null) {
        sorter.reset(ctx, Long.MAX_VALUE);
      }
    }

    long newGroup(int group) {
      if (group == states.length) {
        states = Arrays.copyOf(states, group * 2);
        used = Arrays.copyOf(used, group * 2);
      }
      used[group] = false;
      if (states[group] == null) {
        states[group] = call.function().newAccumulator();
      } else {
        states[group].reset();
      }
      return states[group].memorySize() + 8L;
    }

    void add(EvalContext ctx, RowBatch in, int row, int group) {
      int filter = call.filterColumn();
      if (filter >= 0 && (in.columns[filter].nulls[row] || in.columns[filter].longs[row] == 0)) {
        return;
      }
      int[] columns = call.arguments();
      if (ignoresNulls && columns.length > 0 && in.columns[columns[0]].nulls[row]) {
        return;
      }
      if (sorter != null) {
        addSorted(in, row, group);
        return;
      }
      for (int i = 0; i < columns.length; i++) {
        in.columns[columns[i]].get(row, arguments[i]);
      }
      used[group] = true;
      states[group].add(ctx, arguments);
    }

    /** Key: group number, order, arguments. */
    private void addSorted(RowBatch in, int row, int group) {
      record.startKey();
      record.sink.putInt(group);
      if (orderKey != null) {
        orderKey.write(in, row, record.sink);
      }
      if (argumentKey != null) {
        argumentKey.write(in, row, record.sink);
      }
      record.endKey();
      argumentRow.write(in, row, call.arguments(), record.sink);
      sorter.add(record.array(), record.length());
    }

    void finish(ExecContext ctx) {
      if (sorter == null) {
        return;
      }
      sorter.finish();
      boolean hasPrevious = false;
      for (byte[] array = sorter.next(); array != null; array = sorter.next()) {
        int key = sorter.recordOffset() + 4;
        int keyLength = ByteSink.getIntLe(array, sorter.recordOffset());
        if (call.distinct()) {
          if (hasPrevious
              && Arrays.equals(array, key, key + keyLength, previous.array, 0, previous.length)) {
            continue;
          }
          hasPrevious = true;
          previous.clear();
          previous.putBytes(array, key, keyLength);
        }
        int group = ByteSink.getInt(array, key);
        argumentBatch.clear();
        argumentRow.read(array, key + keyLength, argumentBatch, 0, 0);
        for (int i = 0; i < arguments.length; i++) {
          argumentBatch.columns[i].get(0, arguments[i]);
        }
        used[group] = true;
        states[group].add(ctx.eval, arguments);
      }
      sorter.reset(ctx, Long.MAX_VALUE);
    }

    void result(EvalContext ctx, int group, Value out) {
      if (emptyIsNull && !used[group]) {
        out.setNull();
      } else {
        states[group].result(ctx, out);
      }
    }

    void close() {
      if (sorter != null) {
        sorter.close();
      }
    }
  }
}
