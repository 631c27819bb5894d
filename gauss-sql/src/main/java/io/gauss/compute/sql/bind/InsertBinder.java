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
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.algebra.PgTypeFactory;
import io.gauss.compute.sql.algebra.SubQueries;
import io.gauss.compute.sql.parse.PgInsert;
import io.gauss.compute.sql.parse.PgParser;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalTableScan;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;

/** Binds INSERT with ON CONFLICT and RETURNING. One statement, one thread. */
final class InsertBinder {
  private final BindContext context;
  private final QueryBinder queries;
  private final ExprBinder expressions;
  private final DmlBinder dml;
  private final ColumnDefaults defaults;

  InsertBinder(QueryBinder queries, DmlBinder dml, ColumnDefaults defaults) {
    this.context = queries.context;
    this.queries = queries;
    this.expressions = queries.expressions;
    this.dml = dml;
    this.defaults = defaults;
  }

  /**
   * @param around the scope that a statement in WITH sees; null for the statement itself
   */
  BoundStatement.Insert insert(PgInsert written, Scope around) {
    CatalogObject found = FromBinder.target(context, written.table);
    UpdatableView view = null;
    PgInsert insert = written;
    TableDef table;
    if (found instanceof ViewDef over) {
      view = UpdatableView.of(context, over, "insert into", Privilege.INSERT);
      table = view.base();
      insert = ofBase(written, view);
    } else {
      table = (TableDef) found;
      context.require(table, Privilege.INSERT);
    }
    Scope parent = insert.with == null ? around : queries.withScope(insert.with, around);
    int[] targets = targets(insert, table);
    RelNode source;
    if (insert.source == null) {
      source = rows(List.of(), table, new int[0], insert, parent);
    } else if (insert.source.getKind() == SqlKind.VALUES) {
      source = rows(((SqlCall) insert.source).getOperandList(), table, targets, insert, parent);
    } else {
      source = query(insert, table, targets, parent);
    }
    BoundStatement.OnConflict onConflict =
        insert.onConflict == null ? null : onConflict(insert, table);
    DmlBinder.Returning returning = DmlBinder.Returning.NONE;
    if (insert.returning != null) {
      Scope scope = new Scope(parent, context.cluster);
      String alias = insert.alias == null ? null : insert.alias.getSimple();
      FromBinder.addRelation(view == null ? target(table, insert, 0) : view.relation(alias), scope);
      scope.close(context.table(table).getRowType());
      returning = dml.returning(insert.returning, scope, ref -> ref);
      if (view == null) {
        dml.requireRead(table, scope, PgRex.TRUE, List.of(), returning);
      } else {
        dml.requireRead(view);
      }
    }
    return new BoundStatement.Insert(
        table,
        source,
        onConflict,
        returning.values(),
        returning.columns(),
        DmlBinder.parameters(context, around));
  }

  /** INSERT into a view's columns as an INSERT into its table's. */
  private static PgInsert ofBase(PgInsert insert, UpdatableView view) {
    if (insert.onConflict != null) {
      throw GaussException.notSupported("ON CONFLICT of a view")
          .position(insert.onConflict.position());
    }
    List<SqlNode> columns = new ArrayList<>();
    if (insert.columns == null) {
      int given = view.view().columns().size();
      if (insert.source != null && insert.source.getKind() == SqlKind.VALUES) {
        SqlCall first = ((SqlCall) insert.source).operand(0);
        given = Math.min(given, first.operandCount());
      }
      for (int i = 0; i < given; i++) {
        columns.add(
            new SqlIdentifier(view.baseColumn(i, "insert into"), insert.table.getParserPosition()));
      }
    } else {
      for (SqlNode column : insert.columns) {
        SqlIdentifier name = (SqlIdentifier) column;
        columns.add(
            new SqlIdentifier(
                view.baseColumn(name.names.getLast(), "insert into", ExprBinder.position(name)),
                name.getParserPosition()));
      }
    }
    return new PgInsert(
        insert.getParserPosition(),
        insert.with,
        insert.table,
        insert.alias,
        insert.source == null && insert.columns == null
            ? null
            : new SqlNodeList(columns, insert.getParserPosition()),
        insert.overriding,
        insert.source,
        null,
        insert.returning);
  }

