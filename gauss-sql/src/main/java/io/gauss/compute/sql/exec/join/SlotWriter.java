package io.gauss.compute.sql.exec.join;

import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.row.Values;
import io.gauss.compute.type.Value;

/** Sets parameter slots from an outer row; keeps the bytes that the slots refer to. */
final class SlotWriter {
  private final int[] slots;
  private final Expr[] sources;
  private final byte[][] buffers;

  SlotWriter(int[] slots, Expr[] sources) {
    this.slots = slots;
    this.sources = sources;
    this.buffers = new byte[slots.length][];
  }

  void set(EvalContext ctx, RowBatch outer, int row) {
    Value value = ctx.acquire();
    for (int i = 0; i < slots.length; i++) {
      sources[i].eval(ctx, outer, row, value);
      buffers[i] = Values.copy(sources[i].type(), value, ctx.parameters[slots[i]], buffers[i]);
    }
    ctx.release();
  }
}
