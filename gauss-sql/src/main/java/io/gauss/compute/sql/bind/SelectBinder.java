package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.Privilege;
import io.gauss.compute.sql.algebra.BoundQuery;
import io.gauss.compute.sql.algebra.PgLockRows;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.bind.set.SelectSets;
import io.gauss.compute.sql.bind.syntax.ColumnNames;
import io.gauss.compute.sql.parse.PgLocking;
import io.gauss.compute.sql.parse.PgSelect;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * Binds SELECT. The resulting algebra, from the bottom: FROM, WHERE, grouping, HAVING, the select
 * list (with columns that only ORDER BY needs), DISTINCT, sort, limit, and a projection that drops
 * those columns again. One statement, one thread.
 */
final class SelectBinder {
  private final QueryBinder queries;
  private final ExprBinder expressions;
  private final OrderBinder orders;

  SelectBinder(QueryBinder queries, OrderBinder orders) {
    this.queries = queries;
    this.expressions = queries.expressions;
    this.orders = orders;
  }

  /** A select list under construction. */
  static final class Items {
    final List<RexNode> values = new ArrayList<>();
    final List<String> names = new ArrayList<>();
    final List<int[]> origins = new ArrayList<>();

    void add(RexNode value, String name, int tableOid, int attribute) {
      values.add(value);
      names.add(name);
      origins.add(new int[] {tableOid, attribute});
    }

    List<BoundQuery.Output> outputs() {
      List<BoundQuery.Output> outputs = new ArrayList<>();
      for (int i = 0; i < values.size(); i++) {
        outputs.add(
            new BoundQuery.Output(
                names.get(i), PgRex.type(values.get(i)), origins.get(i)[0], origins.get(i)[1]));
      }
      return outputs;
    }
  }

  BoundQuery select(SqlSelect select, Scope parent, QueryBinder.Tail tail, boolean keepUnknown) {
    try {
      return bind(select, parent, tail, keepUnknown);
    } catch (GaussException e) {
      EmptySelect empty = new EmptySelect(queries.context, expressions);
      if (!empty.accepts(e, select)) {
        throw e;
      }
      Scope scope = new Scope(parent, queries.context.cluster);
      try {
        queries.from.bind(select.getFrom(), scope);
      } catch (GaussException inFrom) {
        e.addSuppressed(inFrom);
        throw e;
      }
      return empty.bind(select, scope);
    }
  }

  private BoundQuery bind(
      SqlSelect select, Scope parent, QueryBinder.Tail tail, boolean keepUnknown) {
    Scope scope = new Scope(parent, queries.context.cluster);
    if (select.getWindowList() != null) {
      scope.windows = select.getWindowList();
      WindowBinder.requireDistinctNames(scope.windows);
    }
    RelNode rel = queries.from.bind(select.getFrom(), scope);
    RexNode where = PgRex.TRUE;
    if (select.getWhere() != null) {
      where = expressions.condition(select.getWhere(), ExprContext.of(scope, "WHERE"));
      rel = LogicalFilter.create(rel, RexUtil.flatten(rel.getCluster().getRexBuilder(), where));
    }
    AggregateCollector aggregates = new AggregateCollector();
    Items items = items(select.getSelectList(), scope, aggregates);
    if (!keepUnknown) {
      items.values.replaceAll(v -> expressions.coercion.resolveUnknown(v, 0));
    }
    GroupingSets groups = GroupingSets.of(select.getGroup(), node -> groupItem(node, scope, items));
    RexNode having =
        select.getHaving() == null
            ? null
            : expressions.condition(
                select.getHaving(), new ExprContext(scope, "HAVING", aggregates, false));
    List<OrderBinder.Key> keys = new ArrayList<>();
    if (tail.order() != null) {
      ExprContext in = new ExprContext(scope, "ORDER BY", aggregates, false);
      for (SqlNode node : tail.order()) {
        keys.add(orders.bind(node, items.names, items.values, in));
      }
    }
    List<OrderBinder.Key> distinctOn = new ArrayList<>();
    if (select instanceof PgSelect first) {
      ExprContext in = new ExprContext(scope, "ORDER BY", aggregates, false);
      for (SqlNode node : first.distinctOn()) {
        distinctOn.add(orders.bind(node, items.names, items.values, in));
      }
    }
    if (!aggregates.isEmpty() && scope.relations.stream().anyMatch(r -> r.ofItself)) {
      throw new GaussException(
          SqlState.INVALID_RECURSION,
          "aggregate functions are not allowed in a recursive query's recursive term");
    }
    boolean grouped = select.getGroup() != null || having != null || !aggregates.isEmpty();
    if (!tail.locking().isEmpty()) {
      refuseLocking(tail, select, grouped);
      if (scope.relations.stream().anyMatch(relation -> relation.ofView)) {
        throw GaussException.notSupported(
            QueryBinder.lockName(tail.locking().getFirst()) + " of a view");
      }
      if (items.values.stream().anyMatch(SelectWindows::isIn)) {
        throw new GaussException(
            SqlState.FEATURE_NOT_SUPPORTED,
            QueryBinder.lockName(tail.locking().getFirst())
                + " is not allowed with window functions");
      }
      if (items.values.stream().anyMatch(SelectSets::isIn)) {
        throw GaussException.notSupported(
            QueryBinder.lockName(tail.locking().getFirst())
                + " with set-returning functions in the select list");
      }
      return locking(rel, scope, items, keys, tail, parent);
    }
    List<RexNode> values = items.values;
    if (grouped) {
      Grouping grouping = new Grouping(scope, groups, aggregates);
      RexNode groupedHaving = having == null ? null : grouping.rewrite(having);
      List<RexNode> above = new ArrayList<>();
      for (RexNode value : values) {
        above.add(grouping.rewrite(value));
      }
      keys.replaceAll(k -> k.rewritten(grouping::rewrite));
      distinctOn.replaceAll(k -> k.rewritten(grouping::rewrite));
      rel = grouping.apply(rel);
      if (groupedHaving != null) {
        rel = groups.groups().isEmpty() ? Grouping.kept(rel) : rel;
        rel =
            LogicalFilter.create(
                rel, RexUtil.flatten(rel.getCluster().getRexBuilder(), groupedHaving));
      }
      values = above;
    }
    return new BoundQuery(
        project(
            rel,
            values,
            items,
            keys,
            select.isDistinct() && distinctOn.isEmpty(),
            distinctOn,
            tail,
            parent),
        items.outputs());
  }

