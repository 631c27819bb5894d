package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.call.CastContext;
import io.gauss.compute.sql.algebra.BoundQuery;
import io.gauss.compute.sql.algebra.BoundStatement;
import io.gauss.compute.sql.algebra.CommonTable;
import io.gauss.compute.sql.algebra.PgCommonTableScan;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.algebra.PgTypeFactory;
import io.gauss.compute.sql.algebra.PgValues;
import io.gauss.compute.sql.algebra.SubQueries;
import io.gauss.compute.sql.parse.PgLocking;
import io.gauss.compute.sql.parse.PgWithItem;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalIntersect;
import org.apache.calcite.rel.logical.LogicalMinus;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rel.logical.LogicalUnion;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlSetOperator;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.SqlWithItem;

/**
 * Binds queries: WITH, set operations, VALUES, ORDER BY and LIMIT around them. One statement, one
 * thread.
 */
final class QueryBinder {
  /** Binds statements that change tables; null inside views, which have none. */
  BiFunction<SqlNode, Scope, BoundStatement> writes;

  final BindContext context;
  final ExprBinder expressions;
  final FromBinder from;
  private final SelectBinder selects;
  private final OrderBinder orders;

  QueryBinder(BindContext context) {
    this.context = context;
    this.expressions = new ExprBinder(context, this);
    this.from = new FromBinder(context, this, expressions);
    this.orders = new OrderBinder(expressions);
    this.selects = new SelectBinder(this, orders);
  }

  SelectBinder selects() {
    return selects;
  }

  /** A query inside another one; the outer levels are visible. */
  BoundQuery subQuery(SqlNode node, Scope parent) {
    return query(node, parent, Tail.NONE, false);
  }

  /**
   * The clauses around a query body.
   *
   * @param order null = none
   * @param locking null = none
   */
  record Tail(SqlNodeList order, SqlNode offset, SqlNode fetch, List<PgLocking.Clause> locking) {
    static final Tail NONE = new Tail(null, null, null, List.of());

    boolean isEmpty() {
      return order == null && offset == null && fetch == null && locking.isEmpty();
    }
  }

  /**
   * @param keepUnknown leaves untyped literals of the select list as they are: INSERT gives them
   *     its columns' types
   */
  BoundQuery query(SqlNode node, Scope parent, Tail tail, boolean keepUnknown) {
    switch (node) {
      case SqlWith with -> {
        return with(with, parent, tail, keepUnknown);
      }
      case PgLocking locking -> {
        return parent == null
            ? locked(locking, null, tail, keepUnknown)
            : lockedOnce(locking, parent, tail);
      }
      case SqlOrderBy order -> {
        SqlNodeList list = order.orderList.isEmpty() ? null : order.orderList;
        if (!tail.isEmpty() && (tail.order() != null || tail.fetch() != null)) {
          // Parentheses around a query that has its own order or limit.
          BoundQuery inner =
              query(
                  order.query, parent, new Tail(list, order.offset, order.fetch, List.of()), false);
          return finish(inner, tail, parent);
        }
        return query(
            order.query,
            parent,
            new Tail(list, order.offset, order.fetch, tail.locking()),
            keepUnknown);
      }
      case SqlSelect select -> {
        return selects.select(select, parent, tail, keepUnknown);
      }
      default -> {}
    }
    SqlCall call = (SqlCall) node;
    return switch (call.getKind()) {
      case UNION, INTERSECT, EXCEPT -> finish(setOperation(call, parent), tail, parent);
      case VALUES -> finish(values(call, parent, keepUnknown), tail, parent);
      case EXPLICIT_TABLE -> finish(wholeTable(call, parent), tail, parent);
      default ->
          throw GaussException.notSupported("query " + call.getOperator().getName())
              .position(ExprBinder.position(node));
    };
  }

  private BoundQuery with(SqlWith with, Scope parent, Tail tail, boolean keepUnknown) {
    Scope scope = withScope(with.withList, parent);
    return parent == null && with.body instanceof PgLocking locking
        ? locked(locking, scope, tail, keepUnknown)
        : query(with.body, scope, tail, keepUnknown);
  }

