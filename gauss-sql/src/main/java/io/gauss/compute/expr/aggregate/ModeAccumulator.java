package io.gauss.compute.expr.aggregate;

import io.gauss.compute.expr.Accumulator;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.Value;
import io.gauss.compute.type.ValueOrder;

/** mode: the most frequent value, or the first of several in order. */
final class ModeAccumulator extends Accumulator {
  private final ValueOrder order;
  private final KeptValues kept;
  private final Value last = new Value();
  private long run;
  private long longest;
  private int mode = -1;

  ModeAccumulator(PgType type) {
    order = ValueOrder.of(type);
    kept = new KeptValues(TypeCodec.of(type));
  }

  @Override
  public void add(EvalContext ctx, Value[] arguments) {
    if (kept.size() > 0) {
      kept.get(kept.size() - 1, last);
    }
    if (kept.size() > 0 && order.equal(last, arguments[0])) {
      run++;
    } else {
      kept.add(arguments[0]);
      run = 1;
    }
    if (run > longest) {
      longest = run;
      mode = kept.size() - 1;
    }
  }

  @Override
  public void merge(EvalContext ctx, Accumulator other) {
    throw new IllegalStateException("values that come in order are not taken in in parts");
  }

  @Override
  public void result(EvalContext ctx, Value out) {
    if (mode < 0) {
      out.setNull();
    } else {
      kept.get(mode, out);
    }
  }

  @Override
  public void reset() {
    kept.clear();
    run = 0;
    longest = 0;
    mode = -1;
  }

  @Override
  public int memorySize() {
    return 64 + kept.bytes();
  }
}
