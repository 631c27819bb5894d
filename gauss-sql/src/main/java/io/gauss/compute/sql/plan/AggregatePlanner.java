package io.gauss.compute.sql.plan;

import io.gauss.compute.expr.call.ResolvedAggregate;
import io.gauss.compute.sql.algebra.PgAggregate;
import io.gauss.compute.sql.algebra.PgConstant;
import io.gauss.compute.sql.exec.node.AggregateCall;
import io.gauss.compute.sql.exec.node.AggregateNode;
import io.gauss.compute.sql.exec.node.LimitNode;
import io.gauss.compute.sql.exec.node.PlanNode;
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
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.util.ImmutableBitSet;

/** Plans grouping and aggregates. One planning, one thread. */
final class AggregatePlanner {
  private final Planning planning;
  private final PhysicalPlanner physical;

  AggregatePlanner(Planning planning, PhysicalPlanner physical) {
    this.planning = planning;
    this.physical = physical;
  }

  Planned plan(Aggregate aggregate, ImmutableBitSet needed) {
    ImmutableBitSet groups = aggregate.getGroupSet();
    ImmutableBitSet inputNeeded = groups;
    List<org.apache.calcite.rel.core.AggregateCall> calls = new ArrayList<>();
    int groupCount = groups.cardinality();
    int[] positions = new int[groupCount + aggregate.getAggCallList().size()];
    Arrays.fill(positions, -1);
    for (int i = 0; i < aggregate.getAggCallList().size(); i++) {
      if (!needed.get(groupCount + i)) {
        continue;
      }
      org.apache.calcite.rel.core.AggregateCall call = aggregate.getAggCallList().get(i);
      positions[groupCount + i] = groupCount + calls.size();
      calls.add(call);
      for (int argument : call.getArgList()) {
        inputNeeded = inputNeeded.set(argument);
      }
      if (call.filterArg >= 0) {
        inputNeeded = inputNeeded.set(call.filterArg);
      }
      for (RelFieldCollation key : call.getCollation().getFieldCollations()) {
        inputNeeded = inputNeeded.set(key.getFieldIndex());
      }
    }
    Planned input = firstRow(aggregate, calls, inputNeeded);
    if (input == null) {
      input = physical.plan(aggregate.getInput(), inputNeeded, Wanted.NOTHING);
    }
    int[] groupColumns = new int[groupCount];
    int at = 0;
    int[] newFields = new int[input.columns().fields()];
    Arrays.fill(newFields, -1);
    for (int field : groups) {
      groupColumns[at] = input.columns().position(field);
      positions[at] = at;
      newFields[field] = at++;
    }
    AggregateCall[] nodeCalls = new AggregateCall[calls.size()];
    for (int i = 0; i < nodeCalls.length; i++) {
      nodeCalls[i] = call(calls.get(i), input.columns());
    }
    boolean sorted = groupCount > 0 && input.ordering().groups(groups);
    PlanNode node = new AggregateNode(input.node(), groupColumns, nodeCalls, sorted);
    Estimate before = input.estimate();
    double rows = groupCount == 0 ? 1 : Math.max(1, before.rows() / (groupCount == 1 ? 10 : 3));
    double total =
        before.total() + before.rows() * (CostModel.ROW + calls.size() * CostModel.OPERATOR);
    Estimate estimate =
        new Estimate(sorted ? before.startup() : total, total, rows, CostModel.width(node.types()));
    planning.note(node, estimate);
    return new Planned(
        node,
        ColumnMap.of(positions),
        estimate,
        sorted ? input.ordering().mapped(newFields) : Ordering.NONE);
  }

  private AggregateCall call(org.apache.calcite.rel.core.AggregateCall call, ColumnMap columns) {
    ResolvedAggregate function = ((PgAggregate) call.getAggregation()).function();
    int[] arguments = call.getArgList().stream().mapToInt(columns::position).toArray();
    int filter = call.filterArg < 0 ? -1 : columns.position(call.filterArg);
    List<SortKey> order = new ArrayList<>();
    for (RelFieldCollation key : call.getCollation().getFieldCollations()) {
      Ordering.Key k = Ordering.Key.of(key);
      order.add(new SortKey(columns.position(k.field()), k.descending(), k.nullsFirst()));
    }
    return new AggregateCall(
        function, arguments, call.isDistinct(), filter, order.toArray(SortKey[]::new));
  }

  /**
   * {@code min(c)} and {@code max(c)} alone need only the first row in the order of c, when an
   * index gives that order: the input is limited to it. Null when no order comes without a sort.
   */
  private Planned firstRow(
      Aggregate aggregate,
      List<org.apache.calcite.rel.core.AggregateCall> calls,
      ImmutableBitSet inputNeeded) {
    if (!aggregate.getGroupSet().isEmpty() || calls.size() != 1) {
      return null;
    }
    org.apache.calcite.rel.core.AggregateCall call = calls.getFirst();
    String name = call.getAggregation() instanceof PgAggregate pg ? pg.sqlName() : "";
    boolean max = name.equals("max");
    if ((!max && !name.equals("min")) || call.filterArg >= 0) {
      return null;
    }
    int field = call.getArgList().getFirst();
    // NULLs last in either direction: then the first row decides, NULL or not.
    List<Ordering.Key> order = List.of(new Ordering.Key(field, max, false));
    Planned input = physical.plan(aggregate.getInput(), inputNeeded, new Wanted(order, 1));
    if (!input.ordering().satisfies(order) || input.ordering().constants().get(field)) {
      return null;
    }
    PlanNode node =
        new LimitNode(
            input.node(), planning.compiler.compile(PgConstant.ofLong(PgType.INT8, 1), null), null);
    Estimate before = input.estimate();
    Estimate estimate =
        new Estimate(
            before.startup(),
            before.startup() + (before.total() - before.startup()) / Math.max(1, before.rows()),
            1,
            before.width());
    planning.note(node, estimate);
    return input.with(node, estimate);
  }
}
