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
   * of outer joins, which have rows that do not. What is inside the side that may be missing is
   * left out: it is not locked, so it does not change.
   *
   * @param base where the fields of the part of the clause begin
   * @param outerJoins gets the outer joins, inner ones first
   * @param conditions gets the others, over the whole row
   */
  static void ofEveryRow(
      RelNode part, int base, List<PgLockRows.OuterJoin> outerJoins, List<RexNode> conditions) {
    switch (part) {
      case LogicalFilter filter -> {
        conditions.add(PgRex.shift(filter.getCondition(), base));
        ofEveryRow(filter.getInput(), base, outerJoins, conditions);
      }
      // The other side sees the left one by itself.
      case Correlate lateral -> ofEveryRow(lateral.getLeft(), base, outerJoins, conditions);
      case LogicalJoin join -> {
        JoinRelType type = join.getJoinType();
        int middle = base + join.getLeft().getRowType().getFieldCount();
        int end = base + join.getRowType().getFieldCount();
        if (!type.generatesNullsOnLeft()) {
          ofEveryRow(join.getLeft(), base, outerJoins, conditions);
        }
        if (!type.generatesNullsOnRight()) {
          ofEveryRow(join.getRight(), middle, outerJoins, conditions);
        }
        RexNode condition = PgRex.shift(join.getCondition(), base);
        switch (type) {
          case INNER -> conditions.add(condition);
          case LEFT -> outerJoins.add(new PgLockRows.OuterJoin(condition, middle, end));
          case RIGHT -> outerJoins.add(new PgLockRows.OuterJoin(condition, base, middle));
          default -> {} // nothing below a full join is locked
        }
      }
      default -> {}
    }
  }

  private static RelNode filter(RelNode rel, RexNode condition) {
    return LogicalFilter.create(rel, RexUtil.flatten(rel.getCluster().getRexBuilder(), condition));
  }
}
