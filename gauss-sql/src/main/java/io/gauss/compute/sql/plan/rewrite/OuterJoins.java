package io.gauss.compute.sql.plan.rewrite;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.sql.algebra.PgCast;
import io.gauss.compute.sql.algebra.PgFunction;
import io.gauss.compute.sql.algebra.PgLockRows;
import io.gauss.compute.sql.algebra.PgOperator;
import io.gauss.compute.sql.algebra.PgRex;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * Turns outer joins into inner ones (or full ones into one-sided ones) when a condition above
 * removes the rows that were added for missing partners, because it cannot be true for their NULLs.
 * Stateless.
 */
final class OuterJoins {
  private OuterJoins() {}

  static RelNode simplified(RelNode rel) {
    return simplified(rel, ImmutableBitSet.of());
  }

  /**
   * @param rejected fields for which a row with NULL does not matter above
   */
  private static RelNode simplified(RelNode rel, ImmutableBitSet rejected) {
    if (rel instanceof Filter filter) {
      RelNode input =
          simplified(filter.getInput(), rejected.union(rejecting(filter.getCondition())));
      return input == filter.getInput()
          ? filter
          : filter.copy(filter.getTraitSet(), input, filter.getCondition());
    }
    if (rel instanceof Join join) {
      return join(join, rejected);
    }
    List<RelNode> inputs = new ArrayList<>();
    boolean changed = false;
    for (RelNode input : rel.getInputs()) {
      RelNode simple = simplified(input, ImmutableBitSet.of());
      changed |= simple != input;
      inputs.add(simple);
    }
    if (rel instanceof PgLockRows lock) {
      RelNode from = inputs.getFirst();
      while (from instanceof Sort || from instanceof Project) {
        from = from.getInput(0); // adds keys to sort by, behind the FROM row
      }
      refuseNullable(lock, from, 0);
    }
    return changed ? rel.copy(rel.getTraitSet(), inputs) : rel;
  }

  /**
   * Refuses locks on rows that may be missing.
   *
   * @param part of the FROM clause
   * @param base where its fields begin
   */
  private static void refuseNullable(PgLockRows lock, RelNode part, int base) {
    switch (part) {
      case Join join -> {
        int middle = base + join.getLeft().getRowType().getFieldCount();
        refuse(lock, join.getJoinType().generatesNullsOnLeft(), base, middle);
        refuse(
            lock,
            join.getJoinType().generatesNullsOnRight(),
            middle,
            base + join.getRowType().getFieldCount());
        refuseNullable(lock, join.getLeft(), base);
        refuseNullable(lock, join.getRight(), middle);
      }
      case Correlate lateral -> {
        int middle = base + lateral.getLeft().getRowType().getFieldCount();
        refuse(
            lock,
            lateral.getJoinType().generatesNullsOnRight(),
            middle,
            base + lateral.getRowType().getFieldCount());
        refuseNullable(lock, lateral.getLeft(), base);
      }
      case Filter filter -> refuseNullable(lock, filter.getInput(), base);
      default -> {} // a table, or a sub-query, whose rows are not locked
    }
  }

  private static void refuse(PgLockRows lock, boolean mayBeMissing, int from, int to) {
    for (PgLockRows.Mark mark : lock.marks()) {
      if (mayBeMissing && mark.base() >= from && mark.base() < to) {
        throw new GaussException(
            SqlState.FEATURE_NOT_SUPPORTED,
            mark.clause() + " cannot be applied to the nullable side of an outer join");
      }
    }
  }

  private static RelNode join(Join join, ImmutableBitSet rejected) {
    int left = join.getLeft().getRowType().getFieldCount();
    int all = left + join.getRight().getRowType().getFieldCount();
    ImmutableBitSet rejectedLeft = rejected.intersect(ImmutableBitSet.range(left));
    ImmutableBitSet rejectedRight = rejected.intersect(ImmutableBitSet.range(left, all));
    boolean leftMatters = rejectedLeft.isEmpty();
    boolean rightMatters = rejectedRight.isEmpty();
    JoinRelType type =
        switch (join.getJoinType()) {
          case LEFT -> rightMatters ? JoinRelType.LEFT : JoinRelType.INNER;
          case RIGHT -> leftMatters ? JoinRelType.RIGHT : JoinRelType.INNER;
          case FULL -> {
            if (leftMatters) {
              yield rightMatters ? JoinRelType.FULL : JoinRelType.RIGHT;
            }
            yield rightMatters ? JoinRelType.LEFT : JoinRelType.INNER;
          }
          default -> join.getJoinType();
        };
    ImmutableBitSet own = rejecting(join.getCondition());
    if (type == JoinRelType.INNER || type == JoinRelType.RIGHT || type == JoinRelType.SEMI) {
      rejectedLeft = rejectedLeft.union(own.intersect(ImmutableBitSet.range(left)));
    }
    if (type != JoinRelType.RIGHT && type != JoinRelType.FULL && type != JoinRelType.ANTI) {
      rejectedRight = rejectedRight.union(own.intersect(ImmutableBitSet.range(left, all)));
    }
    RelNode newLeft =
        simplified(join.getLeft(), type == JoinRelType.FULL ? ImmutableBitSet.of() : rejectedLeft);
    RelNode newRight =
        simplified(
            join.getRight(),
            type == JoinRelType.FULL ? ImmutableBitSet.of() : rejectedRight.shift(-left));
    if (type == join.getJoinType() && newLeft == join.getLeft() && newRight == join.getRight()) {
      return join;
    }
    return LogicalJoin.create(newLeft, newRight, List.of(), join.getCondition(), Set.of(), type);
  }

  /** Fields whose NULL keeps a condition from being true. */
  private static ImmutableBitSet rejecting(RexNode condition) {
    ImmutableBitSet fields = ImmutableBitSet.of();
    for (RexNode conjunct : PgRex.conjuncts(condition)) {
      if (conjunct instanceof RexInputRef ref) {
        fields = fields.set(ref.getIndex());
      } else if (conjunct instanceof RexCall call) {
        fields =
            switch (call.getKind()) {
              case EQUALS,
                  NOT_EQUALS,
                  LESS_THAN,
                  LESS_THAN_OR_EQUAL,
                  GREATER_THAN,
                  GREATER_THAN_OR_EQUAL,
                  IS_NOT_NULL,
                  IS_TRUE,
                  NOT ->
                  fields.union(strict(call.operands));
              default -> {
                if (call.op == PgOperator.IN_LIST) {
                  yield fields.union(strict(call.operands.subList(0, 1)));
                }
                yield fields.union(strict(List.of(call)));
              }
            };
      }
    }
    return fields;
  }

  /** Fields whose NULL makes one of the expressions NULL. */
  private static ImmutableBitSet strict(List<RexNode> expressions) {
    ImmutableBitSet fields = ImmutableBitSet.of();
    for (RexNode expression : expressions) {
      if (expression instanceof RexInputRef ref) {
        fields = fields.set(ref.getIndex());
      } else if (expression instanceof RexCall call) {
        boolean strict =
            call.op instanceof PgCast
                || (call.op instanceof PgFunction function && function.function().strict());
        switch (call.getKind()) {
          case EQUALS,
              NOT_EQUALS,
              LESS_THAN,
              LESS_THAN_OR_EQUAL,
              GREATER_THAN,
              GREATER_THAN_OR_EQUAL,
              NOT ->
              strict = true;
          default -> {}
        }
        if (strict) {
          fields = fields.union(strict(call.operands));
        }
      }
    }
    return fields;
  }
}
