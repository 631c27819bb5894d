package io.gauss.compute.sql.plan;

import io.gauss.compute.catalog.CatalogView;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.sql.algebra.CommonTable;
import io.gauss.compute.sql.exec.node.ApplyNode;
import io.gauss.compute.sql.exec.node.PlanNode;
import io.gauss.compute.sql.exec.node.SpoolNode;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexNode;

/** What the planning of one statement works with and collects. One thread. */
final class Planning {
  final FunctionRegistry functions;
  final CatalogView catalog;
  final CostModel costs;
  final Slots slots;
  final ExprCompiler compiler;
  final AccessPaths accessPaths;

  /** By identity: equal nodes at different places have estimates of their own. */
  final Map<PlanNode, Estimate> estimates = new IdentityHashMap<>();

  /** Conditions as written, for EXPLAIN. */
  final Map<PlanNode, Notes> notes = new IdentityHashMap<>();

  final List<Initial> initials = new ArrayList<>();

  /** What is computed once and kept for several readers. */
  final Map<CommonTable, RelNode> commonTables = new IdentityHashMap<>();

  final Map<CommonTable, SpoolNode> spools = new IdentityHashMap<>();

  /** A sub-query whose value is computed once, before the plan runs. */
  record Initial(ApplyNode.Kind kind, RelNode rel, int slot) {}

  /**
   * What EXPLAIN says about a node beyond its fields.
   *
   * @param keyConditions conditions that the key range stands for
   * @param filter conditions of the node's filter
   * @param names names of the columns that the conditions refer to
   */
  record Notes(List<RexNode> keyConditions, List<RexNode> filter, List<String> names) {}

  Planning(
      FunctionRegistry functions, CatalogView catalog, TableEstimates estimates, int parameters) {
    this.functions = functions;
    this.catalog = catalog;
    this.costs = new CostModel(estimates);
    this.slots = new Slots(parameters);
    this.compiler = new ExprCompiler(functions, slots);
    this.accessPaths = new AccessPaths(costs, new IndexPredicates(functions, catalog));
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
