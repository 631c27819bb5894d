package io.gauss.compute.sql.exec.table;

import io.gauss.compute.catalog.CatalogView;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.catalog.ViewMeaning;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.type.DomainType;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypedLiteral;
import java.util.List;

/** The planner's side of the expressions that belong to a table. Thread-safe. */
public interface TableExpressionCompiler {
  /**
   * Compiles CHECKs and DEFAULTs.
   *
   * @throws io.gauss.common.error.GaussException as binding an expression does
   */
  TableHandle.Expressions compile(TableDef table, CatalogView view);

  /**
   * Compiles an expression over the table's columns that is assigned to a column, such as that of
   * {@code ALTER COLUMN ... TYPE ... USING}.
   *
   * @param construct as error messages name it
   * @throws io.gauss.common.error.GaussException as binding an expression does; 42804 when its type
   *     cannot be assigned
   */
  Expr value(
      TableDef table, String sql, PgType type, String column, String construct, CatalogView view);

  /**
   * Determines the meaning of a new view's query.
   *
   * @param role that makes the view; 0 = a superuser
   * @throws io.gauss.common.error.GaussException as binding the query does, with positions in it
   */
  ViewMeaning view(String sql, List<String> searchPath, CatalogView view, int role);

  /**
   * The literals of types of CREATE TYPE in an expression over the table's columns.
   *
   * @param type that the expression is assigned to; null = it is a condition
   */
  List<TypedLiteral> literals(TableDef table, String sql, PgType type, CatalogView view);

  /**
   * The same in a text of a domain.
   *
   * @param isCondition false = it is the default
   */
  List<TypedLiteral> literals(DomainType domain, String sql, boolean isCondition, CatalogView view);

  /**
   * Makes sure that the domain's own conditions and its default are valid.
   *
   * @throws io.gauss.common.error.GaussException with PostgreSQL's error when one is not
   */
  void validate(DomainType domain, CatalogView view);

  /** Converts the plain value of a column to another type, over the table's columns. */
  Expr converted(TableDef table, int column, PgType type, CatalogView view);

  /** The same in a view's query. */
  List<TypedLiteral> literals(ViewDef view, CatalogView catalog);

  /**
   * Compiles the condition of a partial index, which also tells whether it is valid.
   *
   * @throws io.gauss.common.error.GaussException when it is not valid, with PostgreSQL's text
   */
  Expr predicate(TableDef table, String sql, CatalogView view);

  /**
   * An expression as a key.
   *
   * @param name that a column of a query's result would have for it; null = none
   */
  record Key(String name, Expr value) {}

  /**
   * Compiles an expression that is a key of an index, which also tells whether it is valid.
   *
   * @throws io.gauss.common.error.GaussException when it is not valid, with PostgreSQL's text
   */
  Key key(TableDef table, String sql, CatalogView view);
}