  private BoundQuery locked(PgLocking locking, Scope parent, Tail tail, boolean keepUnknown) {
    return query(
        locking.query(),
        parent,
        new Tail(tail.order(), tail.offset(), tail.fetch(), locking.clauses()),
        keepUnknown);
  }

  /** A sub-query that locks rows: they are computed once, however often the plan reads them. */
  private BoundQuery lockedOnce(PgLocking locking, Scope parent, Tail tail) {
    if (context.view != null || context.recorder != null) {
      throw GaussException.notSupported(lockName(locking.clauses().getFirst()) + " in a view")
          .position(locking.clauses().getFirst().position());
    }
    BoundQuery query = locked(locking, parent, tail, false);
    return reading(CommonTable.ofLocked(query), query);
  }

  /** A level that holds common table expressions only. */
  Scope withScope(SqlNodeList items, Scope parent) {
    Scope scope = new Scope(parent, context.cluster);
    for (SqlNode node : items) {
      SqlWithItem item = (SqlWithItem) node;
      String name = item.name.getSimple();
      int position = ExprBinder.position(item.name);
      if (scope.ctes.containsKey(name)) {
        throw new GaussException(
                SqlState.DUPLICATE_ALIAS,
                "WITH query name \"" + name + "\" specified more than once")
            .position(position);
      }
      if (RecursiveBinder.isRecursive(item)) {
        scope.ctes.put(name, kept(item, new RecursiveBinder(this).bind(item, scope)));
        continue;
      }
      if (item.query.getKind().belongsTo(SqlKind.DML)) {
        scope.ctes.put(name, write(item, scope, parent != null));
        continue;
      }
      BoundQuery bound = subQuery(item.query, scope);
      if (item.columnList != null) {
        bound = renamed(bound, item.columnList, name, position);
      }
      scope.ctes.put(name, kept(item, bound));
    }
    // The level has no FROM row; name look-up skips a level whose row is open.
    return scope;
  }

  private Scope.Cte kept(SqlWithItem item, BoundQuery query) {
    String name = item.name.getSimple();
    CommonTable table = CommonTable.of(name, query, ((PgWithItem) item).materialized);
    return new Scope.Cte(name, reading(table, query), table);
  }

  private BoundQuery reading(CommonTable table, BoundQuery query) {
    return new BoundQuery(
        new PgCommonTableScan(context.cluster, query.rel().getRowType(), table), query.columns());
  }

  /** INSERT, UPDATE or DELETE in WITH. */
  private Scope.Cte write(SqlWithItem item, Scope scope, boolean nested) {
    String name = item.name.getSimple();
    int position = ExprBinder.position(item.name);
    if (writes == null) {
      throw new GaussException(
          SqlState.FEATURE_NOT_SUPPORTED,
          "views must not contain data-modifying statements in WITH");
    }
    if (nested) {
      throw new GaussException(
              SqlState.FEATURE_NOT_SUPPORTED,
              "WITH clause containing a data-modifying statement must be at the top level")
          .position(position);
    }
    BoundStatement write = writes.apply(item.query, scope);
    CommonTable table = CommonTable.of(name, write);
    context.writes.add(table);
    if (write.columns().isEmpty()) {
      return new Scope.Cte(name, null, table);
    }
    var row = PgTypeFactory.INSTANCE.builder();
    for (int i = 0; i < write.columns().size(); i++) {
      row.add("f" + i, PgRex.rel(write.columns().get(i).type()));
    }
    BoundQuery query =
        new BoundQuery(new PgCommonTableScan(context.cluster, row.build(), table), write.columns());
    if (item.columnList != null) {
      query = renamed(query, item.columnList, name, position);
    }
    return new Scope.Cte(name, query, table);
  }

