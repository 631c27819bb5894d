package io.gauss.compute.sql.plan;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.CatalogView;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.catalog.ViewMeaning;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.sql.algebra.PlanningWatch;
import io.gauss.compute.sql.bind.BindContext;
import io.gauss.compute.sql.bind.Binder;
import io.gauss.compute.sql.bind.ViewBinding;
import io.gauss.compute.sql.bind.syntax.ColumnNames;
import io.gauss.compute.sql.exec.table.TableExpressionCompiler;
import io.gauss.compute.sql.exec.table.TableHandle;
import io.gauss.compute.sql.parse.PgParser;
import io.gauss.compute.sql.plan.cost.TableEstimates;
import io.gauss.compute.type.DomainType;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypedLiteral;
import java.util.List;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlNode;

/**
 * Compiles the expressions that belong to a table: CHECK constraints and column defaults.
 * Thread-safe.
 */
public final class TableExpressions implements TableExpressionCompiler {
  private static final int[] NO_PARAMETERS = new int[0];
  private static final List<String> SEARCH_PATH = List.of("public");

  private final FunctionRegistry functions;

  public TableExpressions(FunctionRegistry functions) {
    this.functions = functions;
  }

  /** Checks over the table's columns in table order, defaults without columns. */
  @Override
  public TableHandle.Expressions compile(TableDef table, CatalogView catalog) {
    Expr[] checks = new Expr[table.checks().size()];
    for (int i = 0; i < checks.length; i++) {
      checks[i] = check(table, PgParser.parseExpression(table.checks().get(i).sql()), catalog);
    }
    Expr[] defaults = new Expr[table.columns().size()];
    for (int i = 0; i < defaults.length; i++) {
      defaults[i] = columnDefault(table, i, catalog);
    }
    Expr[] generated = new Expr[defaults.length];
    for (int i = 0; i < generated.length; i++) {
      TableDef.ColumnDef column = table.columns().get(i);
      if (column.isGenerated()) {
        generated[i] =
            value(
                table,
                column.generatedSql(),
                column.type(),
                column.name(),
                "column generation expressions",
                catalog);
      }
    }
    Expr[] predicates = new Expr[table.indexes().size()];
    for (int i = 0; i < predicates.length; i++) {
      TableDef.IndexDef index = table.indexes().get(i);
      if (index.isPartial()) {
        predicates[i] = predicate(table, index.predicate(), catalog);
      }
    }
    Expr[][] keys = new Expr[predicates.length][];
    for (int i = 0; i < keys.length; i++) {
      keys[i] =
          table.indexes().get(i).expressions().stream()
              .map(key -> compile(key(table, key.sql(), functions, catalog), table, catalog))
              .toArray(Expr[]::new);
    }
    Expr[] domains = new Expr[defaults.length];
    for (int i = 0; i < domains.length; i++) {
      RexNode check = binder(catalog).domainCheck(table, i);
      domains[i] = check == null ? null : compile(check, table, catalog);
    }
    return new TableHandle.Expressions(checks, defaults, generated, predicates, keys, domains);
  }

  /** An expression that is a key of an index, over the table's columns. */
  static RexNode key(TableDef table, String sql, FunctionRegistry functions, CatalogView catalog) {
    Binder binder = new Binder(new BindContext(catalog, SEARCH_PATH, functions, NO_PARAMETERS));
    return binder.value(PgParser.parseExpression(sql), table, "index expressions");
  }

  @Override
  public Key key(TableDef table, String sql, CatalogView catalog) {
    SqlNode written = PgParser.parseExpression(sql);
    return new Key(
        ColumnNames.orNull(written), compile(key(table, sql, functions, catalog), table, catalog));
  }

  /** The condition of a partial index over the table's columns. */
  static RexNode predicate(
      TableDef table, String sql, FunctionRegistry functions, CatalogView catalog) {
    Binder binder = new Binder(new BindContext(catalog, SEARCH_PATH, functions, NO_PARAMETERS));
    try {
      return binder.condition(PgParser.parseExpression(sql), table, "index predicates");
    } catch (GaussException e) {
      throw e.state() == SqlState.DATATYPE_MISMATCH
          ? new GaussException(e.state(), e.getMessage().replace("index predicates", "WHERE"))
          : e;
    }
  }

