package io.gauss.compute.sql.plan;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.runtime.Environment;
import io.gauss.compute.catalog.CatalogView;
import io.gauss.compute.catalog.Privilege;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.sql.algebra.BoundQuery;
import io.gauss.compute.sql.algebra.BoundStatement;
import io.gauss.compute.sql.algebra.CommonTable;
import io.gauss.compute.sql.bind.BindContext;
import io.gauss.compute.sql.bind.Binder;
import io.gauss.compute.sql.bind.CopyTargets;
import io.gauss.compute.sql.copy.CopyOptions;
import io.gauss.compute.sql.copy.CopyOptionsReader;
import io.gauss.compute.sql.exec.node.InitPlansNode;
import io.gauss.compute.sql.exec.node.LockRowsNode;
import io.gauss.compute.sql.exec.node.PlanNode;
import io.gauss.compute.sql.exec.node.SpoolNode;
import io.gauss.compute.sql.exec.node.WritesInWithNode;
import io.gauss.compute.sql.parse.PgStatement;
import io.gauss.compute.sql.plan.cost.TableEstimates;
import io.gauss.compute.sql.plan.rewrite.InitialQueries;
import io.gauss.compute.sql.plan.rewrite.LogicalRewriter;
import io.gauss.compute.sql.plan.rewrite.SubQueryRewriter;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelNode;

/**
 * From a statement tree to a plan: binder, sub-query rewriting, Calcite's rules where they can
 * help, physical planning. Thread-safe; one planning runs on one thread and waits for nothing.
 */
public final class Planner {
  private static final int[] NO_PARAMETERS = new int[0];

  private final FunctionRegistry functions;
  private final TableEstimates estimates;

  public Planner(FunctionRegistry functions, TableEstimates estimates) {
    this.functions = functions;
    this.estimates = estimates;
  }

  FunctionRegistry functions() {
    return functions;
  }

  /**
   * Plans a query, a DML statement or EXPLAIN of one.
   *
   * @param parameterOids types given by the client, 0 = to be inferred @throws
   *     io.gauss.common.error.GaussException with PostgreSQL's SQLSTATE, wording and position
   */
  PreparedPlan plan(
      PgStatement statement, int[] parameterOids, List<String> searchPath, CatalogView catalog) {
    return plan(statement, parameterOids, searchPath, catalog, PlanAccess.ANY_SUPERUSER, () -> {});
  }

  /**
   * Plans for a role.
   *
   * @param role oid of the role whose privileges count, or {@link PlanAccess#ANY_SUPERUSER}
   * @param interrupts called again and again; throws to end the planning
   * @see #plan(PgStatement, int[], List, CatalogView)
   */
  PreparedPlan plan(
      PgStatement statement,
      int[] parameterOids,
      List<String> searchPath,
      CatalogView catalog,
      int role,
      Runnable interrupts) {
    if (statement instanceof PgStatement.Explain explain) {
      long started = Environment.nanoTime();
      PreparedPlan inner =
          plan(explain.statement(), parameterOids, searchPath, catalog, role, interrupts);
      return Explain.plan(explain, inner, Environment.nanoTime() - started);
    }
    if (statement instanceof PgStatement.Copy copy) {
      return copy(copy, searchPath, catalog, role, interrupts);
    }
    BindContext context =
        new BindContext(catalog, searchPath, functions, parameterOids, role, interrupts);
    BoundStatement bound = new Binder(context).bind(statement);
    PlanAccess access = PlanAccess.of(role, context.requirements(), catalog);
    return plan(bound, context, catalog, searchPath, access);
  }

  private PreparedPlan copy(
      PgStatement.Copy copy,
      List<String> searchPath,
      CatalogView catalog,
      int role,
      Runnable interrupts) {
    CopyTargets.checkPlace(copy);
    TableDef table = CopyTargets.table(copy, searchPath, catalog);
    CopyOptions options = CopyOptionsReader.read(copy);
    BindContext context =
        new BindContext(catalog, searchPath, functions, NO_PARAMETERS, role, interrupts);
    if (copy.table() != null && copy.table().schema() != null) {
      context.requireSchema(copy.table().schema());
    }
    if (table != null) {
      context.require(table, copy.from() ? Privilege.INSERT : Privilege.SELECT);
    }
    BoundStatement bound = new Binder(context).copy(copy, table, options);
    if (bound.parameters().length > 0) {
      throw new GaussException(SqlState.UNDEFINED_PARAMETER, "there is no parameter $1");
    }
    List<ResultColumn> columns =
        bound instanceof BoundStatement.CopyFrom from ? targets(from) : columns(bound);
    PlanAccess access = PlanAccess.of(role, context.requirements(), catalog);
    return plan(bound, context, catalog, searchPath, access)
        .copying(
            new PreparedPlan.Copy(copy.from(), table == null ? 0 : table.oid(), options, columns));
  }