  static BoundQuery renamed(BoundQuery query, SqlNodeList names, String name, int position) {
    List<BoundQuery.Output> columns = new ArrayList<>(query.columns());
    if (names.size() > columns.size()) {
      throw new GaussException(
              SqlState.INVALID_COLUMN_REFERENCE,
              "WITH query \""
                  + name
                  + "\" has "
                  + columns.size()
                  + " columns available but "
                  + names.size()
                  + " columns specified")
          .position(position);
    }
    for (int i = 0; i < names.size(); i++) {
      BoundQuery.Output old = columns.get(i);
      columns.set(
          i,
          new BoundQuery.Output(
              ((SqlIdentifier) names.get(i)).getSimple(),
              old.type(),
              old.tableOid(),
              old.attribute()));
    }
    return new BoundQuery(query.rel(), columns);
  }

  // ------------------------------------------------------------------ bodies other than SELECT

  private BoundQuery setOperation(SqlCall call, Scope parent) {
    List<BoundQuery> inputs = new ArrayList<>();
    for (SqlNode operand : call.getOperandList()) {
      inputs.add(query(operand, parent, Tail.NONE, true));
    }
    String name = call.getKind().name();
    BoundQuery first = inputs.getFirst();
    int columns = first.columns().size();
    for (int i = 0; i < inputs.size(); i++) {
      if (inputs.get(i).columns().size() != columns) {
        throw new GaussException(
                SqlState.SYNTAX_ERROR,
                "each " + name + " query must have the same number of columns")
            .position(ExprBinder.position(firstItem(call.operand(i))));
      }
    }
    PgType[] types = new PgType[columns];
    for (int c = 0; c < columns; c++) {
      List<RexNode> samples = new ArrayList<>();
      for (BoundQuery input : inputs) {
        samples.add(PgRex.input(c, input.rel().getRowType()));
      }
      types[c] = expressions.coercion.common(name, samples, ExprBinder.position(call));
    }
    List<RelNode> rels = new ArrayList<>();
    for (BoundQuery input : inputs) {
      rels.add(coerced(input.rel(), types, CastContext.IMPLICIT, null));
    }
    boolean all = ((SqlSetOperator) call.getOperator()).isAll();
    if (!all || call.getKind() != SqlKind.UNION) {
      for (PgType type : types) {
        Sortable.requireEquality(type, ExprBinder.position(call));
      }
    }
    RelNode rel =
        switch (call.getKind()) {
          case UNION -> LogicalUnion.create(rels, all);
          case INTERSECT -> LogicalIntersect.create(rels, all);
          default -> LogicalMinus.create(rels, all);
        };
    List<BoundQuery.Output> outputs = new ArrayList<>();
    for (int c = 0; c < columns; c++) {
      outputs.add(new BoundQuery.Output(first.columns().get(c).name(), types[c], 0, 0));
    }
    return new BoundQuery(rel, outputs);
  }

  private static SqlNode firstItem(SqlNode query) {
    return query instanceof SqlSelect select && !select.getSelectList().isEmpty()
        ? select.getSelectList().get(0)
        : query;
  }

  /**
   * Brings a query's columns to types.
   *
   * @param names of target columns for error messages, or null
   */
  RelNode coerced(RelNode rel, PgType[] types, CastContext assignment, List<String> names) {
    List<RexNode> exprs = new ArrayList<>();
    boolean changed = false;
    RelNode input = rel;
    boolean merge =
        rel instanceof LogicalProject project
            && project.getProjects().stream().anyMatch(p -> PgRex.type(p).isUnknown());
    if (rel instanceof PgValues values && values.rows().size() >= 1 && types.length > 0) {
      return coercedValues(values, types, assignment, names);
    }
    for (int i = 0; i < types.length; i++) {
      RexNode node =
          merge ? ((LogicalProject) rel).getProjects().get(i) : PgRex.input(i, rel.getRowType());
      RexNode to = assign(node, types[i], assignment, names == null ? null : names.get(i));
      changed |= to != node;
      exprs.add(to);
    }
    if (merge) {
      input = ((LogicalProject) rel).getInput();
    }
    return changed
        ? LogicalProject.create(
            input, List.of(), exprs, rel.getRowType().getFieldNames().subList(0, types.length))
        : rel;
  }

