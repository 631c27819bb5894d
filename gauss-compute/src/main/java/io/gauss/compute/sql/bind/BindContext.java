package io.gauss.compute.sql.bind;

import io.gauss.compute.catalog.Access;
import io.gauss.compute.catalog.CatalogView;
import io.gauss.compute.catalog.Privilege;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.expr.FunctionRegistry;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
  private final Map<TableDef, Set<Privilege>> requirements = new LinkedHashMap<>();
  private final int role;

  /** For what the system binds by itself: no privileges are asked for. */
  public BindContext(
      CatalogView catalog,
      List<String> searchPath,
      FunctionRegistry functions,
      int[] parameterOids) {
    this(catalog, searchPath, functions, parameterOids, 0);
  }

  /**
   * @param role whose schemas are looked in; 0 = a superuser
   */
  public BindContext(
      CatalogView catalog,
      List<String> searchPath,
      FunctionRegistry functions,
      int[] parameterOids,
      int role) {
    this.catalog = catalog;
    this.role = role;
    this.searchPath = role == 0 ? searchPath : usable(searchPath);
    this.functions = functions;
    this.parameters = new Parameters(parameterOids);
    this.cluster = RelOptCluster.create(new HepPlanner(EMPTY), PgRex.BUILDER);
  }

  public RelOptCluster cluster() {
    return cluster;
  }

  /** As in PostgreSQL, schemas that the role may not use are passed over in the search path. */
  private List<String> usable(List<String> path) {
    Access access = new Access(catalog);
    return path.stream().filter(s -> access.hasSchema(role, s, Privilege.USAGE)).toList();
  }

  /**
   * @throws io.gauss.common.error.GaussException 42501 when the role may not use a schema that is
   *     named
   */
  public void requireSchema(String schema) {
    if (role != 0) {
      new Access(catalog).requireSchema(role, schema, Privilege.USAGE);
    }
  }

  /** Notes that the statement needs a privilege; whether the role has it is seen later. */
  public void require(TableDef table, Privilege privilege) {
    if (role != 0) {
      requirements.computeIfAbsent(table, t -> EnumSet.noneOf(Privilege.class)).add(privilege);
    }
  }

  /** What the statement needs, in the order in which the tables appear in it. */
  public Map<TableDef, Set<Privilege>> requirements() {
    return requirements;
  }

  GaussTable table(TableDef table) {
    return tables.computeIfAbsent(table.oid(), oid -> new GaussTable(table));
  }
}
