package io.gauss.compute.sql.exec.aggregate;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.Operator;
import io.gauss.compute.sql.exec.node.AggregateNode;
import io.gauss.compute.sql.exec.row.KeyWriter;
import io.gauss.compute.sql.exec.row.RowSerializer;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.type.ByteSink;
import java.util.Arrays;

/**
 * Aggregates an input whose groups are contiguous, or the whole input as one group. Holds one
 * group.
 */
public final class SortedAggregateOperator extends Operator {
  private final AggregateNode node;
  private final Operator input;
  private final KeyWriter keys;
  private final AggregateStates states;
  private final RowSerializer groupRow;
  private final ByteSink key = new ByteSink();
  private final ByteSink groupKey = new ByteSink();
  private final ByteSink group = new ByteSink();
  private final RowBatch out;
  private ExecContext ctx;
  private RowBatch in;
  private int row;
  private boolean inGroup;
  private boolean done;

  public SortedAggregateOperator(AggregateNode node, Operator input) {
    this.node = node;
    this.input = input;
    int columns = node.groupColumns().length;
    keys = columns == 0 ? null : new KeyWriter(node.input().types(), node.groupColumns());
    states = new AggregateStates(node.calls(), node.input().types());
    groupRow = new RowSerializer(Arrays.copyOf(node.types(), columns));
    out = Rows.batch(node.types());
  }

  @Override
  public void open(ExecContext context) {
    ctx = context;
    in = null;
    row = 0;
    inGroup = false;
    done = false;
    input.open(context);
    if (keys == null) {
      startGroup();
    }
  }

  private void startGroup() {
    states.reset(ctx);
    states.newGroup();
    inGroup = true;
  }

  @Override
  public RowBatch next() {
    ctx.checkInterrupt();
    out.clear();
    while (!done && !ctx.isFull(out, MAX_ROWS)) {
      if (in == null || row == in.size) {
        in = input.next();
        row = 0;
        if (in == null) {
          done = true;
          if (inGroup) {
            endGroup();
          }
          break;
        }
        ctx.checkInterrupt();
        ctx.eval.resetScratch();
      }
      if (keys != null && isNewGroup()) {
        if (inGroup) {
          endGroup();
        }
        startGroup();
        groupKey.clear();
        groupKey.putBytes(key.array, 0, key.length);
        group.clear();
        groupRow.write(in, row, node.groupColumns(), group);
      }
      states.add(ctx.eval, in, row++, 0);
    }
    return out.size == 0 ? null : out;
  }

  private boolean isNewGroup() {
    key.clear();
    keys.write(in, row, key);
    return !inGroup || !Arrays.equals(key.array, 0, key.length, groupKey.array, 0, groupKey.length);
  }

  private void endGroup() {
    states.finish(ctx);
    groupRow.read(group.array, 0, out, out.size, 0);
    states.results(ctx.eval, 0, out, out.size, groupRow.columns());
    out.size++;
    inGroup = false;
  }

  @Override
  public void close() {
    states.close();
    input.close();
  }
}