  private static List<ResultColumn> targets(BoundStatement.CopyFrom from) {
    List<ResultColumn> columns = new ArrayList<>();
    for (int target : from.targets()) {
      TableDef.ColumnDef column = from.table().columns().get(target);
      columns.add(
          new ResultColumn(column.name(), column.type(), from.table().oid(), column.number()));
    }
    return columns;
  }

  private static PlanNode write(BoundStatement bound, DmlPlanner dml) {
    return switch (bound) {
      case BoundStatement.Insert insert -> dml.insert(insert);
      case BoundStatement.Modify modify -> dml.modify(modify);
      case BoundStatement.CopyFrom from -> dml.copyFrom(from);
      case BoundStatement.Query query -> throw new IllegalStateException("changes nothing");
    };
  }

  private static PreparedPlan.Kind kind(BoundStatement bound) {
    return switch (bound) {
      case BoundStatement.Query query -> PreparedPlan.Kind.SELECT;
      case BoundStatement.Insert insert -> PreparedPlan.Kind.INSERT;
      case BoundStatement.CopyFrom from -> PreparedPlan.Kind.COPY_FROM;
      case BoundStatement.Modify modify ->
          modify.isDelete() ? PreparedPlan.Kind.DELETE : PreparedPlan.Kind.UPDATE;
    };
  }

  /**
   * @param context in which the statement was bound
   */
  private PreparedPlan plan(
      BoundStatement bound,
      BindContext context,
      CatalogView catalog,
      List<String> searchPath,
      PlanAccess access) {
    Planning planning =
        new Planning(functions, catalog, estimates, bound.parameters().length, context.watch());
    SubQueryRewriter subQueries = new SubQueryRewriter(planning.initials);
    PhysicalPlanner physical = new PhysicalPlanner(planning);
    DmlPlanner dml = new DmlPlanner(planning, physical, subQueries);
    PreparedPlan.Kind kind = kind(bound);
    List<SpoolNode> spools = new ArrayList<>();
    for (CommonTable write : context.writes()) {
      spools.add(physical.spool(write, write(write.write(), dml)));
    }
    PlanNode root;
    if (bound instanceof BoundStatement.Query query) {
      RelNode rel = LogicalRewriter.rewrite(subQueries.rewrite(query.query().rel()));
      root = physical.root(rel).node();
    } else {
      root = write(bound, dml);
    }
    boolean isShort =
        spools.isEmpty()
            && planning.initials.values().isEmpty()
            && ShortPlans.isShort(root, planning.estimates);
    root = withInitialPlans(root, planning, physical);
    if (!spools.isEmpty()) {
      root = planning.note(new WritesInWithNode(root, spools), planning.estimates.get(root));
    }
    boolean write = kind != PreparedPlan.Kind.SELECT || !spools.isEmpty() || locks(root);
    return new PreparedPlan(
        kind,
        bound.parameters(),
        planning.slots.count(),
        columns(bound),
        new PreparedPlan.Tree(root, planning.estimates, planning.notes),
        new PreparedPlan.Use(
            PlanTables.of(root, catalog),
            write,
            context.changes().refused(kind.words()),
            isShort,
            catalog.version(),
            searchPath,
            access),
        null);
  }

  /** Sub-queries whose values are computed first; planning one may add others that it needs. */
  private static PlanNode withInitialPlans(
      PlanNode root, Planning planning, PhysicalPlanner physical) {
    List<InitialQueries.Initial> initials = planning.initials.values();
    if (initials.isEmpty()) {
      return root;
    }
    List<InitPlansNode.InitPlan> plans = new ArrayList<>();
    for (int i = 0; i < initials.size(); i++) {
      InitialQueries.Initial initial = initials.get(i);
      RelNode rel = LogicalRewriter.rewrite(initial.rel());
      plans.add(
          new InitPlansNode.InitPlan(initial.kind(), physical.root(rel).node(), initial.slot()));
    }
    PlanNode node = new InitPlansNode(root, plans.toArray(InitPlansNode.InitPlan[]::new));
    return planning.note(node, planning.estimates.get(root));
  }

  private static boolean locks(PlanNode node) {
    return PlanTables.nodes(node).stream().anyMatch(LockRowsNode.class::isInstance);
  }

  private static List<ResultColumn> columns(BoundStatement bound) {
    List<ResultColumn> columns = new ArrayList<>();
    for (BoundQuery.Output output : bound.columns()) {
      columns.add(
          new ResultColumn(output.name(), output.type(), output.tableOid(), output.attribute()));
    }
    return columns;
  }
}
