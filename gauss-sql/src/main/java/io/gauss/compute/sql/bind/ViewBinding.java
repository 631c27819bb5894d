package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.CatalogView;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.catalog.ViewMeaning;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.sql.algebra.BoundQuery;
import io.gauss.compute.sql.parse.PgParser;
import io.gauss.compute.sql.parse.PgStatement;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypedLiteral;
import java.util.ArrayList;
import java.util.List;

/** Binds a new view's query. */
public final class ViewBinding {
  private static final int[] NO_PARAMETERS = new int[0];

  private ViewBinding() {}

  /**
   * @param sql text of the query; positions in errors are positions in it
   * @param role that makes the view, and may only name schemas that it may use; 0 = a superuser
   * @throws GaussException as binding the query does
   */
  public static ViewMeaning of(
      String sql,
      List<String> searchPath,
      CatalogView catalog,
      FunctionRegistry functions,
      int role) {
    BindContext context =
        new BindContext(catalog, searchPath, functions, NO_PARAMETERS, role, () -> {});
    context.recorder = new ViewRecorder();
    BoundQuery bound = ViewExpander.bind(sql, context);
    if (context.parameters.decided().length > 0) {
      throw new GaussException(SqlState.UNDEFINED_PARAMETER, "there is no parameter $1");
    }
    List<ViewDef.Column> columns = new ArrayList<>();
    for (BoundQuery.Output output : bound.columns()) {
      if (Relation.isField(output.name()) || output.type().is(PgType.RECORD)) {
        throw GaussException.notSupported("a row as a column of a view");
      }
      columns.add(new ViewDef.Column(output.name(), output.type()));
    }
    return new ViewMeaning(columns, context.recorder.references(), context.recorder.uses());
  }

  /** The literals of types of CREATE TYPE in a view's query, without those of views in it. */
  public static List<TypedLiteral> literals(
      ViewDef view, CatalogView catalog, FunctionRegistry functions) {
    BindContext inside =
        new BindContext(catalog, view.searchPath(), functions, NO_PARAMETERS).inside(view);
    List<TypedLiteral> literals = inside.recordLiterals();
    ViewExpander.bind(view.sql(), inside);
    return literals;
  }

  /** The query of a view's text. */
  static org.apache.calcite.sql.SqlNode parse(String sql) {
    if (PgParser.parse(sql).statement() instanceof PgStatement.Query query) {
      return query.node();
    }
    throw GaussException.notSupported("a view of a statement that is no query");
  }
}
