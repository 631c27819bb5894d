package io.gauss.compute.sql.exec.join;

import io.gauss.compute.row.ColumnVector;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.Operator;
import io.gauss.compute.sql.exec.node.ApplyNode;
import io.gauss.compute.sql.exec.node.InternalAggregates;
import io.gauss.compute.sql.exec.row.Rows;

/** Evaluates a correlated subquery for each outer row and adds its value as a column. */
public final class ApplyOperator extends Operator {
  private final ApplyNode node;
  private final Operator outer;
  private final Operator inner;
  private final SlotWriter slots;
  private final RowBatch out;
  private final int valueColumn;
  private ExecContext ctx;

  /** Rows that have no value yet; null = none. */
  private RowBatch in;

  private int row;

  public ApplyOperator(ApplyNode node, Operator outer, Operator inner) {
    this.node = node;
    this.outer = outer;
    this.inner = inner;
    this.slots = new SlotWriter(node.slots(), node.sources());
    this.out = Rows.batch(node.types());
    this.valueColumn = node.outer().types().length;
  }

  @Override
  public void open(ExecContext context) {
    ctx = context;
    in = null;
    outer.open(context);
  }

  @Override
  public void expectRows(long rows) {
    outer.expectRows(rows);
  }

  @Override
  public RowBatch next() {
    if (in == null) {
      in = outer.next();
      row = 0;
      if (in == null) {
        return null;
      }
    }
    out.clear();
    while (row < in.size && !ctx.isLarge(out)) {
      ctx.checkInterrupt();
      slots.set(ctx.eval, in, row);
      Rows.copy(in, row++, out, out.size);
      evaluate(ctx, node.kind(), inner, out.columns[valueColumn], out.size++);
    }
    if (row == in.size) {
      in = null;
    }
    return out;
  }

  /** Opens a subquery and stores its result. */
  static void evaluate(
      ExecContext ctx, ApplyNode.Kind kind, Operator query, ColumnVector to, int row) {
    query.open(ctx);
    query.expectRows(kind == ApplyNode.Kind.EXISTS ? 1 : 2);
    RowBatch result = query.next();
    switch (kind) {
      case EXISTS -> to.setLong(row, result == null ? 0 : 1);
      case SCALAR -> {
        if (result == null) {
          to.setNull(row);
        } else if (result.size > 1) {
          throw InternalAggregates.severalRows();
        } else {
          Rows.copy(result.columns[0], 0, to, row);
          if (query.next() != null) {
            throw InternalAggregates.severalRows();
          }
        }
      }
    }
  }

  @Override
  public void close() {
    outer.close();
    inner.close();
  }
}
