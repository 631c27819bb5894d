package io.gauss.compute.sql.algebra;

import java.util.List;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.util.ImmutableBitSet;

/** Finds and replaces the column references of expressions. */
public final class Fields {
  private Fields() {}

  /** Fields that an expression refers to. */
  public static ImmutableBitSet of(RexNode node) {
    if (node instanceof RexInputRef ref) {
      return ImmutableBitSet.of(ref.getIndex());
    }
    ImmutableBitSet.Builder fields = ImmutableBitSet.builder();
    add(node, fields);
    return fields.build();
  }

  public static ImmutableBitSet of(Iterable<? extends RexNode> nodes) {
    ImmutableBitSet.Builder fields = ImmutableBitSet.builder();
    for (RexNode node : nodes) {
      add(node, fields);
    }
    return fields.build();
  }

  private static void add(RexNode node, ImmutableBitSet.Builder fields) {
    node.accept(
        new RexVisitorImpl<Void>(true) {
          @Override
          public Void visitInputRef(RexInputRef ref) {
            fields.set(ref.getIndex());
            return null;
          }
        });
  }

  /** Replaces references by expressions. */
  public static RexNode substitute(RexNode node, List<? extends RexNode> expressions) {
    if (node instanceof RexInputRef ref) {
      return expressions.get(ref.getIndex());
    }
    if (node instanceof RexCall call && call.operands.isEmpty()) {
      return node;
    }
    return PlanningWatch.checked(
        node.accept(
            new RexShuttle() {
              @Override
              public RexNode visitInputRef(RexInputRef ref) {
                return expressions.get(ref.getIndex());
              }
            }));
  }

  /** Renumbers references. */
  public static RexNode mapped(RexNode node, int[] newFields) {
    return node.accept(
        new RexShuttle() {
          @Override
          public RexNode visitInputRef(RexInputRef ref) {
            int field = newFields[ref.getIndex()];
            if (field < 0) {
              throw new IllegalStateException("field " + ref.getIndex() + " is gone");
            }
            return field == ref.getIndex() ? ref : new RexInputRef(field, ref.getType());
          }
        });
  }
}
