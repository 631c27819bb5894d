package io.gauss.compute.sql.plan;

import io.gauss.compute.catalog.CatalogView;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.sql.algebra.CommonTable;
import io.gauss.compute.sql.algebra.PlanningWatch;
import io.gauss.compute.sql.exec.node.PlanNode;
import io.gauss.compute.sql.exec.node.SpoolNode;
import io.gauss.compute.sql.plan.cost.AccessPaths;
import io.gauss.compute.sql.plan.cost.CostModel;
import io.gauss.compute.sql.plan.cost.Estimate;
import io.gauss.compute.sql.plan.cost.TableEstimates;
import io.gauss.compute.sql.plan.rewrite.InitialQueries;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rex.RexNode;

/** Inputs and collected results of the planning of one statement. One thread. */
final class Planning {
  final PlanningWatch watch;
  final FunctionRegistry functions;
  final CatalogView catalog;
  final CostModel costs;
  final Slots slots;
  final ExprCompiler compiler;
  final IndexExpressions indexes;
  final AccessPaths accessPaths;

  /** By identity: equal nodes at different places have separate estimates. */
  final Map<PlanNode, Estimate> estimates = new IdentityHashMap<>();

  /** Conditions as written, for EXPLAIN. */
  final Map<PlanNode, Notes> notes = new IdentityHashMap<>();

  final InitialQueries initials;

  final Map<CommonTable, SpoolNode> spools = new IdentityHashMap<>();

  /**
   * What EXPLAIN shows of a node besides its fields.
   *
   * @param keyConditions conditions that the key range stands for
   * @param filter conditions of the node's filter
   * @param names names of the columns that the conditions refer to
   */
  record Notes(List<RexNode> keyConditions, List<RexNode> filter, List<String> names) {}

  Planning(
      FunctionRegistry functions,
      CatalogView catalog,
      TableEstimates estimates,
      int parameters,
      PlanningWatch watch) {
    this.watch = watch;
    this.functions = functions;
    this.catalog = catalog;
    this.costs = new CostModel(estimates);
    this.slots = new Slots(parameters);
    this.initials = new InitialQueries(slots::allocate);
    this.compiler = new ExprCompiler(functions, slots, watch);
    this.indexes = new IndexExpressions(functions, catalog);
    this.accessPaths = new AccessPaths(costs, indexes);
  }

  <T extends PlanNode> T note(T node, Estimate estimate) {
    estimates.put(node, estimate);
    return node;
  }

  /** Conjunction as an executable condition; null when there is none. */
  Expr filter(List<RexNode> conditions, ColumnMap columns) {
    return conditions.isEmpty()
        ? null
        : compiler.compile(io.gauss.compute.sql.algebra.PgRex.and(conditions), columns);
  }
}