  /** Select list, DISTINCT, sort and limit over the row from which the list is computed. */
  private RelNode project(
      RelNode input,
      List<RexNode> values,
      Items items,
      List<OrderBinder.Key> keys,
      boolean distinct,
      List<OrderBinder.Key> distinctOn,
      QueryBinder.Tail tail,
      Scope parent) {
    List<RexNode> columns = new ArrayList<>(values);
    List<String> names = new ArrayList<>(items.names);
    List<RelFieldCollation> fields = new ArrayList<>();
    ImmutableBitSet seen = ImmutableBitSet.of();
    for (OrderBinder.Key key : keys) {
      int column = key.output();
      if (column < 0) {
        if (distinct) {
          throw new GaussException(
                  SqlState.INVALID_COLUMN_REFERENCE,
                  "for SELECT DISTINCT, ORDER BY expressions must appear in select list")
              .position(key.position());
        }
        column = hidden(key, columns, names);
      }
      if (!seen.get(column)) {
        seen = seen.set(column);
        fields.add(OrderBinder.field(column, key.descending(), key.nullsFirst()));
      }
    }
    List<Integer> firstOf = new ArrayList<>();
    for (OrderBinder.Key key : distinctOn) {
      firstOf.add(key.output() >= 0 ? key.output() : hidden(key, columns, names));
    }
    DistinctOn.check(firstOf, fields, distinctOn);
    RelNode source = input;
    SelectWindows windows = SelectWindows.of(input, columns);
    if (windows != null) {
      source = windows.rel();
      columns = windows.rewritten(columns);
    }
    SelectSets sets = SelectSets.of(source, columns);
    if (sets != null) {
      source = sets.rel();
      columns = sets.expressions();
    }
    RelNode rel = LogicalProject.create(source, List.of(), columns, names);
    if (distinct) {
      columns.forEach(column -> Sortable.requireEquality(PgRex.type(column), 0));
      rel =
          LogicalAggregate.create(
              rel, List.of(), ImmutableBitSet.range(columns.size()), null, List.of());
    }
    if (!firstOf.isEmpty()) {
      rel = DistinctOn.first(rel, firstOf, fields);
    }
    if (!fields.isEmpty()) {
      rel = LogicalSort.create(rel, RelCollations.of(fields), null, null);
    }
    rel = queries.limited(rel, tail, parent);
    if (columns.size() > values.size()) {
      rel = firstColumns(rel, values.size(), items.names);
    }
    return rel;
  }