  private static Relation target(TableDef table, PgInsert insert, int base) {
    return FromBinder.tableRelation(
        table, insert.alias == null ? null : insert.alias.getSimple(), null, base, 0);
  }

  private static int[] targets(PgInsert insert, TableDef table) {
    if (insert.columns == null) {
      int[] all = new int[table.columns().size()];
      Arrays.setAll(all, i -> i);
      return all;
    }
    int[] targets = new int[insert.columns.size()];
    boolean[] seen = new boolean[table.columns().size()];
    for (int i = 0; i < targets.length; i++) {
      SqlIdentifier name = (SqlIdentifier) insert.columns.get(i);
      targets[i] = DmlBinder.column(table, name);
      if (seen[targets[i]]) {
        throw new GaussException(
                SqlState.DUPLICATE_COLUMN,
                "column \"" + name.getSimple() + "\" specified more than once")
            .position(ExprBinder.position(name));
      }
      seen[targets[i]] = true;
    }
    return targets;
  }

  private static void checkCount(
      int values, int[] targets, PgInsert insert, SqlNode firstExtra, SqlNode row) {
    if (values > targets.length) {
      throw new GaussException(
              SqlState.SYNTAX_ERROR, "INSERT has more expressions than target columns")
          .position(ExprBinder.position(firstExtra == null ? row : firstExtra));
    }
    if (insert.columns != null && values < targets.length) {
      throw new GaussException(
              SqlState.SYNTAX_ERROR, "INSERT has more target columns than expressions")
          .position(ExprBinder.position(insert.columns.get(values)));
    }
  }

  /** Rows of a VALUES list; no rows stand for DEFAULT VALUES. */
  private RelNode rows(
      List<SqlNode> rows, TableDef table, int[] targets, PgInsert insert, Scope parent) {
    Scope scope = new Scope(parent, context.cluster);
    scope.close(PgTypeFactory.INSTANCE.builder().build());
    ExprContext in = ExprContext.of(scope, "VALUES");
    int columns = table.columns().size();
    RexNode[] standard = new RexNode[columns];
    List<List<RexNode>> result = new ArrayList<>();
    int length = -1;
    boolean subQueries = false;
    for (SqlNode row : rows) {
      List<SqlNode> cells = ((SqlCall) row).getOperandList();
      if (length >= 0 && length != cells.size()) {
        throw new GaussException(SqlState.SYNTAX_ERROR, "VALUES lists must all be the same length")
            .position(ExprBinder.position(row));
      }
      length = cells.size();
      checkCount(
          length, targets, insert, length > targets.length ? cells.get(targets.length) : null, row);
      RexNode[] values = new RexNode[columns];
      for (int i = 0; i < cells.size(); i++) {
        SqlNode cell = cells.get(i);
        TableDef.ColumnDef def = table.columns().get(targets[i]);
        if (cell.getKind() == SqlKind.DEFAULT) {
          continue;
        }
        if (!generated(def, insert)) {
          continue;
        }
        RexNode bound = expressions.bind(cell, in);
        subQueries |= SubQueries.isIn(bound);
        values[targets[i]] = dml.assigned(bound, def, ExprBinder.position(cell));
      }
      result.add(filled(values, standard, table));
    }
    if (rows.isEmpty()) {
      result.add(filled(new RexNode[columns], standard, table));
    }
    if (subQueries) {
      return queries.projected(
          result, table.columns().stream().map(TableDef.ColumnDef::name).toList());
    }
    PgType[] types = new PgType[columns];
    Arrays.setAll(types, i -> table.columns().get(i).type());
    return queries.valuesOf(
        result, types, table.columns().stream().map(TableDef.ColumnDef::name).toList());
  }

