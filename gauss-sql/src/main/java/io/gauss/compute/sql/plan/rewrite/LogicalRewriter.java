package io.gauss.compute.sql.plan.rewrite;

import io.gauss.compute.sql.algebra.PgLockRows;
import io.gauss.compute.sql.algebra.PlanningWatch;
import java.util.List;
import org.apache.calcite.plan.Contexts;
import org.apache.calcite.plan.RelOptRule;
import org.apache.calcite.plan.hep.HepMatchOrder;
import org.apache.calcite.plan.hep.HepPlanner;
import org.apache.calcite.plan.hep.HepProgram;
import org.apache.calcite.plan.hep.HepProgramBuilder;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.SetOp;
import org.apache.calcite.rel.rules.FilterAggregateTransposeRule;
import org.apache.calcite.rel.rules.FilterCorrelateRule;
import org.apache.calcite.rel.rules.FilterJoinRule;
import org.apache.calcite.rel.rules.FilterMergeRule;
import org.apache.calcite.rel.rules.FilterProjectTransposeRule;
import org.apache.calcite.rel.rules.FilterSetOpTransposeRule;
import org.apache.calcite.rel.rules.UnionMergeRule;
import org.apache.calcite.tools.RelBuilder;
import org.apache.calcite.tools.RelBuilderFactory;

/**
 * Moves conditions down through aggregations, set operations, projections, outer joins and LATERAL
 * with Calcite's rules. Blocks of inner joins are left as they are: the physical planner takes them
 * apart, so statements that consist only of these skip this step.
 *
 * <p>Calcite's simplifications of expressions are off: they treat types and constants differently
 * from PostgreSQL.
 */
public final class LogicalRewriter {
  private static final RelBuilderFactory BUILDER =
      RelBuilder.proto(
          Contexts.of(
              RelBuilder.Config.DEFAULT
                  .withSimplify(false)
                  .withSimplifyLimit(false)
                  .withSimplifyValues(false)
                  .withPushJoinCondition(false)));

  private static final List<RelOptRule> RULES =
      List.of(
          FilterMergeRule.Config.DEFAULT.withRelBuilderFactory(BUILDER).toRule(),
          FilterProjectTransposeRule.Config.DEFAULT.withRelBuilderFactory(BUILDER).toRule(),
          FilterAggregateTransposeRule.Config.DEFAULT.withRelBuilderFactory(BUILDER).toRule(),
          FilterCorrelateRule.Config.DEFAULT.withRelBuilderFactory(BUILDER).toRule(),
          FilterSetOpTransposeRule.Config.DEFAULT.withRelBuilderFactory(BUILDER).toRule(),
          FilterJoinRule.FilterIntoJoinRule.FilterIntoJoinRuleConfig.DEFAULT
              .withRelBuilderFactory(BUILDER)
              .toRule(),
          UnionMergeRule.Config.DEFAULT.withRelBuilderFactory(BUILDER).toRule());

  private static final HepProgram PROGRAM = program();

  private LogicalRewriter() {}

  private static HepProgram program() {
    HepProgramBuilder builder = HepProgram.builder();
    builder.addMatchOrder(HepMatchOrder.TOP_DOWN);
    builder.addRuleCollection(RULES);
    return builder.build();
  }

  public static RelNode rewrite(RelNode written) {
    RelNode rel = OuterJoins.simplified(written);
    if (!profits(rel, false)) {
      return rel;
    }
    PlanningWatch watch = PlanningWatch.of(rel);
    HepPlanner planner =
        new HepPlanner(PROGRAM) {
          @Override
          public void checkCancel() {
            watch.checkCancel();
          }
        };
    planner.setRoot(rel);
    return planner.findBestExp();
  }

  /** Whether there is a condition above a node through which it could be moved. */
  private static boolean profits(RelNode rel, boolean filtered) {
    boolean below = filtered || rel instanceof Filter;
    boolean barrier =
        switch (rel) {
          case Join join -> join.getJoinType() != JoinRelType.INNER;
          case Aggregate a -> true;
          case SetOp s -> true;
          case Correlate c -> true;
          // Rows are locked as the statement specifies.
          case PgLockRows lock -> false;
          default -> false;
        };
    if (barrier && filtered) {
      return true;
    }
    for (RelNode input : rel.getInputs()) {
      if (profits(input, below)) {
        return true;
      }
    }
    return false;
  }
}
