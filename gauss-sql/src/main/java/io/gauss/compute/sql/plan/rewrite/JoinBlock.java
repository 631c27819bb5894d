package io.gauss.compute.sql.plan.rewrite;

import io.gauss.compute.sql.algebra.Fields;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.algebra.PlanningWatch;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * A tree of inner joins, filters and projections taken apart: leaves whose fields form one row,
 * conditions over all of them, and the tree's output as expressions over them. This leaves the
 * order of the joins open. Sets of leaves are bit masks of 64 bits: of a tree with more leaves only
 * the uppermost join is taken apart, whose inputs are blocks of their own.
 */
public final class JoinBlock {
  private static final int LEAVES_MAX = 62;

  private final List<Leaf> leaves = new ArrayList<>();

  private final List<RexNode> conditions = new ArrayList<>();

  private List<RexNode> outputs;
  private int fields;

  /**
   * @param base position of the leaf's first field among all
   */
  public record Leaf(RelNode rel, int base) {
    public int width() {
      return rel.getRowType().getFieldCount();
    }

    public boolean owns(int field) {
      return field >= base && field < base + width();
    }
  }

  public static JoinBlock of(RelNode rel) {
    JoinBlock block = new JoinBlock();
    block.outputs = block.collect(rel);
    block.addImpliedConditions(PlanningWatch.of(rel));
    return block;
  }

  public List<Leaf> leaves() {
    return leaves;
  }

  /** Over the fields of all leaves; all must be true. */
  public List<RexNode> conditions() {
    return conditions;
  }

  /** By field of the tree's root. */
  public List<RexNode> outputs() {
    return outputs;
  }

  public int fields() {
    return fields;
  }

  private List<RexNode> collect(RelNode rel) {
    switch (rel) {
      case Filter filter -> {
        List<RexNode> inputs = collect(filter.getInput());
        for (RexNode conjunct : PgRex.conjuncts(filter.getCondition())) {
          conditions.add(Fields.substitute(conjunct, inputs));
        }
        return inputs;
      }
      case Project project -> {
        if (movable(project)) {
          List<RexNode> inputs = collect(project.getInput());
          List<RexNode> result = new ArrayList<>();
          for (RexNode expression : project.getProjects()) {
            result.add(Fields.substitute(expression, inputs));
          }
          return result;
        }
      }
      case Join join -> {
        if (join.getJoinType() == JoinRelType.INNER) {
          boolean tooMany = countLeaves(join) > LEAVES_MAX;
          List<RexNode> result =
              new ArrayList<>(tooMany ? leaf(join.getLeft()) : collect(join.getLeft()));
          result.addAll(tooMany ? leaf(join.getRight()) : collect(join.getRight()));
          for (RexNode conjunct : PgRex.conjuncts(join.getCondition())) {
            conditions.add(Fields.substitute(conjunct, result));
          }
          return result;
        }
      }
      default -> {}
    }
    return leaf(rel);
  }

  /** As many leaves as {@link #collect} finds. */
  private static int countLeaves(RelNode rel) {
    return switch (rel) {
      case Filter filter -> countLeaves(filter.getInput());
      case Project project when movable(project) -> countLeaves(project.getInput());
      case Join join when join.getJoinType() == JoinRelType.INNER ->
          countLeaves(join.getLeft()) + countLeaves(join.getRight());
      default -> 1;
    };
  }

  private List<RexNode> leaf(RelNode rel) {
    List<RexNode> result = new ArrayList<>();
    int width = rel.getRowType().getFieldCount();
    for (int i = 0; i < width; i++) {
      result.add(new RexInputRef(fields + i, rel.getRowType().getFieldList().get(i).getType()));
    }
    leaves.add(new Leaf(rel, fields));
    fields += width;
    return result;
  }

  private static boolean movable(Project project) {
    for (RexNode expression : project.getProjects()) {
      if (!RexUtil.isDeterministic(expression)) {
        return false;
      }
    }
    return true;
  }

  /** Adds {@code b = v} where {@code a = b} and {@code a = v} are known and v depends on no row. */
  private void addImpliedConditions(PlanningWatch watch) {
    if (leaves.size() < 2) {
      return;
    }
    Set<RexNode> known = new HashSet<>(conditions);
    boolean more = true;
    while (more) {
      more = false;
      for (RexNode equality : List.copyOf(conditions)) {
        RexNode[] sides = columnEquality(equality);
        if (sides == null) {
          continue;
        }
        for (RexNode other : List.copyOf(conditions)) {
          watch.checkCancel();
          if (!other.isA(SqlKind.EQUALS) || other == equality) {
            continue;
          }
          List<RexNode> operands = ((org.apache.calcite.rex.RexCall) other).operands;
          more |= imply(known, sides[0], sides[1], operands);
          more |= imply(known, sides[1], sides[0], operands);
        }
      }
    }
  }

  /**
   * @param known all conditions, to find whether there is one already
   */
  private boolean imply(Set<RexNode> known, RexNode column, RexNode other, List<RexNode> operands) {
    RexNode left = operands.get(0);
    RexNode right = operands.get(1);
    RexNode value = left.equals(column) ? right : right.equals(column) ? left : null;
    if (value == null || !Fields.of(value).isEmpty()) {
      return false;
    }
    RexNode implied =
        PgRex.bool(org.apache.calcite.sql.fun.SqlStdOperatorTable.EQUALS, other, value);
    if (!known.add(implied)) {
      return false;
    }
    conditions.add(implied);
    return true;
  }

  private static RexNode[] columnEquality(RexNode condition) {
    if (!condition.isA(SqlKind.EQUALS)) {
      return null;
    }
    List<RexNode> operands = ((org.apache.calcite.rex.RexCall) condition).operands;
    boolean columns =
        operands.get(0) instanceof RexInputRef
            && operands.get(1) instanceof RexInputRef
            && PgRex.type(operands.get(0)).sameType(PgRex.type(operands.get(1)));
    return columns ? new RexNode[] {operands.get(0), operands.get(1)} : null;
  }

  /** Leaves that an expression refers to, as a bit mask. */
  public long leavesOf(RexNode node) {
    long mask = 0;
    for (int field : Fields.of(node)) {
      mask |= 1L << leafOf(field);
    }
    return mask;
  }

  private int leafOf(int field) {
    for (int i = 0; i < leaves.size(); i++) {
      if (leaves.get(i).owns(field)) {
        return i;
      }
    }
    throw new IllegalStateException("field " + field);
  }

  /** Fields that the requested outputs need. */
  public ImmutableBitSet needed(ImmutableBitSet outputFields) {
    ImmutableBitSet needed = ImmutableBitSet.of();
    for (int output : outputFields) {
      needed = needed.union(Fields.of(outputs.get(output)));
    }
    return needed;
  }

  /** For each output its field, -1 when it is computed. */
  public int[] outputFields() {
    int[] result = new int[outputs.size()];
    for (int i = 0; i < result.length; i++) {
      result[i] = outputs.get(i) instanceof RexInputRef ref ? ref.getIndex() : -1;
    }
    return result;
  }
}