  private PgValues coercedValues(
      PgValues values, PgType[] types, CastContext assignment, List<String> names) {
    List<List<RexNode>> rows = new ArrayList<>();
    for (List<RexNode> row : values.rows()) {
      List<RexNode> typed = new ArrayList<>();
      for (int i = 0; i < types.length; i++) {
        typed.add(assign(row.get(i), types[i], assignment, names == null ? null : names.get(i)));
      }
      rows.add(typed);
    }
    return valuesOf(rows, types, values.getRowType().getFieldNames());
  }

  PgValues valuesOf(List<List<RexNode>> rows, PgType[] types, List<String> names) {
    var builder = PgTypeFactory.INSTANCE.builder();
    for (int i = 0; i < types.length; i++) {
      builder.add(names == null ? "column" + (i + 1) : names.get(i), PgRex.rel(types[i]));
    }
    return new PgValues(context.cluster, builder.build(), rows);
  }

  /**
   * Converts on assignment to a column, with PostgreSQL's message when there is no such conversion.
   */
  RexNode assign(RexNode node, PgType type, CastContext assignment, String column) {
    try {
      return expressions.coercion.to(node, type, assignment, 0);
    } catch (GaussException e) {
      if (column != null && e.state() == SqlState.CANNOT_COERCE) {
        throw new GaussException(
                SqlState.DATATYPE_MISMATCH,
                "column \""
                    + column
                    + "\" is of type "
                    + type.displayName()
                    + " but expression is of type "
                    + PgRex.type(node).displayName())
            .hint("You will need to rewrite or cast the expression.");
      }
      throw e;
    }
  }

  private BoundQuery values(SqlCall call, Scope parent, boolean keepUnknown) {
    Scope scope = new Scope(parent, context.cluster);
    scope.close(PgTypeFactory.INSTANCE.builder().build());
    List<List<RexNode>> rows = new ArrayList<>();
    int columns = -1;
    boolean subQueries = false;
    for (SqlNode row : call.getOperandList()) {
      List<RexNode> cells = new ArrayList<>();
      for (SqlNode cell : ((SqlCall) row).getOperandList()) {
        RexNode bound = expressions.bind(cell, ExprContext.of(scope, "VALUES"));
        subQueries |= SubQueries.isIn(bound);
        cells.add(bound);
      }
      if (columns >= 0 && columns != cells.size()) {
        throw new GaussException(SqlState.SYNTAX_ERROR, "VALUES lists must all be the same length")
            .position(ExprBinder.position(((SqlCall) row).operand(0)));
      }
      columns = cells.size();
      rows.add(cells);
    }
    PgType[] types = new PgType[columns];
    List<BoundQuery.Output> outputs = new ArrayList<>();
    for (int c = 0; c < columns; c++) {
      List<RexNode> column = new ArrayList<>();
      boolean unknown = true;
      for (List<RexNode> row : rows) {
        column.add(row.get(c));
        unknown &= PgRex.type(row.get(c)).isUnknown();
      }
      types[c] =
          unknown && keepUnknown
              ? PgType.UNKNOWN
              : expressions.coercion.common("VALUES", column, ExprBinder.position(call));
      for (List<RexNode> row : rows) {
        if (!types[c].isUnknown()) {
          row.set(c, expressions.implicit(row.get(c), types[c], ExprBinder.position(call)));
        }
      }
      outputs.add(new BoundQuery.Output("column" + (c + 1), types[c], 0, 0));
    }
    RelNode rel =
        subQueries
            ? projected(rows, outputs.stream().map(BoundQuery.Output::name).toList())
            : valuesOf(rows, types, null);
    return new BoundQuery(rel, outputs);
  }

