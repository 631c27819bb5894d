package io.gauss.compute.sql.bind;

import io.gauss.compute.catalog.CatalogView;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.expr.FunctionRegistry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.hep.HepPlanner;
import org.apache.calcite.plan.hep.HepProgram;

/** What the binder of one statement works with. One thread, one statement. */
public final class BindContext {
  private static final HepProgram EMPTY = HepProgram.builder().build();

  final CatalogView catalog;
  final List<String> searchPath;
  final FunctionRegistry functions;
  final Parameters parameters;
  final RelOptCluster cluster;
  private final Map<Integer, GaussTable> tables = new HashMap<>();

  public BindContext(
      CatalogView catalog,
      List<String> searchPath,
      FunctionRegistry functions,
      int[] parameterOids) {
    this.catalog = catalog;
    this.searchPath = searchPath;
    this.functions = functions;
    this.parameters = new Parameters(parameterOids);
    this.cluster = RelOptCluster.create(new HepPlanner(EMPTY), PgRex.BUILDER);
  }

  public RelOptCluster cluster() {
    return cluster;
  }

  GaussTable table(TableDef table) {
    return tables.computeIfAbsent(table.oid(), oid -> new GaussTable(table));
  }
}
