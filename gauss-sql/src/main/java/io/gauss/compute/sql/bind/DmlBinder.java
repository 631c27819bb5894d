package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.CatalogObject;
import io.gauss.compute.catalog.Privilege;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.expr.call.CastContext;
import io.gauss.compute.sql.algebra.BoundQuery;
import io.gauss.compute.sql.algebra.BoundStatement;
import io.gauss.compute.sql.algebra.PgDomainCast;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.algebra.SubQueries;
import io.gauss.compute.sql.bind.type.Coercion;
import io.gauss.compute.sql.parse.Assignment;
import io.gauss.compute.sql.parse.PgDelete;
import io.gauss.compute.sql.parse.PgOperators;
import io.gauss.compute.sql.parse.PgUpdate;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalTableScan;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;

/** Binds UPDATE and DELETE. One statement, one thread. */
final class DmlBinder {
  private final BindContext context;
  private final QueryBinder queries;
  private final ExprBinder expressions;
  private final SelectBinder selects;
  private final ColumnDefaults defaults;

  /** Assignments to elements of arrays so far: by identity, since others may build on them. */
  private final Set<RexNode> elements = Collections.newSetFromMap(new IdentityHashMap<>());

  DmlBinder(QueryBinder queries, SelectBinder selects, ColumnDefaults defaults) {
    this.context = queries.context;
    this.queries = queries;
    this.expressions = queries.expressions;
    this.selects = selects;
    this.defaults = defaults;
  }

  /** Target and scope of a statement. */
  private record Target(
      TableDef table, UpdatableView view, Relation relation, Scope scope, RelNode rel) {}

  private Target target(
      SqlIdentifier name,
      SqlIdentifier alias,
      SqlNodeList with,
      Scope around,
      SqlNode others,
      Privilege privilege,
      String verb) {
    Scope parent = with == null ? around : queries.withScope(with, around);
    CatalogObject found = FromBinder.target(context, name);
    Scope scope = new Scope(parent, context.cluster);
    String written = alias == null ? null : alias.getSimple();
    UpdatableView view = null;
    TableDef table;
    Relation relation;
    if (found instanceof ViewDef over) {
      view = UpdatableView.of(context, over, verb, privilege);
      table = view.base();
      relation = view.relation(written);
    } else {
      table = (TableDef) found;
      context.require(table, privilege);
      relation = FromBinder.tableRelation(table, written, null, 0, ExprBinder.position(name));
    }
    FromBinder.addRelation(relation, scope);
    RelNode rel = LogicalTableScan.create(context.cluster, context.table(table), List.of());
    if (others != null) {
      RelNode right = queries.from.item(others, scope, rel.getRowType().getFieldCount());
      rel = LogicalJoin.create(rel, right, List.of(), PgRex.TRUE, Set.of(), JoinRelType.INNER);
    }
    scope.close(rel.getRowType());
    return new Target(table, view, relation, scope, rel);
  }

  /** Types of the parameters; those of a statement in WITH are known with the whole statement. */
  static PgType[] parameters(BindContext context, Scope around) {
    return around == null ? context.parameters.decided() : new PgType[0];
  }

  /**
   * @param around the scope that a statement in WITH sees; null for the statement itself
   */
  BoundStatement.Modify update(PgUpdate update, Scope around) {
    Target target =
        target(
            update.table,
            update.alias,
            update.with,
            around,
            update.from,
            Privilege.UPDATE,
            "update");
    RexNode where = where(update.where, target);
    List<Assignment> set =
        target.view() == null ? update.set : ofBase(update.set, target.view(), "update");
    Map<Integer, RexNode> sets = assignments(set, target.table(), target.scope(), "UPDATE");
    RelNode rel = filtered(target.rel(), where);
    Returning returning = returning(update.returning, target);
    requireRead(target, where, sets.values(), returning);
    return new BoundStatement.Modify(
        target.table(),
        rel,
        where,
        sets.keySet().stream().mapToInt(Integer::intValue).toArray(),
        List.copyOf(sets.values()),
        returning.values(),
        returning.columns(),
        parameters(context, around));
  }

