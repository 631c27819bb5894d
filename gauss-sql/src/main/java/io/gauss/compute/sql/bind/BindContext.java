package io.gauss.compute.sql.bind;

import io.gauss.compute.catalog.Access;
import io.gauss.compute.catalog.CatalogView;
import io.gauss.compute.catalog.Privilege;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.sql.algebra.CommonTable;
import io.gauss.compute.sql.algebra.GaussTable;
import io.gauss.compute.sql.algebra.PgDomainCast;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.algebra.PlanningWatch;
import io.gauss.compute.sql.bind.type.Parameters;
import io.gauss.compute.sql.parse.PgParser;
import io.gauss.compute.sql.parse.TypeLookup;
import io.gauss.compute.sql.parse.TypeName;
import io.gauss.compute.type.DomainType;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypedLiteral;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.plan.RelOptCluster;

/** The context in which the binder of one statement works. One thread, one statement. */
public final class BindContext {
  final CatalogView catalog;
  final List<String> searchPath;
  final FunctionRegistry functions;
  final Parameters parameters;
  final RelOptCluster cluster;
  final PlanningWatch watch;
  private final Map<Integer, GaussTable> tables;

  /** The view whose query is bound; null outside of views. */
  final ViewDef view;

  /** The name in the view's query through which the statement writes; null = it reads only. */
  final ViewDef.Reference written;

  /** Records the names of a new view; null when the statement makes none. */
  ViewRecorder recorder;

  /** Common table expressions that change tables, in the order written. */
  final List<CommonTable> writes;

  /** Literals of types of CREATE TYPE, without those of views; null = they are not recorded. */
  List<TypedLiteral> literals;

  private final Map<Need, Set<Privilege>> requirements;
  private final PermanentChanges changes;
  private final int role;

  private final Map<Long, List<PgDomainCast.Check>> domainChecks = new HashMap<>(); // by stamp

  /** Relations whose columns the query, or statement, reads. */
  private final Set<Integer> read = new HashSet<>();

  /**
   * A relation that is used.
   *
   * @param role with whose privileges: a view reads as its owner
   */
  public record Need(int role, TableDef table) {}

  /** For bindings by the system itself: no privileges are checked. */
  public BindContext(
      CatalogView catalog,
      List<String> searchPath,
      FunctionRegistry functions,
      int[] parameterOids) {
    this(catalog, searchPath, functions, parameterOids, 0, () -> {});
  }

  /**
   * @param role whose schemas are searched; 0 = a superuser
   * @param interrupts called again and again; throws to end the binding and what follows
   */
  public BindContext(
      CatalogView catalog,
      List<String> searchPath,
      FunctionRegistry functions,
      int[] parameterOids,
      int role,
      Runnable interrupts) {
    this.catalog = catalog;
    this.role = role;
    this.searchPath = role == 0 ? searchPath : usable(searchPath);
    this.functions = functions;
    this.parameters = new Parameters(parameterOids, catalog::type);
    this.watch = new PlanningWatch(interrupts);
    this.cluster = RelOptCluster.create(watch, PgRex.BUILDER);
    this.tables = new HashMap<>();
    this.requirements = new LinkedHashMap<>();
    this.changes = new PermanentChanges();
    this.writes = new ArrayList<>();
    this.view = null;
    this.written = null;
  }

  private BindContext(BindContext around, ViewDef view, ViewDef.Reference written) {
    this.catalog = around.catalog;
    this.searchPath = view.searchPath();
    this.functions = around.functions;
    this.parameters = around.parameters;
    this.cluster = around.cluster;
    this.watch = around.watch;
    this.tables = around.tables;
    this.requirements = around.requirements;
    this.changes = around.changes;
    this.writes = around.writes;
    this.view = view;
    this.written = written;
    Access access = new Access(catalog);
    int owner = access.of(view.oid()).ownerOid();
    this.role = access.isSuperuser(owner) ? 0 : owner;
  }

  /** The context for binding a view's query. */
  BindContext inside(ViewDef expanded) {
    return new BindContext(this, expanded, null);
  }

  /**
   * The same where the statement writes through the view.
   *
   * @param target the view's reference to the relation to which it writes
   */
  BindContext insideWritten(ViewDef expanded, ViewDef.Reference target) {
    return new BindContext(this, expanded, target);
  }

  /** Records literals of types of CREATE TYPE in what is bound from now on. */
  public List<TypedLiteral> recordLiterals() {
    literals = new ArrayList<>();
    return literals;
  }

  /** The conditions of a domain and of those below it, in the order in which they are evaluated. */
  List<PgDomainCast.Check> checks(DomainType domain) {
    List<PgDomainCast.Check> known = domainChecks.get(domain.stamp());
    if (known != null) {
      return known;
    }
    List<PgDomainCast.Check> all = new ArrayList<>();
    for (DomainType level : domain.chain()) {
      level.checks().stream()
          .sorted(Comparator.comparing(DomainType.Check::name))
          .forEach(
              check ->
                  all.add(
                      new PgDomainCast.Check(
                          check.name(),
                          new Binder(new BindContext(catalog, List.of(), functions, new int[0]))
                              .domainCondition(
                                  PgParser.parseExpression(check.sql()), level.base()))));
    }
    domainChecks.put(domain.stamp(), List.copyOf(all));
    return domainChecks.get(domain.stamp());
  }

  /** Whether any column of the relation has been used so far. */
  boolean reads(int relationOid) {
    return read.contains(relationOid);
  }

  void noteUse(Relation.Column column) {
    read.add(column.tableOid());
    if (recorder != null) {
      recorder.use(column);
    }
  }

  /** Common table expressions that change tables, in the order written. */
  public List<CommonTable> writes() {
    return writes;
  }

  /** As in PostgreSQL, schemas in the search path that the role may not use are skipped. */
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

  /** Records that the statement needs a privilege; it is checked later whether the role has it. */
  public void require(TableDef table, Privilege privilege) {
    changes.use(table, privilege);
    if (role != 0) {
      requirements
          .computeIfAbsent(new Need(role, table), n -> EnumSet.noneOf(Privilege.class))
          .add(privilege);
    }
  }

  /**
   * The type that a statement names.
   *
   * @throws io.gauss.common.error.GaussException 42704 when there is none, 0A000 when Gauss does
   *     not support it, 42501 when the role may not use a schema that is named
   */
  PgType type(TypeName name) {
    if (name.schema() != null) {
      requireSchema(name.schema());
    }
    return new TypeLookup(catalog, searchPath).find(name);
  }

  /** Bounds and interrupts the statement's planning, too. */
  public PlanningWatch watch() {
    return watch;
  }

  /** What a read-only transaction refuses in the statement. */
  public PermanentChanges changes() {
    return changes;
  }

  /** The privileges that the statement needs, in the order in which its tables appear. */
  public Map<Need, Set<Privilege>> requirements() {
    return requirements;
  }

  GaussTable table(TableDef table) {
    return tables.computeIfAbsent(table.oid(), oid -> new GaussTable(table));
  }
}
