package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.algebra.PgWindow;
import io.gauss.compute.sql.algebra.SubQueries;
import io.gauss.compute.sql.algebra.WindowReference;
import io.gauss.compute.sql.bind.set.SelectSets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/**
 * Puts the window functions of a select list on top of its input: a projection with everything that
 * they read, then one {@link PgWindow} for each partitioning and order. One query level.
 */
final class SelectWindows {
  private final List<RexNode> columns = new ArrayList<>();
  private final Map<Key, List<RexCall>> groups = new LinkedHashMap<>();
  private final Map<RexCall, Integer> results = new LinkedHashMap<>();
  private RelNode rel;

  /** The partitioning and order of one {@link PgWindow}. */
  private record Key(List<Integer> partition, List<RelFieldCollation> order) {}

  private SelectWindows() {}

  RelNode rel() {
    return rel;
  }

  static boolean isIn(RexNode node) {
    boolean[] found = new boolean[1];
    node.accept(
        new RexVisitorImpl<Void>(true) {
          @Override
          public Void visitCall(RexCall call) {
            found[0] |= call.op instanceof WindowReference;
            return super.visitCall(call);
          }
        });
    return found[0];
  }

  /** Null when the expressions have no window function. */
  static SelectWindows of(RelNode input, List<RexNode> expressions) {
    if (expressions.stream().noneMatch(SelectWindows::isIn)) {
      return null;
    }
    SelectWindows windows = new SelectWindows();
    for (int i = 0; i < input.getRowType().getFieldCount(); i++) {
      windows.columns.add(PgRex.input(i, input.getRowType()));
    }
    for (RexNode expression : expressions) {
      expression.accept(
          new RexVisitorImpl<Void>(true) {
            @Override
            public Void visitCall(RexCall call) {
              if (call.op instanceof WindowReference reference) {
                windows.collect(call, reference.spec());
                return null;
              }
              return super.visitCall(call);
            }
          });
    }
    windows.build(input);
    return windows;
  }

  /** The expressions over the row with the functions' results. */
  List<RexNode> rewritten(List<RexNode> expressions) {
    List<RexNode> above = new ArrayList<>();
    for (RexNode expression : expressions) {
      above.add(
          expression.accept(
              new RexShuttle() {
                @Override
                public RexNode visitCall(RexCall call) {
                  Integer column = results.get(call);
                  return column != null
                      ? new RexInputRef(column, call.getType())
                      : super.visitCall(call);
                }
              }));
    }
    return above;
  }

  private int column(RexNode node) {
    int index = columns.indexOf(node);
    if (index < 0) {
      index = columns.size();
      columns.add(node);
    }
    return index;
  }

  private static int firstPartition(WindowReference.Spec spec) {
    return spec.arguments() + (spec.filter() ? 1 : 0);
  }

  private void collect(RexCall call, WindowReference.Spec spec) {
    if (results.containsKey(call)) {
      return;
    }
    for (RexNode operand : call.operands) {
      if (SelectSets.isIn(operand)) {
        throw GaussException.notSupported("a set-returning function in a window function");
      }
    }
    int at = firstPartition(spec);
    List<Integer> partition = new ArrayList<>();
    for (int i = 0; i < spec.partition(); i++) {
      int column = column(call.operands.get(at++));
      if (!partition.contains(column)) {
        partition.add(column);
      }
    }
    List<RelFieldCollation> order = new ArrayList<>();
    for (RelFieldCollation key : spec.order()) {
      order.add(key.withFieldIndex(column(call.operands.get(at++))));
    }
    groups.computeIfAbsent(new Key(partition, order), k -> new ArrayList<>()).add(call);
    results.put(call, -1);
  }

  private void build(RelNode input) {
    // All columns must be known before the projection is made.
    Map<RexCall, PgWindow.Call> made = new LinkedHashMap<>();
    for (List<RexCall> group : groups.values()) {
      for (RexCall call : group) {
        made.put(call, call(call, ((WindowReference) call.op).spec()));
      }
    }
    rel = LogicalProject.create(input, List.of(), columns, (List<String>) null);
    int next = columns.size();
    for (Map.Entry<Key, List<RexCall>> group : groups.entrySet()) {
      List<PgWindow.Call> calls = new ArrayList<>();
      for (RexCall call : group.getValue()) {
        calls.add(made.get(call));
        results.put(call, next++);
      }
      rel = new PgWindow(rel, group.getKey().partition(), group.getKey().order(), calls);
    }
  }

  private PgWindow.Call call(RexCall call, WindowReference.Spec spec) {
    List<Integer> arguments = new ArrayList<>();
    for (int i = 0; i < spec.arguments(); i++) {
      arguments.add(column(call.operands.get(i)));
    }
    int filter = -1;
    if (spec.filter()) {
      filter = column(PgRex.bool(SqlStdOperatorTable.IS_TRUE, call.operands.get(spec.arguments())));
    }
    int firstOffset = firstPartition(spec) + spec.partition() + spec.order().size();
    List<RexNode> offsets = call.operands.subList(firstOffset, call.operands.size());
    for (RexNode offset : offsets) {
      if (SubQueries.isIn(offset)) {
        throw GaussException.notSupported("a sub-query in a frame offset");
      }
      offset.accept(
          new RexVisitorImpl<Void>(true) {
            @Override
            public Void visitInputRef(RexInputRef ref) {
              throw new GaussException(
                  SqlState.INVALID_COLUMN_REFERENCE,
                  "argument of " + spec.mode() + " must not contain variables");
            }
          });
    }
    return new PgWindow.Call(spec, call.getType(), arguments, filter, offsets);
  }
}
