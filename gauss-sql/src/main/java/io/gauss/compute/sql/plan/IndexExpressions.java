package io.gauss.compute.sql.plan;

import io.gauss.compute.catalog.CatalogView;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.plan.cost.IndexMeaning;
import io.gauss.compute.sql.plan.cost.KeyColumns;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rex.RexNode;

/**
 * The keys and the conditions of indexes in the same form as the expressions of queries. One
 * planning.
 */
final class IndexExpressions implements IndexMeaning {
  private final FunctionRegistry functions;
  private final CatalogView catalog;
  private final Map<Integer, List<RexNode>> predicates = new HashMap<>(0);
  private final Map<Integer, KeyColumns> keys = new HashMap<>(0);

  IndexExpressions(FunctionRegistry functions, CatalogView catalog) {
    this.functions = functions;
    this.catalog = catalog;
  }

  @Override
  public List<RexNode> predicate(TableDef table, TableDef.IndexDef index) {
    return predicates.computeIfAbsent(
        index.oid(),
        oid ->
            PgRex.conjuncts(
                TableExpressions.predicate(table, index.predicate(), functions, catalog)));
  }

  @Override
  public KeyColumns keys(TableDef table) {
    return keys.computeIfAbsent(
        table.oid(),
        oid ->
            new KeyColumns(
                table,
                expression -> TableExpressions.key(table, expression.sql(), functions, catalog)));
  }
}