  BoundStatement.Modify delete(PgDelete delete, Scope around) {
    Target target =
        target(
            delete.table,
            delete.alias,
            delete.with,
            around,
            delete.using,
            Privilege.DELETE,
            "delete from");
    RexNode where = where(delete.where, target);
    RelNode rel = filtered(target.rel(), where);
    Returning returning = returning(delete.returning, target);
    requireRead(target, where, List.of(), returning);
    return new BoundStatement.Modify(
        target.table(),
        rel,
        where,
        null,
        null,
        returning.values(),
        returning.columns(),
        parameters(context, around));
  }

  /** Assignments to a view's columns as assignments to its table's. */
  static List<Assignment> ofBase(List<Assignment> set, UpdatableView view, String verb) {
    List<Assignment> moved = new ArrayList<>();
    for (Assignment assignment : set) {
      List<SqlIdentifier> columns = new ArrayList<>();
      for (SqlIdentifier column : assignment.columns()) {
        String name = view.baseColumn(column.names.getLast(), verb, ExprBinder.position(column));
        columns.add(new SqlIdentifier(name, column.getParserPosition()));
      }
      moved.add(
          new Assignment(
              columns, assignment.value(), assignment.multiple(), assignment.subscript()));
    }
    return moved;
  }

  private void requireRead(
      Target target, RexNode where, Collection<RexNode> values, Returning returning) {
    if (target.view() == null) {
      requireRead(target.table(), target.scope(), where, values, returning);
    } else {
      requireRead(target.view());
    }
  }

  /**
   * The same of a view. Its own condition is not the statement's, and its columns need not be
   * columns of the table: so what counts are the names in the statement.
   */
  void requireRead(UpdatableView view) {
    if (context.reads(view.view().oid())) {
      view.require(Privilege.SELECT);
    }
  }

  /** A statement that reads the target's columns also needs SELECT. */
  void requireRead(
      TableDef table, Scope scope, RexNode where, Collection<RexNode> values, Returning returning) {
    List<RexNode> all = new ArrayList<>(values);
    all.add(where);
    if (returning.values() != null) {
      all.addAll(returning.values());
    }
    boolean reads = scope.correlation() != null;
    for (RexNode node : all) {
      reads |= readsColumns(node, table.columns().size());
    }
    if (reads) {
      context.require(table, Privilege.SELECT);
    }
  }

  private static boolean readsColumns(RexNode node, int columns) {
    boolean[] found = new boolean[1];
    node.accept(
        new RexShuttle() {
          @Override
          public RexNode visitInputRef(RexInputRef ref) {
            found[0] |= ref.getIndex() < columns;
            return ref;
          }
        });
    return found[0];
  }

  private RexNode where(SqlNode where, Target target) {
    RexNode written =
        where == null
            ? PgRex.TRUE
            : expressions.condition(where, ExprContext.of(target.scope(), "WHERE"));
    if (target.view() == null || PgRex.isTrue(target.view().condition())) {
      return written;
    }
    return PgRex.isTrue(written)
        ? target.view().condition()
        : PgRex.and(List.of(target.view().condition(), written));
  }

  private static RelNode filtered(RelNode rel, RexNode where) {
    return PgRex.isTrue(where)
        ? rel
        : LogicalFilter.create(rel, RexUtil.flatten(rel.getCluster().getRexBuilder(), where));
  }

  // ------------------------------------------------------------------ SET

  /** Values by column position, in the order written. */
  Map<Integer, RexNode> assignments(
      List<Assignment> set, TableDef table, Scope scope, String clause) {
    Map<Integer, RexNode> values = new LinkedHashMap<>();
    ExprContext in = ExprContext.of(scope, clause);
    for (Assignment assignment : set) {
      List<SqlIdentifier> columns = assignment.columns();
      if (assignment.subscript() != null) {
        setElement(values, table, assignment, in);
        continue;
      }
      if (!assignment.multiple()) {
        set(values, table, columns.getFirst(), assignment.value(), in);
        continue;
      }
      if (assignment.value().getKind() != SqlKind.ROW) {
        if (columns.size() == 1) {
          set(values, table, columns.getFirst(), assignment.value(), in);
          continue;
        }
        SqlNode query =
            assignment.value().getKind() == SqlKind.SCALAR_QUERY
                ? ((SqlCall) assignment.value()).operand(0)
                : assignment.value();
        if (!query.isA(SqlKind.QUERY)) {
          throw new GaussException(
                  SqlState.FEATURE_NOT_SUPPORTED,
                  "source for a multiple-column UPDATE item must be a sub-SELECT or ROW()"
                      + " expression")
              .position(ExprBinder.position(assignment.value()));
        }
        int position = ExprBinder.position(query);
        List<RexNode> bound = expressions.subQueryColumns(query, columns.size(), in);
        for (int i = 0; i < columns.size(); i++) {
          set(values, table, columns.get(i), bound.get(i), position);
        }
        continue;
      }
      SqlCall row = (SqlCall) assignment.value();
      if (row.operandCount() != columns.size()) {
        throw new GaussException(
                SqlState.SYNTAX_ERROR, "number of columns does not match number of values")
            .position(ExprBinder.position(row));
      }
      for (int i = 0; i < columns.size(); i++) {
        set(values, table, columns.get(i), row.operand(i), in);
      }
    }
    return values;
  }