  /** Whether the value given for a column is used: OVERRIDING decides about identity columns. */
  private static boolean generated(TableDef.ColumnDef def, PgInsert insert) {
    if (def.isGenerated()) {
      throw new GaussException(
              SqlState.GENERATED_ALWAYS,
              "cannot insert a non-DEFAULT value into column \"" + def.name() + "\"")
          .detail("Column \"" + def.name() + "\" is a generated column.");
    }
    if (def.identity() == 0) {
      return true;
    }
    if (insert.overriding == PgInsert.Overriding.USER) {
      return false;
    }
    if (def.identity() == 'a' && insert.overriding != PgInsert.Overriding.SYSTEM) {
      throw new GaussException(
              SqlState.GENERATED_ALWAYS,
              "cannot insert a non-DEFAULT value into column \"" + def.name() + "\"")
          .detail(
              "Column \"" + def.name() + "\" is an identity column defined as GENERATED ALWAYS.")
          .hint("Use OVERRIDING SYSTEM VALUE to override.");
    }
    return true;
  }

  private List<RexNode> filled(RexNode[] values, RexNode[] standard, TableDef table) {
    for (int i = 0; i < values.length; i++) {
      if (values[i] == null) {
        if (standard[i] == null) {
          standard[i] = defaults.of(table, i);
        }
        values[i] = standard[i];
      }
    }
    return List.of(values);
  }

  private RelNode query(PgInsert insert, TableDef table, int[] targets, Scope parent) {
    BoundQuery query = queries.query(insert.source, parent, QueryBinder.Tail.NONE, true);
    int given = query.columns().size();
    checkCount(given, targets, insert, null, insert.source);
    PgType[] types = new PgType[given];
    List<String> names = new ArrayList<>();
    for (int i = 0; i < given; i++) {
      TableDef.ColumnDef def = table.columns().get(targets[i]);
      types[i] = def.type();
      names.add(def.name());
    }
    RelNode typed = queries.coerced(query.rel(), types, CastContext.ASSIGNMENT, names);
    RexNode[] values = new RexNode[table.columns().size()];
    for (int i = 0; i < given; i++) {
      if (generated(table.columns().get(targets[i]), insert)) {
        values[targets[i]] = PgRex.input(i, typed.getRowType());
      }
    }
    List<RexNode> all = filled(values, new RexNode[values.length], table);
    return LogicalProject.create(
        typed, List.of(), all, table.columns().stream().map(TableDef.ColumnDef::name).toList());
  }

  // ------------------------------------------------------------------ ON CONFLICT

  private BoundStatement.OnConflict onConflict(PgInsert insert, TableDef table) {
    PgInsert.OnConflict clause = insert.onConflict;
    boolean any = clause.columns() == null && clause.constraint() == null;
    TableDef.IndexDef arbiter = any ? null : arbiter(clause, table);
    if (clause.columns() != null) {
      context.require(table, Privilege.SELECT);
    }
    if (!clause.doNothing()) {
      context.require(table, Privilege.UPDATE);
    }
    if (clause.doNothing()) {
      return new BoundStatement.OnConflict(any, arbiter, null, null, null);
    }
    if (any) {
      throw new GaussException(
              SqlState.SYNTAX_ERROR,
              "ON CONFLICT DO UPDATE requires inference specification or constraint name")
          .hint("For example, ON CONFLICT (column_name).")
          .position(clause.position());
    }
    int columns = table.columns().size();
    Scope scope = new Scope(null, context.cluster);
    FromBinder.addRelation(target(table, insert, 0), scope);
    Relation excluded = FromBinder.tableRelation(table, "excluded", null, columns + 1, 0);
    excluded.unqualifiedVisible = false;
    FromBinder.addRelation(excluded, scope);
    RelNode scan = LogicalTableScan.create(context.cluster, context.table(table), List.of());
    RelDataType both =
        LogicalJoin.create(scan, scan, List.of(), PgRex.TRUE, Set.of(), JoinRelType.INNER)
            .getRowType();
    scope.close(both);
    Map<Integer, RexNode> sets =
        dml.assignments(clause.set(), table, scope, "ON CONFLICT DO UPDATE");
    // The executor's row has no row keys: existing columns ++ excluded columns.
    RexShuttle move =
        new RexShuttle() {
          @Override
          public RexNode visitInputRef(RexInputRef ref) {
            int index = ref.getIndex();
            return new RexInputRef(index > columns ? index - 1 : index, ref.getType());
          }
        };
    RexNode where =
        clause.where() == null
            ? null
            : expressions.condition(clause.where(), ExprContext.of(scope, "WHERE")).accept(move);
    List<RexNode> values = new ArrayList<>();
    for (RexNode value : sets.values()) {
      SubQueries.refuse(value, "a sub-query in ON CONFLICT DO UPDATE");
      values.add(value.accept(move));
    }
    if (where != null) {
      SubQueries.refuse(where, "a sub-query in ON CONFLICT DO UPDATE");
    }
    return new BoundStatement.OnConflict(
        false,
        arbiter,
        sets.keySet().stream().mapToInt(Integer::intValue).toArray(),
        values,
        where);
  }

