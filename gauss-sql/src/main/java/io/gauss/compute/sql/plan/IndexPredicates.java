package io.gauss.compute.sql.plan;

import io.gauss.compute.catalog.CatalogView;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.sql.algebra.PgRex;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rex.RexNode;

/** The conditions of partial indexes in the same form as conditions of queries. One planning. */
final class IndexPredicates {
  private final FunctionRegistry functions;
  private final CatalogView catalog;
  private final Map<Integer, List<RexNode>> known = new HashMap<>(0);

  IndexPredicates(FunctionRegistry functions, CatalogView catalog) {
    this.functions = functions;
    this.catalog = catalog;
  }

  /**
   * Parts of the condition over the table's columns, all of which are true of rows in the index.
   */
  List<RexNode> of(TableDef table, TableDef.IndexDef index) {
    return known.computeIfAbsent(
        index.oid(),
        oid ->
            PgRex.conjuncts(
                TableExpressions.predicate(table, index.predicate(), functions, catalog)));
  }
}