  /** {@code a[1] = v} and {@code a[1:2] = v}; several of them may name the same column. */
  private void setElement(
      Map<Integer, RexNode> values, TableDef table, Assignment assignment, ExprContext in) {
    SqlIdentifier name = assignment.columns().getFirst();
    int column = column(table, name);
    TableDef.ColumnDef def = table.columns().get(column);
    refuseGenerated(def);
    int position = ExprBinder.position(name);
    PgType type = def.type();
    if (!type.isArray() && !type.is(PgType.JSONB)) {
      throw new GaussException(
              SqlState.DATATYPE_MISMATCH,
              "cannot subscript type %s because it does not support subscripting"
                  .formatted(type.displayName()))
          .position(position);
    }
    RexNode before = values.getOrDefault(column, new RexInputRef(column, PgRex.rel(type)));
    boolean again = before instanceof RexCall call && elements.contains(call);
    if (again && ((RexCall) before).op instanceof PgDomainCast) {
      before = ((RexCall) before).operands.getFirst(); // the domain checks the whole change
    }
    if (values.containsKey(column) && !again) {
      put(values, table, column, before);
    }
    SqlNode subscript = assignment.subscript();
    if (subscript instanceof SqlNodeList && type.isArray()) {
      throw GaussException.notSupported("an array of more than one dimension").position(position);
    }
    if (assignment.value().getKind() == SqlKind.DEFAULT) {
      throw new GaussException(
              SqlState.FEATURE_NOT_SUPPORTED, "cannot set an array element to DEFAULT")
          .position(position);
    }
    RexNode value = expressions.bind(assignment.value(), in);
    List<RexNode> arguments;
    if (type.is(PgType.JSONB)) {
      arguments = new ArrayList<>(expressions.jsonbSteps(subscript, in, position));
      arguments.addFirst(before);
      arguments.add(assignedPart(value, type, assignment));
    } else if (subscript instanceof SqlCall slice && slice.getOperator() == PgOperators.SLICE) {
      arguments =
          List.of(
              before,
              expressions.bound(slice.operand(0), Integer.MIN_VALUE, in),
              expressions.bound(slice.operand(1), Integer.MAX_VALUE, in),
              assignedPart(value, type, assignment));
    } else {
      PgType element =
          type.element().isDomain() ? type.element() : type.element().withTypmod(type.typmod());
      arguments =
          List.of(
              before,
              expressions.bound(subscript, 0, in),
              assignedPart(value, element, assignment));
    }
    String function = type.isArray() && arguments.size() == 4 ? "[:]=" : "[]=";
    RexNode changed = expressions.functions().call(function, arguments, position);
    elements.add(changed);
    values.put(column, assigned(changed, def, position));
    if (values.get(column) != changed) {
      elements.add(values.get(column));
    }
  }

  /** The value of a part of a column, which has the type of the parts. */
  private RexNode assignedPart(RexNode value, PgType type, Assignment assignment) {
    SqlIdentifier name = assignment.columns().getFirst();
    try {
      return queries.assign(value, type, CastContext.ASSIGNMENT, null);
    } catch (GaussException e) {
      if (e.state() != SqlState.CANNOT_COERCE) {
        throw Coercion.at(e, ExprBinder.position(assignment.value()));
      }
      throw new GaussException(
              SqlState.DATATYPE_MISMATCH,
              "subscripted assignment to \"%s\" requires type %s but expression is of type %s"
                  .formatted(name.getSimple(), type.displayName(), PgRex.type(value).displayName()))
          .hint("You will need to rewrite or cast the expression.")
          .position(ExprBinder.position(name));
    }
  }