  /** The column that holds a key's expression; added when there is none yet. */
  private static int hidden(OrderBinder.Key key, List<RexNode> columns, List<String> names) {
    int column = columns.indexOf(key.expression());
    if (column < 0) {
      column = columns.size();
      columns.add(key.expression());
      names.add("order" + column);
    }
    return column;
  }

  private static RelNode firstColumns(RelNode rel, int count, List<String> names) {
    List<RexNode> kept = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      kept.add(PgRex.input(i, rel.getRowType()));
    }
    return LogicalProject.create(rel, List.of(), kept, names);
  }

  // ------------------------------------------------------------------ select list

  Items items(SqlNodeList list, Scope scope, AggregateCollector aggregates) {
    return items(list, scope, new ExprContext(scope, "SELECT", aggregates, false));
  }

  Items items(SqlNodeList list, Scope scope, ExprContext in) {
    Items items = new Items();
    for (SqlNode node : list) {
      if (node instanceof SqlIdentifier identifier && identifier.isStar()) {
        star(identifier, scope, items);
        continue;
      }
      SqlNode value = node;
      String name = null;
      if (node.getKind() == SqlKind.AS) {
        value = ((org.apache.calcite.sql.SqlCall) node).operand(0);
        name = ((SqlIdentifier) ((org.apache.calcite.sql.SqlCall) node).operand(1)).getSimple();
      }
      if (name == null) {
        name = ColumnNames.of(value);
      }
      if (scope.parent != null && expressions.functions().isRowSet(value)) {
        // A row in a sub-query's list becomes a column for each of its fields, so that the outer
        // level can use (name).field.
        for (FunctionBinder.Field field : expressions.functions().fields((SqlCall) value, in)) {
          items.add(field.value(), Relation.fieldName(name, field.name()), 0, 0);
        }
        continue;
      }
      RexNode bound = expressions.bind(value, in);
      if (scope.parent == null) {
        RowBinder.refuse(bound, ExprBinder.position(value));
      }
      int[] origin = origin(value, scope);
      items.add(bound, name, origin[0], origin[1]);
    }
    return items;
  }

  private static int[] origin(SqlNode value, Scope scope) {
    if (value instanceof SqlIdentifier identifier) {
      Scope.Found found;
      if (identifier.names.size() == 1) {
        found = scope.column(identifier.getSimple(), 0);
      } else {
        int size = identifier.names.size();
        Relation relation =
            scope.relation(
                size == 3 ? identifier.names.get(0) : null, identifier.names.get(size - 2));
        found = scope.columnOf(relation, identifier.names.getLast(), 0);
      }
      if (found != null && found.level() == 0) {
        return new int[] {found.column().tableOid(), found.column().attribute()};
      }
    }
    return new int[2];
  }

  private void star(SqlIdentifier identifier, Scope scope, Items items) {
    int position = ExprBinder.position(identifier);
    if (identifier.names.size() > 1) {
      int size = identifier.names.size();
      String table = identifier.names.get(size - 2);
      Relation relation = scope.ownRelation(size == 3 ? identifier.names.get(0) : null, table);
      if (relation == null) {
        throw new GaussException(
                SqlState.UNDEFINED_TABLE, "missing FROM-clause entry for table \"" + table + "\"")
            .position(position);
      }
      addAll(relation, items);
      return;
    }
    boolean any = false;
    for (Relation relation : scope.relations) {
      if (relation.unqualifiedVisible) {
        addAll(relation, items);
        any = true;
      }
    }
    if (!any) {
      throw new GaussException(
              SqlState.SYNTAX_ERROR, "SELECT * with no tables specified is not valid")
          .position(position);
    }
  }

  private void addAll(Relation relation, Items items) {
    for (Relation.Column column : relation.columns) {
      if (Relation.isField(column.name())) {
        throw GaussException.notSupported("a row as a value");
      }
      queries.context.noteUse(column);
      items.add(column.expression(), column.name(), column.tableOid(), column.attribute());
    }
  }

  // ------------------------------------------------------------------ GROUP BY

  private RexNode groupItem(SqlNode node, Scope scope, Items items) {
    int position = ExprBinder.position(node);
    boolean inputColumn =
        node instanceof SqlIdentifier identifier
            && identifier.names.size() == 1
            && scope.column(identifier.getSimple(), position) != null;
    if (!inputColumn) {
      int output = OrderBinder.output(node, items.names, items.values, "GROUP BY");
      if (output >= 0) {
        RexNode value = items.values.get(output);
        if (Grouping.hasAggregate(value)) {
          throw new GaussException(
                  SqlState.GROUPING_ERROR, "aggregate functions are not allowed in GROUP BY")
              .position(position);
        }
        if (SelectWindows.isIn(value)) {
          throw new GaussException(
                  SqlState.WINDOWING_ERROR, "window functions are not allowed in GROUP BY")
              .position(position);
        }
        if (SelectSets.isIn(value)) {
          throw GaussException.notSupported("a set-returning function in GROUP BY")
              .position(position);
        }
        Sortable.requireEquality(PgRex.type(value), position);
        return value;
      }
    }
    RexNode bound = expressions.bind(node, ExprContext.of(scope, "GROUP BY"));
    Sortable.requireEquality(PgRex.type(bound), position);
    return expressions.coercion.resolveUnknown(bound, position);
  }

  // ------------------------------------------------------------------ FOR UPDATE

  private static void refuseLocking(QueryBinder.Tail tail, SqlSelect select, boolean grouped) {
    String what = null;
    if (select.isDistinct()) {
      what = "DISTINCT clause";
    } else if (select.getGroup() != null) {
      what = "GROUP BY clause";
    } else if (select.getHaving() != null) {
      what = "HAVING clause";
    } else if (grouped) {
      what = "aggregate functions";
    }
    if (what != null) {
      PgLocking.Clause clause = tail.locking().getFirst();
      throw new GaussException(
              SqlState.FEATURE_NOT_SUPPORTED,
              QueryBinder.lockName(clause) + " is not allowed with " + what)
          .position(clause.position());
    }
  }

  /** Sorts and locks rows of the FROM clause, limits, and only then computes the select list. */
  private BoundQuery locking(
      RelNode input,
      Scope scope,
      Items items,
      List<OrderBinder.Key> keys,
      QueryBinder.Tail tail,
      Scope parent) {
    RelNode rel = input;
    int width = rel.getRowType().getFieldCount();
    if (!keys.isEmpty()) {
      List<RexNode> columns = new ArrayList<>();
      for (int i = 0; i < width; i++) {
        columns.add(PgRex.input(i, rel.getRowType()));
      }
      List<RelFieldCollation> fields = new ArrayList<>();
      ImmutableBitSet seen = ImmutableBitSet.of();
      for (OrderBinder.Key key : keys) {
        RexNode value = key.output() >= 0 ? items.values.get(key.output()) : key.expression();
        int column = columns.indexOf(value);
        if (column < 0) {
          column = columns.size();
          columns.add(value);
        }
        if (!seen.get(column)) {
          seen = seen.set(column);
          fields.add(OrderBinder.field(column, key.descending(), key.nullsFirst()));
        }
      }
      if (columns.size() > width) {
        rel = LogicalProject.create(rel, List.of(), columns, (List<String>) null);
      }
      rel = LogicalSort.create(rel, RelCollations.of(fields), null, null);
    }
    List<PgLockRows.OuterJoin> outerJoins = new ArrayList<>();
    List<RexNode> recheck = new ArrayList<>();
    JoinConditions.ofEveryRow(input, 0, outerJoins, recheck);
    rel = new PgLockRows(rel, marks(scope, tail), outerJoins, PgRex.and(recheck));
    rel = queries.limited(rel, tail, parent);
    rel = LogicalProject.create(rel, List.of(), items.values, items.names);
    return new BoundQuery(rel, items.outputs());
  }

  private List<PgLockRows.Mark> marks(Scope scope, QueryBinder.Tail tail) {
    List<PgLockRows.Mark> marks = new ArrayList<>();
    for (PgLocking.Clause clause : tail.locking()) {
      queries.context.changes().lock(clause.strength());
      for (String name : clause.of()) {
        Relation relation = scope.ownRelation(null, name);
        if (relation == null) {
          throw new GaussException(
                  SqlState.UNDEFINED_TABLE,
                  "relation \""
                      + name
                      + "\" in "
                      + QueryBinder.lockName(clause)
                      + " clause not found in FROM clause")
              .position(clause.position());
        }
      }
      for (Relation relation : scope.relations) {
        boolean wanted = clause.of().isEmpty() || clause.of().contains(relation.name);
        if (wanted && relation.ofQuery) {
          throw GaussException.notSupported(QueryBinder.lockName(clause) + " of a sub-query")
              .position(clause.position());
        }
        if (wanted && relation.table != null) {
          queries.context.require(relation.table, Privilege.UPDATE);
          marks.add(
              new PgLockRows.Mark(
                  relation.table, relation.base, clause.onLocked(), QueryBinder.lockName(clause)));
        }
      }
    }
    return marks;
  }
}
