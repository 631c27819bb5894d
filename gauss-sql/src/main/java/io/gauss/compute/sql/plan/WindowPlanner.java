package io.gauss.compute.sql.plan;

import io.gauss.compute.expr.ColumnExpr;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.sql.algebra.PgFunction;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.algebra.PgWindow;
import io.gauss.compute.sql.exec.node.PlanNode;
import io.gauss.compute.sql.exec.node.WindowFrame;
import io.gauss.compute.sql.exec.node.WindowNode;
import io.gauss.compute.sql.exec.row.SortKey;
import io.gauss.compute.sql.plan.cost.CostModel;
import io.gauss.compute.sql.plan.cost.Estimate;
import io.gauss.compute.sql.plan.cost.Ordering;
import io.gauss.compute.sql.plan.cost.Wanted;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.util.ImmutableBitSet;

/** Plans window functions: sorts the input where its order is not the window's. */
final class WindowPlanner {
  private final Planning planning;
  private final PhysicalPlanner physical;

  WindowPlanner(Planning planning, PhysicalPlanner physical) {
    this.planning = planning;
    this.physical = physical;
  }

  Planned plan(PgWindow window, ImmutableBitSet needed) {
    int width = window.getInput().getRowType().getFieldCount();
    List<Ordering.Key> keys = new ArrayList<>();
    for (int field : window.partition()) {
      keys.add(new Ordering.Key(field, false, false));
    }
    for (RelFieldCollation key : window.order()) {
      if (!window.partition().contains(key.getFieldIndex())) {
        keys.add(Ordering.Key.of(key));
      }
    }
    ImmutableBitSet inputNeeded = needed.intersect(ImmutableBitSet.range(width));
    for (Ordering.Key key : keys) {
      inputNeeded = inputNeeded.set(key.field());
    }
    for (PgWindow.Call call : window.calls()) {
      inputNeeded = inputNeeded.union(ImmutableBitSet.of(call.arguments()));
      if (call.filter() >= 0) {
        inputNeeded = inputNeeded.set(call.filter());
      }
    }
    Planned input =
        physical.plan(
            window.getInput(),
            inputNeeded,
            keys.isEmpty() ? Wanted.NOTHING : new Wanted(keys, Double.POSITIVE_INFINITY));
    if (!keys.isEmpty() && !input.ordering().satisfies(keys)) {
      input = physical.sorted(input, keys, null, null);
    }
    ColumnMap columns = input.columns();
    int[] partition = window.partition().stream().mapToInt(columns::position).toArray();
    List<SortKey> order = new ArrayList<>();
    for (RelFieldCollation key : window.order()) {
      Ordering.Key k = Ordering.Key.of(key);
      order.add(new SortKey(columns.position(k.field()), k.descending(), k.nullsFirst()));
    }
    PgType[] before = input.node().types();
    PgType[] types = Arrays.copyOf(before, before.length + window.calls().size());
    WindowNode.Call[] calls = new WindowNode.Call[window.calls().size()];
    int[] positions = new int[width + calls.length];
    for (int i = 0; i < width; i++) {
      positions[i] = columns.positionOrNone(i);
    }
    for (int i = 0; i < calls.length; i++) {
      PgWindow.Call call = window.calls().get(i);
      calls[i] = call(call, columns, order.isEmpty() ? null : before[order.getFirst().column()]);
      types[before.length + i] = PgRex.type(PgRex.input(width + i, window.getRowType()));
      positions[width + i] = before.length + i;
    }
    PlanNode node =
        new WindowNode(input.node(), partition, order.toArray(SortKey[]::new), calls, types);
    Estimate estimate =
        new Estimate(
            input.estimate().startup(),
            input.estimate().total()
                + input.estimate().rows() * (CostModel.ROW + calls.length * CostModel.OPERATOR),
            input.estimate().rows(),
            CostModel.width(types));
    planning.note(node, estimate);
    int[] same = new int[width];
    Arrays.setAll(same, i -> i);
    return new Planned(node, ColumnMap.of(positions), estimate, input.ordering().mapped(same));
  }

  private WindowNode.Call call(PgWindow.Call call, ColumnMap columns, PgType keyType) {
    int at = 0;
    Expr start = call.start().hasOffset() ? offset(call, at++) : null;
    Expr end = call.end().hasOffset() ? offset(call, at) : null;
    Expr any = start != null ? start : end;
    WindowFrame frame =
        new WindowFrame(
            call.mode(),
            call.start(),
            call.end(),
            start,
            end,
            step(call.minus(), keyType, any),
            step(call.plus(), keyType, any));
    return new WindowNode.Call(
        call.function(),
        call.aggregate() == null ? null : call.aggregate().function(),
        call.arguments().stream().mapToInt(columns::position).toArray(),
        call.filter() < 0 ? -1 : columns.position(call.filter()),
        frame);
  }

  private Expr offset(PgWindow.Call call, int which) {
    return planning.compiler.compile(call.offsets().get(which), null);
  }

  private static Expr step(PgFunction operator, PgType keyType, Expr offset) {
    if (operator == null) {
      return null;
    }
    Expr[] operands = {new ColumnExpr(0, keyType), new ColumnExpr(1, offset.type())};
    return operator.function().factory().create(operator.function(), operands);
  }
}