  @Override
  public Expr predicate(TableDef table, String sql, CatalogView catalog) {
    return compile(predicate(table, sql, functions, catalog), table, catalog);
  }

  /**
   * Compiles a CHECK condition, which also validates it.
   *
   * @throws io.gauss.common.error.GaussException with PostgreSQL's error when it is invalid
   */
  Expr check(TableDef table, SqlNode condition, CatalogView catalog) {
    Binder binder = binder(catalog);
    RexNode bound = binder.condition(condition, table, "check constraints");
    return compile(bound, table, catalog);
  }

  @Override
  public ViewMeaning view(String sql, List<String> searchPath, CatalogView catalog, int role) {
    return ViewBinding.of(sql, searchPath, catalog, functions, role);
  }

  @Override
  public Expr value(
      TableDef table,
      String sql,
      PgType type,
      String column,
      String construct,
      CatalogView catalog) {
    SqlNode expression = PgParser.parseExpression(sql);
    RexNode bound = binder(catalog).expression(expression, table, type, column, construct);
    return compile(bound, table, catalog);
  }

  @Override
  public List<TypedLiteral> literals(TableDef table, String sql, PgType type, CatalogView catalog) {
    BindContext context = new BindContext(catalog, SEARCH_PATH, functions, NO_PARAMETERS);
    List<TypedLiteral> literals = context.recordLiterals();
    SqlNode expression = PgParser.parseExpression(sql);
    if (type == null) {
      new Binder(context).condition(expression, table, "check constraints");
    } else {
      new Binder(context).expression(expression, table, type, "", "DEFAULT expressions");
    }
    return literals;
  }

  @Override
  public List<TypedLiteral> literals(
      DomainType domain, String sql, boolean isCondition, CatalogView catalog) {
    BindContext context = new BindContext(catalog, SEARCH_PATH, functions, NO_PARAMETERS);
    List<TypedLiteral> literals = context.recordLiterals();
    bind(new Binder(context), domain, sql, isCondition);
    return literals;
  }

  private static void bind(Binder binder, DomainType domain, String sql, boolean isCondition) {
    SqlNode node = PgParser.parseExpression(sql);
    if (isCondition) {
      binder.domainCondition(node, domain.base());
      return;
    }
    try {
      binder.expression(node, null, domain.base(), domain.name(), "DEFAULT expressions");
    } catch (GaussException e) {
      throw (e.state() == SqlState.DATATYPE_MISMATCH
              ? new GaussException(
                      e.state(), e.getMessage().replace("but expression", "but default expression"))
                  .hint(e.hint())
              : e)
          .position(0);
    }
  }

  @Override
  public void validate(DomainType domain, CatalogView catalog) {
    if (domain.defaultSql() != null) {
      bind(binder(catalog), domain, domain.defaultSql(), false);
    }
    for (DomainType.Check check : domain.checks()) {
      bind(binder(catalog), domain, check.sql(), true);
    }
  }

  @Override
  public Expr converted(TableDef table, int column, PgType type, CatalogView catalog) {
    return compile(binder(catalog).columnConversion(table, column, type), table, catalog);
  }

  @Override
  public List<TypedLiteral> literals(ViewDef view, CatalogView catalog) {
    return ViewBinding.literals(view, catalog, functions);
  }

  private Expr columnDefault(TableDef table, int column, CatalogView catalog) {
    return compile(binder(catalog).columnDefault(table, column), null, catalog);
  }

  private Binder binder(CatalogView catalog) {
    return new Binder(new BindContext(catalog, SEARCH_PATH, functions, NO_PARAMETERS));
  }

  private Expr compile(RexNode node, TableDef table, CatalogView catalog) {
    Planning planning =
        new Planning(functions, catalog, TableEstimates.STATISTICS, 0, new PlanningWatch(() -> {}));
    return planning.compiler.compile(
        node, table == null ? null : ColumnMap.identity(table.columns().size()));
  }
}