  private void set(
      Map<Integer, RexNode> values,
      TableDef table,
      SqlIdentifier name,
      SqlNode value,
      ExprContext in) {
    if (value.getKind() == SqlKind.DEFAULT) {
      int column = column(table, name);
      put(values, table, column, defaults.of(table, column));
      return;
    }
    refuseGenerated(table.columns().get(column(table, name)));
    set(values, table, name, expressions.bind(value, in), ExprBinder.position(value));
  }

  private void set(
      Map<Integer, RexNode> values,
      TableDef table,
      SqlIdentifier name,
      RexNode value,
      int position) {
    int column = column(table, name);
    TableDef.ColumnDef def = table.columns().get(column);
    refuseGenerated(def);
    put(values, table, column, assigned(value, def, position));
  }

  private static void refuseGenerated(TableDef.ColumnDef column) {
    if (column.isGenerated()) {
      throw new GaussException(
              SqlState.GENERATED_ALWAYS,
              "column \"" + column.name() + "\" can only be updated to DEFAULT")
          .detail("Column \"" + column.name() + "\" is a generated column.");
    }
    if (column.identity() == 'a') {
      throw new GaussException(
              SqlState.GENERATED_ALWAYS,
              "column \"" + column.name() + "\" can only be updated to DEFAULT")
          .detail(
              "Column \""
                  + column.name()
                  + "\" is an identity column defined as GENERATED ALWAYS.");
    }
  }

  private static void put(Map<Integer, RexNode> values, TableDef table, int column, RexNode value) {
    if (values.put(column, value) != null) {
      throw new GaussException(
          SqlState.SYNTAX_ERROR,
          "multiple assignments to same column \"" + table.columns().get(column).name() + "\"");
    }
  }

  RexNode assigned(RexNode value, TableDef.ColumnDef column, int position) {
    try {
      return queries.assign(value, column.type(), CastContext.ASSIGNMENT, column.name());
    } catch (GaussException e) {
      throw Coercion.at(e, position);
    }
  }

  static int column(TableDef table, SqlIdentifier name) {
    if (name.names.size() > 1) {
      throw GaussException.notSupported("assignment to a field of a column")
          .position(ExprBinder.position(name));
    }
    int column = table.columnIndex(name.getSimple());
    if (column < 0) {
      throw new GaussException(
              SqlState.UNDEFINED_COLUMN,
              "column \""
                  + name.getSimple()
                  + "\" of relation \""
                  + table.name()
                  + "\" does not exist")
          .position(ExprBinder.position(name));
    }
    return column;
  }

  // ------------------------------------------------------------------ RETURNING

  record Returning(List<RexNode> values, List<BoundQuery.Output> columns) {
    static final Returning NONE = new Returning(null, List.of());
  }

  /** RETURNING sees the target's new columns first, then the row that the statement read. */
  private Returning returning(SqlNodeList list, Target target) {
    if (list == null) {
      return Returning.NONE;
    }
    int columns = target.table().columns().size();
    return returning(
        list,
        target.scope(),
        ref ->
            new RexInputRef(
                ref.getIndex() < columns ? ref.getIndex() : ref.getIndex() + columns,
                ref.getType()));
  }

  /** Maps references in RETURNING to their new positions. */
  interface Move {
    RexNode of(RexInputRef reference);
  }

  Returning returning(SqlNodeList list, Scope scope, Move move) {
    SelectBinder.Items items = selects.items(list, scope, ExprContext.of(scope, "RETURNING"));
    List<RexNode> values = new ArrayList<>();
    for (int i = 0; i < items.values.size(); i++) {
      RexNode value = expressions.coercion.resolveUnknown(items.values.get(i), 0);
      SubQueries.refuse(value, "a sub-query in RETURNING");
      items.values.set(i, value);
      values.add(
          value.accept(
              new RexShuttle() {
                @Override
                public RexNode visitInputRef(RexInputRef ref) {
                  return move.of(ref);
                }
              }));
    }
    return new Returning(values, items.outputs());
  }

  PgType type(TableDef table, int column) {
    return table.columns().get(column).type();
  }
}
