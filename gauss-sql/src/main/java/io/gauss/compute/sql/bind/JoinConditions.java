package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.compute.sql.algebra.PgLockRows;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.algebra.SubQueries;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlJoin;

/**
 * Joins with ON, which sees the two sides of its join and the outer levels of the query. A
 * condition with sub-queries becomes a filter: over the joined rows of an inner join; over the
 * right side of a left join, for each left row. One FROM clause.
 */
final class JoinConditions {
  private final BindContext context;
  private final ExprBinder expressions;
  private final Scope from;

  JoinConditions(BindContext context, ExprBinder expressions, Scope from) {
    this.context = context;
    this.expressions = expressions;
    this.from = from;
  }

  /**
   * The two sides of a join.
   *
   * @param base where the left side begins in the FROM row
   */
  record Sides(
      RelNode left,
      List<Relation> leftEntries,
      RelNode right,
      List<Relation> rightEntries,
      int base) {
    int middle() {
      return base + left.getRowType().getFieldCount();
    }
  }

  /**
   * @param lateral the context with which the right side was bound
   */
  RelNode join(SqlJoin join, JoinRelType type, Sides sides, Scope lateral) {
    Scope both = scope(from.parent);
    for (List<Relation> entries : List.of(sides.leftEntries(), sides.rightEntries())) {
      entries.forEach(entry -> both.relations.add(entry.shifted(-sides.base())));
    }
    both.close(
        LogicalJoin.create(
                sides.left(), sides.right(), List.of(), PgRex.TRUE, Set.of(), JoinRelType.INNER)
            .getRowType());
    RexNode condition = condition(join, both);
    if (!SubQueries.isIn(condition)) {
      return joined(sides, condition, type, lateral);
    }
    return switch (type) {
      case INNER -> filtered(sides, condition, lateral);
      case LEFT -> filteredRight(join, sides, lateral);
      default ->
          throw GaussException.notSupported("a sub-query in the condition of a " + type + " join");
    };
  }

  private Scope scope(Scope parent) {
    Scope scope = new Scope(parent, context.cluster);
    scope.ctes.putAll(from.ctes);
    return scope;
  }

  private RexNode condition(SqlJoin join, Scope scope) {
    return expressions.condition(join.getCondition(), ExprContext.of(scope, "JOIN/ON"));
  }

  private static RelNode joined(Sides sides, RexNode condition, JoinRelType type, Scope lateral) {
    return lateral.correlation() != null
        ? Lateral.join(sides.left(), sides.right(), condition, type, lateral)
        : LogicalJoin.create(sides.left(), sides.right(), List.of(), condition, Set.of(), type);
  }

  /** Only conditions with sub-queries have to wait until the rows are joined. */
  private static RelNode filtered(Sides sides, RexNode condition, Scope lateral) {
    List<RexNode> plain = new ArrayList<>();
    List<RexNode> rest = new ArrayList<>();
    for (RexNode conjunct : RelOptUtil.conjunctions(condition)) {
      (SubQueries.isIn(conjunct) ? rest : plain).add(conjunct);
    }
    RelNode rel = joined(sides, PgRex.and(plain), JoinRelType.INNER, lateral);
    return filter(rel, PgRex.and(rest));
  }

  private RelNode filteredRight(SqlJoin join, Sides sides, Scope lateral) {
    Scope inner = scope(lateral);
    sides.rightEntries().forEach(entry -> inner.relations.add(entry.shifted(-sides.middle())));
    inner.close(sides.right().getRowType());
    RelNode right = filter(sides.right(), condition(join, inner));
    Sides filtered =
        new Sides(sides.left(), sides.leftEntries(), right, sides.rightEntries(), sides.base());
    return joined(filtered, PgRex.TRUE, JoinRelType.LEFT, lateral);
  }

  /**
   * The conditions that each row of a FROM clause with its WHERE fulfils, and apart from them those
   * of the sides that may be missing: where one of these does not hold, that side is. Inside such a
   * side only rows that are locked can change, which WHERE keeps from being missing.
   *
   * @param marks the locks
   * @param outerJoins gets the latter, inner ones first
   * @param conditions gets the others, over the whole row
   */
  static void ofEveryRow(
      RelNode from,
      List<PgLockRows.Mark> marks,
      List<PgLockRows.OuterJoin> outerJoins,
      List<RexNode> conditions) {
    new Side(marks, outerJoins, conditions, 0, 0).collect(from, 0);
  }

  /**
   * A side of an outer join that may be missing, or the whole FROM clause.
   *
   * @param end behind its last field; 0 = the whole clause
   */
  private record Side(
      List<PgLockRows.Mark> marks,
      List<PgLockRows.OuterJoin> outerJoins,
      List<RexNode> conditions,
      int start,
      int end) {

    /**
     * @param base where the fields of this part of the side begin
     */
    void collect(RelNode part, int base) {
      switch (part) {
        case LogicalFilter filter -> {
          collect(filter.getInput(), base);
          add(PgRex.shift(filter.getCondition(), base));
        }
        // The other side sees the left one by itself.
        case Correlate lateral -> collect(lateral.getLeft(), base);
        case LogicalJoin join -> {
          int middle = base + join.getLeft().getRowType().getFieldCount();
          int behind = base + join.getRowType().getFieldCount();
          RexNode condition = PgRex.shift(join.getCondition(), base);
          JoinRelType type = join.getJoinType();
          if (type == JoinRelType.FULL) {
            if (!isLocked(base, behind)) {
              return; // nothing in it changes
            }
            // WHERE has made it one of the others, since rows of it are locked.
            type = isLocked(base, middle) ? JoinRelType.LEFT : JoinRelType.RIGHT;
          }
          switch (type) {
            case LEFT -> {
              collect(join.getLeft(), base);
              optional(join.getRight(), middle, behind, condition);
            }
            case RIGHT -> {
              collect(join.getRight(), middle);
              optional(join.getLeft(), base, middle, condition);
            }
            default -> {
              collect(join.getLeft(), base);
              collect(join.getRight(), middle);
              add(condition);
            }
          }
        }
        default -> {}
      }
    }

    private void optional(RelNode side, int from, int to, RexNode condition) {
      if (isLocked(from, to)) {
        new Side(marks, outerJoins, conditions, from, to).collect(side, from);
      }
      outerJoins.add(new PgLockRows.OuterJoin(condition, from, to));
    }

    private boolean isLocked(int from, int to) {
      return marks.stream().anyMatch(mark -> mark.base() >= from && mark.base() < to);
    }

    private void add(RexNode condition) {
      if (end == 0) {
        conditions.add(condition);
        return;
      }
      List<RexNode> plain = new ArrayList<>();
      for (RexNode conjunct : PgRex.conjuncts(condition)) {
        if (!SubQueries.isIn(conjunct)) { // the others cannot be evaluated on a row alone
          plain.add(conjunct);
        }
      }
      outerJoins.add(new PgLockRows.OuterJoin(PgRex.and(plain), start, end));
    }
  }

  private static RelNode filter(RelNode rel, RexNode condition) {
    return LogicalFilter.create(rel, RexUtil.flatten(rel.getCluster().getRexBuilder(), condition));
  }
}
