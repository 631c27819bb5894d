package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableStatistics;
import io.gauss.compute.expr.call.CastContext;
import io.gauss.compute.sql.algebra.BoundQuery;
import io.gauss.compute.sql.algebra.BoundStatement;
import io.gauss.compute.sql.algebra.PgDomainValue;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.algebra.PgTypeFactory;
import io.gauss.compute.sql.algebra.SubQueries;
import io.gauss.compute.sql.copy.CopyOptions;
import io.gauss.compute.sql.parse.PgDelete;
import io.gauss.compute.sql.parse.PgInsert;
import io.gauss.compute.sql.parse.PgStatement;
import io.gauss.compute.sql.parse.PgUpdate;
import io.gauss.compute.type.PgType;
import java.util.List;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.sql.SqlNode;

/**
 * Resolves a statement's names and types as PostgreSQL's analyzer does and turns it into Calcite's
 * relational algebra. One instance binds one statement on one thread.
 *
 * <p>Unlike PostgreSQL's analyzer it simplifies and folds nothing, except literals of unknown type,
 * which are read as the type that their context requires.
 */
public final class Binder {
  private final BindContext context;
  private final QueryBinder queries;
  private final DmlBinder dml;
  private final InsertBinder inserts;
  private final ColumnDefaults defaults;

  public Binder(BindContext context) {
    this.context = context;
    this.queries = new QueryBinder(context);
    this.defaults = new ColumnDefaults(queries, queries.expressions.functions());
    this.dml = new DmlBinder(queries, queries.selects(), defaults);
    this.inserts = new InsertBinder(queries, dml, defaults);
    queries.writes = this::write;
  }

  /**
   * Binds a query or a DML statement.
   *
   * @throws GaussException with PostgreSQL's SQLSTATE, wording and position
   */
  public BoundStatement bind(PgStatement statement) {
    return switch (statement) {
      case PgStatement.Query query -> query(query.node());
      case PgStatement.Insert insert -> write(insert.node(), null);
      case PgStatement.Update update -> write(update.node(), null);
      case PgStatement.Delete delete -> write(delete.node(), null);
      default -> throw new IllegalStateException("not a query: " + statement);
    };
  }

  /**
   * @param around the scope that a statement in WITH sees; null for the statement itself
   */
  private BoundStatement write(SqlNode node, Scope around) {
    return switch (node) {
      case PgInsert insert -> inserts.insert(insert, around);
      case PgUpdate update -> dml.update(update, around);
      case PgDelete delete -> dml.delete(delete, around);
      default -> throw new IllegalStateException("not a change of a table: " + node.getKind());
    };
  }

  /**
   * Binds the source or target of COPY: a query or a table's rows to read, or the table to fill.
   *
   * @param options of the statement, whose columns must be among those copied
   * @throws GaussException as {@link #bind}
   */
  public BoundStatement copy(PgStatement.Copy copy, TableDef table, CopyOptions options) {
    return new CopyBinder(this).bind(copy, table, options);
  }

  private BoundStatement.Query query(SqlNode node) {
    BoundQuery query = queries.query(node, null, QueryBinder.Tail.NONE, false);
    if (query.columns().stream().anyMatch(column -> column.type().is(PgType.RECORD))) {
      throw GaussException.notSupported("a row as a value");
    }
    return new BoundStatement.Query(query, context.parameters.decided());
  }

  /**
   * Binds a condition over one table's columns: CHECK constraints.
   *
   * @param construct as error messages name it
   */
  public RexNode condition(SqlNode node, TableDef table, String construct) {
    RexNode bound =
        queries.expressions.condition(node, ExprContext.of(tableScope(table), construct));
    refuseSubQueries(bound, construct);
    return bound;
  }

  /**
   * Binds an expression over a table's columns.
   *
   * @param construct as error messages name it
   */
  public RexNode value(SqlNode node, TableDef table, String construct) {
    RexNode bound = queries.expressions.bind(node, ExprContext.of(tableScope(table), construct));
    refuseSubQueries(bound, construct);
    return queries.expressions.coercion.resolveUnknown(bound, 0);
  }

  /**
   * Binds an expression and converts it on assignment to a column.
   *
   * @param table whose columns it sees, null = none
   * @param column name of the column that takes it
   * @param construct as error messages name it
   */
  public RexNode expression(
      SqlNode node, TableDef table, PgType type, String column, String construct) {
    RexNode bound = queries.expressions.bind(node, ExprContext.of(tableScope(table), construct));
    refuseSubQueries(bound, construct);
    try {
      return queries.assign(bound, type, CastContext.ASSIGNMENT, column);
    } catch (GaussException e) {
      if (e.state() == SqlState.DATATYPE_MISMATCH && construct.startsWith("column generation")) {
        throw new GaussException(
                e.state(), e.getMessage().replace("but expression", "but default expression"))
            .hint(e.hint());
      }
      throw e;
    }
  }

  /**
   * A column's value when a statement gives it none: an expression of the column's type without
   * columns.
   */
  public RexNode columnDefault(TableDef table, int column) {
    return defaults.of(table, column);
  }

  /**
   * Converts a value of a column's plain type, which is in that column, to the column's type with
   * its modifier or domain; null when there is nothing to do.
   */
  RexNode columnConversion(TableDef table, int column) {
    return columnConversion(table, column, table.columns().get(column).type());
  }

  /** The same to another type over the same plain one. */
  public RexNode columnConversion(TableDef table, int column, PgType type) {
    RexNode plain = new RexInputRef(column, PgRex.rel(type.withTypmod(-1)));
    String name = table.columns().get(column).name();
    RexNode converted = queries.assign(plain, type, CastContext.ASSIGNMENT, name);
    return converted == plain ? null : converted;
  }

  /**
   * Checks the value of a column against the column's domain; null when there is nothing to check.
   */
  public RexNode domainCheck(TableDef table, int column) {
    PgType type = table.columns().get(column).type();
    return type.isConstrained() ? columnConversion(table, column) : null;
  }

  /**
   * Binds a condition of a domain.
   *
   * @param value type of VALUE
   * @throws GaussException as {@link #bind}, without positions
   */
  public RexNode domainCondition(SqlNode node, PgType value) {
    TableDef alone =
        new TableDef(
            0,
            "",
            "",
            0,
            List.of(TableDef.ColumnDef.of(1, "value", value, false)),
            new int[0],
            null,
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            TableStatistics.UNKNOWN);
    RexNode bound;
    try {
      bound = condition(node, alone, "check constraints");
    } catch (GaussException e) {
      throw (e.state() == SqlState.DATATYPE_MISMATCH
              ? new GaussException(e.state(), e.getMessage().replace("check constraints", "CHECK"))
              : e)
          .position(0);
    }
    RexNode stands = PgDomainValue.of(value);
    return bound.accept(
        new RexShuttle() {
          @Override
          public RexNode visitInputRef(RexInputRef ref) {
            return stands;
          }
        });
  }

  private Scope tableScope(TableDef table) {
    Scope scope = new Scope(null, context.cluster);
    if (table == null) {
      scope.close(PgTypeFactory.INSTANCE.builder().build());
    } else {
      FromBinder.addRelation(FromBinder.tableRelation(table, null, null, 0, 0), scope);
      scope.close(context.table(table).getRowType());
    }
    return scope;
  }

  private static void refuseSubQueries(RexNode bound, String construct) {
    if (SubQueries.isIn(bound)) {
      throw new GaussException(
          SqlState.FEATURE_NOT_SUPPORTED,
          "cannot use subquery in " + construct.replaceFirst("s$", ""));
    }
  }
}