  /** The unique index that a conflict target means; null is the primary key. */
  private TableDef.IndexDef arbiter(PgInsert.OnConflict clause, TableDef table) {
    if (clause.constraint() != null) {
      String name = clause.constraint().getSimple();
      if (name.equals(table.primaryKeyName())) {
        return null;
      }
      for (TableDef.IndexDef index : table.indexes()) {
        if (index.constraint() && index.name().equals(name)) {
          return index;
        }
      }
      throw new GaussException(
              SqlState.UNDEFINED_OBJECT,
              "constraint \"" + name + "\" for table \"" + table.name() + "\" does not exist")
          .position(clause.position());
    }
    Set<Integer> wanted = new HashSet<>();
    Set<RexNode> wantedExpressions = new HashSet<>();
    Scope scope = rowScope(table);
    for (SqlNode node : clause.columns()) {
      if (node instanceof SqlIdentifier identifier) {
        wanted.add(DmlBinder.column(table, identifier));
      } else {
        wantedExpressions.add(key(node, scope));
      }
    }
    if (wantedExpressions.isEmpty() && sameColumns(table.primaryKey(), wanted)) {
      return null;
    }
    for (TableDef.IndexDef index : table.indexes()) {
      if (index.isUniqueAtCommit()
          && sameColumns(index.columns(), wanted)
          && keys(index, scope).equals(wantedExpressions)
          && (!index.isPartial() || implies(clause.targetWhere(), table, index))) {
        return index;
      }
    }
    throw new GaussException(
        SqlState.INVALID_COLUMN_REFERENCE,
        "there is no unique or exclusion constraint matching the ON CONFLICT specification");
  }

  private Scope rowScope(TableDef table) {
    Scope scope = new Scope(null, context.cluster);
    FromBinder.addRelation(FromBinder.tableRelation(table, null, null, 0, 0), scope);
    scope.close(context.table(table).getRowType());
    return scope;
  }

  private Set<RexNode> keys(TableDef.IndexDef index, Scope scope) {
    return index.expressions().stream()
        .map(expression -> key(PgParser.parseExpression(expression.sql()), scope))
        .collect(Collectors.toSet());
  }

  private RexNode key(SqlNode expression, Scope scope) {
    RexNode bound = expressions.bind(expression, ExprContext.of(scope, "ON CONFLICT expressions"));
    return expressions.coercion.resolveUnknown(bound, 0);
  }

  /** Whether the predicate of a conflict target is that of an index, part by part. */
  private boolean implies(SqlNode target, TableDef table, TableDef.IndexDef index) {
    if (target == null) {
      return false;
    }
    Scope scope = rowScope(table);
    RexNode given = expressions.condition(target, ExprContext.of(scope, "WHERE"));
    RexNode wanted =
        expressions.condition(
            PgParser.parseExpression(index.predicate()), ExprContext.of(scope, "WHERE"));
    return PgRex.conjuncts(given).containsAll(PgRex.conjuncts(wanted));
  }

  private static boolean sameColumns(int[] columns, Set<Integer> wanted) {
    Set<Integer> own = new HashSet<>();
    for (int column : columns) {
      if (column >= 0) {
        own.add(column);
      }
    }
    return columns.length > 0 && own.equals(wanted);
  }
}