  /** Rows with sub-queries: a union of projections, each of one row without columns. */
  RelNode projected(List<List<RexNode>> rows, List<String> names) {
    List<RelNode> projections = new ArrayList<>();
    for (List<RexNode> row : rows) {
      projections.add(
          LogicalProject.create(PgValues.oneRow(context.cluster), List.of(), row, names));
    }
    return projections.size() == 1
        ? projections.getFirst()
        : LogicalUnion.create(projections, true);
  }

  private BoundQuery wholeTable(SqlCall call, Scope parent) {
    Scope scope = new Scope(parent, context.cluster);
    RelNode rel = from.bind(call.operand(0), scope);
    Relation relation = scope.relations.getFirst();
    List<RexNode> exprs = new ArrayList<>();
    List<String> names = new ArrayList<>();
    List<BoundQuery.Output> outputs = new ArrayList<>();
    for (Relation.Column column : relation.columns) {
      context.noteUse(column);
      exprs.add(column.expression());
      names.add(column.name());
      outputs.add(
          new BoundQuery.Output(
              column.name(),
              PgRex.type(column.expression()),
              column.tableOid(),
              column.attribute()));
    }
    return new BoundQuery(LogicalProject.create(rel, List.of(), exprs, names), outputs);
  }

  // ------------------------------------------------------------------ ORDER BY and LIMIT of those

  private BoundQuery finish(BoundQuery query, Tail tail, Scope parent) {
    if (!tail.locking().isEmpty()) {
      throw new GaussException(
              SqlState.FEATURE_NOT_SUPPORTED,
              lockName(tail.locking().getFirst()) + " is not allowed with UNION/INTERSECT/EXCEPT")
          .position(tail.locking().getFirst().position());
    }
    RelNode rel = query.rel();
    if (tail.order() != null) {
      List<OrderBinder.Key> keys = new ArrayList<>();
      for (SqlNode item : tail.order()) {
        keys.add(orders.outputOnly(item, query.columns(), rel.getRowType()));
      }
      rel = LogicalSort.create(rel, orders.collation(keys), null, null);
    }
    return new BoundQuery(limited(rel, tail, parent), query.columns());
  }

  static String lockName(PgLocking.Clause clause) {
    return switch (clause.strength()) {
      case KEY_SHARE -> "FOR KEY SHARE";
      case SHARE -> "FOR SHARE";
      case NO_KEY_UPDATE -> "FOR NO KEY UPDATE";
      case UPDATE -> "FOR UPDATE";
    };
  }

  RelNode limited(RelNode rel, Tail tail, Scope parent) {
    if (tail.fetch() == null && tail.offset() == null) {
      return rel;
    }
    RexNode offset = count(tail.offset(), "OFFSET", parent);
    RexNode fetch = count(tail.fetch(), "LIMIT", parent);
    RelCollation collation = RelCollations.EMPTY;
    RelNode input = rel;
    if (rel instanceof LogicalSort sort && sort.fetch == null && sort.offset == null) {
      collation = sort.getCollation();
      input = sort.getInput();
    }
    return LogicalSort.create(input, collation, offset, fetch);
  }

  private RexNode count(SqlNode node, String clause, Scope parent) {
    if (node == null) {
      return null;
    }
    Scope scope = new Scope(parent, context.cluster);
    scope.close(PgTypeFactory.INSTANCE.builder().build());
    int position = ExprBinder.position(node);
    RexNode bound = expressions.bind(node, ExprContext.of(scope, clause));
    SubQueries.refuse(bound, "a sub-query in " + clause);
    PgType type = PgRex.type(bound);
    boolean fits =
        type.isUnknown()
            || io.gauss.compute.expr.call.CastRegistry.canCoerce(
                type, PgType.INT8, CastContext.ASSIGNMENT);
    if (!fits) {
      throw new GaussException(
              SqlState.DATATYPE_MISMATCH,
              "argument of " + clause + " must be type bigint, not type " + type.displayName())
          .position(position);
    }
    return expressions.coercion.to(bound, PgType.INT8, CastContext.ASSIGNMENT, position);
  }
}
