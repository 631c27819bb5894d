package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.CatalogObject;
import io.gauss.compute.catalog.Privilege;
import io.gauss.compute.catalog.SchemaDef;
import io.gauss.compute.catalog.SystemTables;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.sql.algebra.BoundQuery;
import io.gauss.compute.sql.algebra.PgConstant;
import io.gauss.compute.sql.algebra.PgOperator;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.algebra.PgValues;
import io.gauss.compute.sql.parse.PgLocking;
import io.gauss.compute.sql.parse.PgOperators;
import io.gauss.compute.sql.parse.PgTypeSpec;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalTableScan;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.JoinConditionType;
import org.apache.calcite.sql.JoinType;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;

/**
 * Binds FROM clauses: tables, sub-queries, common table expressions and joins. The columns of all
 * entries form one row, in the order in which the entries are written; {@link Relation}s know their
 * positions in it.
 */
final class FromBinder {
  private static final String TEMPORARY = "pg_temp";

  private final BindContext context;
  private final QueryBinder queries;
  private final ExprBinder expressions;
  private final FunctionTables functions;
  private final ViewExpander views;

  /** Whether an outer join around what is being bound may have no row of it. */
  private boolean mayBeMissing;

  FromBinder(BindContext context, QueryBinder queries, ExprBinder expressions) {
    this.context = context;
    this.queries = queries;
    this.expressions = expressions;
    this.functions = new FunctionTables(context, expressions);
    this.views = new ViewExpander(context);
  }

  /** Binds the clause and closes the scope over its row. */
  RelNode bind(SqlNode from, Scope scope) {
    boolean around = mayBeMissing;
    mayBeMissing = false;
    RelNode rel = from == null ? PgValues.oneRow(context.cluster) : item(from, scope, 0);
    mayBeMissing = around;
    scope.close(rel.getRowType());
    return rel;
  }

  RelNode item(SqlNode node, Scope scope, int base) {
    RelNode rel = bound(node, scope, base);
    return mayBeMissing ? marked(rel, scope.relations.getLast()) : rel;
  }

  /**
   * Adds a mark to the rows of an entry that is no table: a field that is never NULL in them, and
   * so shows whether an outer join has one. It costs nothing when nobody asks for the entry's row.
   */
  private RelNode marked(RelNode rel, Relation relation) {
    if (relation.table != null || relation.ofJoin || relation.mark >= 0) {
      return rel;
    }
    List<RexNode> fields = new ArrayList<>();
    int width = rel.getRowType().getFieldCount();
    for (int i = 0; i < width; i++) {
      fields.add(PgRex.input(i, rel.getRowType()));
    }
    fields.add(PgConstant.ofLong(PgType.BOOL, 1));
    relation.mark = relation.base + width;
    relation.width++;
    return LogicalProject.create(rel, List.of(), fields, (List<String>) null);
  }

  private RelNode bound(SqlNode node, Scope scope, int base) {
    if (context.view != null) {
      context.watch.expandRelation();
    }
    switch (node) {
      case SqlJoin join -> {
        return join(join, scope, base);
      }
      case SqlIdentifier identifier -> {
        return table(identifier, null, null, scope, base);
      }
      default -> {}
    }
    SqlCall call = (SqlCall) node;
    if (call.getOperator() == PgOperators.ONLY) {
      return item(call.operand(0), scope, base);
    }
    if (call.getOperator() == PgOperators.WITH_ORDINALITY) {
      return functions.bind(numbered(call), null, Columns.NONE, true, scope, base);
    }
    switch (call.getKind()) {
      case AS:
        return aliased((SqlBasicCall) call, scope, base);
      case LATERAL:
        return item(call.operand(0), scope, base);
      case COLLECTION_TABLE:
        return functions.bind(call.operand(0), null, Columns.NONE, false, scope, base);
      case SELECT, UNION, INTERSECT, EXCEPT, VALUES, WITH, ORDER_BY:
        throw aliasMissing(call);
      default:
        if (call instanceof PgLocking) {
          throw aliasMissing(call);
        }
        throw GaussException.notSupported("FROM item " + call.getOperator().getName())
            .position(ExprBinder.position(node));
    }
  }

  private static GaussException aliasMissing(SqlCall query) {
    return new GaussException(SqlState.SYNTAX_ERROR, "subquery in FROM must have an alias")
        .hint("For example, FROM (SELECT ...) [AS] foo.")
        .position(ExprBinder.position(query));
  }

  /** The call in {@code [LATERAL] f(...) WITH ORDINALITY}. */
  private static SqlCall numbered(SqlCall ordinality) {
    SqlCall inner = ordinality.operand(0);
    while (inner.getKind() == SqlKind.LATERAL || inner.getKind() == SqlKind.COLLECTION_TABLE) {
      inner = inner.operand(0);
    }
    return inner;
  }

  /**
   * What stands in parentheses behind an alias.
   *
   * @param types null for aliases alone
   * @param position of the first type
   */
  record Columns(List<String> names, List<PgType> types, int position) {
    static final Columns NONE = new Columns(List.of(), null, 0);

    static Columns of(SqlBasicCall aliased, BindContext context) {
      List<String> names = new ArrayList<>();
      List<PgType> types = new ArrayList<>();
      int position = 0;
      for (int i = 2; i < aliased.operandCount(); i++) {
        SqlNode column = aliased.operand(i);
        if (column instanceof SqlCall definition) {
          position = position == 0 ? ExprBinder.position(column) : position;
          types.add(context.type(PgTypeSpec.of(definition.operand(1))));
          column = definition.operand(0);
        }
        names.add(((SqlIdentifier) column).getSimple());
      }
      if (!types.isEmpty() && types.size() < names.size()) {
        throw new GaussException(SqlState.SYNTAX_ERROR, "each column of the list needs a type")
            .position(position);
      }
      return new Columns(names, types.isEmpty() ? null : types, position);
    }

    /**
     * @throws GaussException 42601 when there are definitions
     */
    void requireNoTypes() {
      if (types != null) {
        throw new GaussException(
                SqlState.SYNTAX_ERROR,
                "a column definition list is only allowed for functions returning \"record\"")
            .position(position);
      }
    }
  }

  private RelNode aliased(SqlBasicCall call, Scope scope, int base) {
    SqlNode inner = call.operand(0);
    String alias = ((SqlIdentifier) call.operand(1)).getSimple();
    Columns columns = Columns.of(call, context);
    List<String> names = columns.names();
    while (inner instanceof SqlCall only && only.getOperator() == PgOperators.ONLY) {
      inner = only.operand(0);
    }
    if (inner instanceof SqlIdentifier identifier) {
      columns.requireNoTypes();
      return table(identifier, alias, names, scope, base);
    }
    if (inner instanceof SqlJoin join) {
      columns.requireNoTypes();
      return aliasedJoin(join, alias, names, scope, base);
    }
    boolean ordinality =
        inner instanceof SqlCall function && function.getOperator() == PgOperators.WITH_ORDINALITY;
    if (ordinality) {
      return functions.bind(numbered((SqlCall) inner), alias, columns, true, scope, base);
    }
    boolean lateral = inner.getKind() == SqlKind.LATERAL;
    if (lateral) {
      inner = ((SqlCall) inner).operand(0);
    }
    if (inner.getKind() == SqlKind.COLLECTION_TABLE) {
      return functions.bind(((SqlCall) inner).operand(0), alias, columns, false, scope, base);
    }
    columns.requireNoTypes();
    Scope around = lateral && scope.lateral != null ? scope.lateral : scope;
    BoundQuery query = queries.subQuery(inner, around);
    Relation relation = new Relation(null, alias, null);
    relation.ofQuery = !(inner instanceof PgLocking) && readsTable(query.rel());
    addQueryColumns(relation, query, names, base, ExprBinder.position(call));
    addRelation(relation, scope);
    return query.rel();
  }

  private static boolean readsTable(RelNode rel) {
    return rel instanceof TableScan || rel.getInputs().stream().anyMatch(FromBinder::readsTable);
  }

  private RelNode table(
      SqlIdentifier identifier, String alias, List<String> names, Scope scope, int base) {
    int position = ExprBinder.position(identifier);
    if (identifier.names.size() == 1) {
      Scope.Cte cte = scope.cte(identifier.getSimple());
      if (cte != null) {
        if (cte.query == null) {
          throw new GaussException(
                  SqlState.FEATURE_NOT_SUPPORTED,
                  "WITH query \"%s\" does not have a RETURNING clause".formatted(cte.name))
              .position(position);
        }
        Relation relation = new Relation(null, alias == null ? cte.name : alias, null);
        relation.ofItself = cte.ofItself;
        addQueryColumns(relation, cte.query, names, base, position);
        addRelation(relation, scope);
        if (cte.table != null) {
          cte.table.refer();
        }
        return cte.query.rel();
      }
    }
    ViewDef.Reference recorded = context.view == null ? null : context.view.referenceAt(position);
    CatalogObject found =
        recorded == null
            ? relation(context, identifier)
            : context.catalog.object(recorded.relationOid());
    if (context.recorder != null) {
      context.recorder.relation(position, found, alias != null);
    }
    // What the statement writes to is only read as far as the statement itself reads it.
    boolean isWritten = recorded != null && recorded == context.written;
    if (found instanceof ViewDef view) {
      if (!isWritten) {
        context.require(view.asTable(), Privilege.SELECT);
      }
      return views.view(view, recorded, alias, names, scope, base, position);
    }
    TableDef table = (TableDef) found;
    if (!isWritten) {
      context.require(table, Privilege.SELECT);
    }
    RelNode scan = LogicalTableScan.create(context.cluster, context.table(table), List.of());
    Relation relation =
        recorded == null
            ? tableRelation(table, alias, names, base, position)
            : views.table(table, recorded, alias, names, base, position);
    addRelation(relation, scope);
    return scan;
  }

  /** Looks up a table or a view. */
  private static CatalogObject relation(BindContext context, SqlIdentifier identifier) {
    List<String> names = identifier.names;
    int position = ExprBinder.position(identifier);
    if (names.size() > 2) {
      throw GaussException.notSupported("a reference to another database").position(position);
    }
    String schema = names.size() == 2 ? names.getFirst() : null;
    if (TEMPORARY.equals(schema)) {
      // The session's temporary schema, which is in its path when there is one.
      schema =
          context.searchPath.stream().filter(SchemaDef::isTemporary).findFirst().orElse(schema);
    } else if (schema != null) {
      context.requireSchema(schema);
    }
    CatalogObject found = context.catalog.relation(context.searchPath, schema, names.getLast());
    if (found == null) {
      throw new GaussException(
              SqlState.UNDEFINED_TABLE,
              "relation \"" + String.join(".", names) + "\" does not exist")
          .position(position);
    }
    return found;
  }

  /**
   * Looks up a table, or a view, whose rows are to be changed.
   *
   * @return a TableDef or a ViewDef
   */
  static CatalogObject target(BindContext context, SqlIdentifier identifier) {
    CatalogObject found = relation(context, identifier);
    if (found instanceof TableDef table && SystemTables.isSystem(table)) {
      throw new GaussException(
          SqlState.INSUFFICIENT_PRIVILEGE, "permission denied for table " + table.name());
    }
    return found;
  }

  static Relation tableRelation(
      TableDef table, String alias, List<String> names, int base, int position) {
    Relation relation =
        new Relation(
            alias == null ? table.schema() : null, alias == null ? table.name() : alias, table);
    int count = table.columns().size();
    checkAliases(relation.name, names, count, position);
    for (int i = 0; i < count; i++) {
      TableDef.ColumnDef column = table.columns().get(i);
      String name = names != null && i < names.size() ? names.get(i) : column.name();
      RexNode reference = new RexInputRef(base + i, PgRex.rel(column.type()));
      relation.columns.add(new Relation.Column(name, reference, table.oid(), column.number()));
    }
    relation.base = base;
    relation.width = count + 1;
    relation.rowKey = base + count;
    return relation;
  }

  static void checkAliases(String name, List<String> names, int columns, int position) {
    if (names != null && names.size() > columns) {
      throw new GaussException(
              SqlState.INVALID_COLUMN_REFERENCE,
              "table \""
                  + name
                  + "\" has "
                  + columns
                  + " columns available but "
                  + names.size()
                  + " columns specified")
          .position(position);
    }
  }

  private static void addQueryColumns(
      Relation relation, BoundQuery query, List<String> names, int base, int position) {
    checkAliases(relation.name, names, query.columns().size(), position);
    List<RelDataTypeField> fields = query.rel().getRowType().getFieldList();
    for (int i = 0; i < fields.size(); i++) {
      BoundQuery.Output output = query.columns().get(i);
      String name = names != null && i < names.size() ? names.get(i) : output.name();
      RexNode reference = new RexInputRef(base + i, fields.get(i).getType());
      relation.columns.add(
          new Relation.Column(name, reference, output.tableOid(), output.attribute()));
    }
    relation.base = base;
    relation.width = fields.size();
  }

  static void addRelation(Relation relation, Scope scope) {
    if (relation.qualifiedVisible) {
      for (Relation other : scope.relations) {
        boolean same =
            other.qualifiedVisible
                && other.name.equals(relation.name)
                && java.util.Objects.equals(other.schema, relation.schema);
        if (same) {
          throw new GaussException(
              SqlState.DUPLICATE_ALIAS,
              "table name \"" + relation.name + "\" specified more than once");
        }
      }
    }
    scope.relations.add(relation);
  }

  private RelNode aliasedJoin(
      SqlJoin join, String alias, List<String> names, Scope scope, int base) {
    int before = scope.relations.size();
    RelNode rel = join(join, scope, base);
    Relation whole = new Relation(null, alias, null);
    whole.ofJoin = true;
    List<Relation> inside = scope.relations.subList(before, scope.relations.size());
    for (Relation relation : inside) {
      if (relation.unqualifiedVisible) {
        whole.columns.addAll(relation.columns);
      }
      relation.unqualifiedVisible = false;
      relation.qualifiedVisible = false;
    }
    for (int i = 0; i < names.size() && i < whole.columns.size(); i++) {
      Relation.Column old = whole.columns.get(i);
      whole.columns.set(
          i, new Relation.Column(names.get(i), old.expression(), old.tableOid(), old.attribute()));
    }
    whole.base = base;
    addRelation(whole, scope);
    return rel;
  }

  // ------------------------------------------------------------------ joins

  private RelNode join(SqlJoin join, Scope scope, int base) {
    JoinRelType type = type(join.getJoinType());
    boolean around = mayBeMissing;
    int firstLeft = scope.relations.size();
    mayBeMissing = around || type.generatesNullsOnLeft();
    RelNode left = item(join.getLeft(), scope, base);
    int firstRight = scope.relations.size();
    int middle = base + left.getRowType().getFieldCount();
    List<Relation> leftSide = List.copyOf(scope.relations.subList(firstLeft, firstRight));
    Scope before = scope.lateral;
    Scope lateral = Lateral.scope(scope, leftSide, left, base);
    scope.lateral = lateral;
    mayBeMissing = around || type.generatesNullsOnRight();
    RelNode right = item(join.getRight(), scope, middle);
    mayBeMissing = around;
    scope.lateral = before;
    List<Relation> rightSide =
        List.copyOf(scope.relations.subList(firstRight, scope.relations.size()));
    noteNullable(type, leftSide, rightSide);
    RexNode condition = PgRex.TRUE;
    if (join.isNatural()) {
      condition = using(natural(leftSide, rightSide), join, leftSide, rightSide, scope);
    } else if (join.getConditionType() == JoinConditionType.USING) {
      Set<String> names = new LinkedHashSet<>();
      for (SqlNode name : (SqlNodeList) join.getCondition()) {
        names.add(((SqlIdentifier) name).getSimple());
      }
      condition = using(names, join, leftSide, rightSide, scope);
    } else if (join.getConditionType() == JoinConditionType.ON) {
      JoinConditions on = new JoinConditions(context, expressions, scope);
      return on.join(
          join, type, new JoinConditions.Sides(left, leftSide, right, rightSide, base), lateral);
    }
    condition = PgRex.shift(condition, -base);
    if (lateral.correlation() != null) {
      return Lateral.join(left, right, condition, type, lateral);
    }
    return LogicalJoin.create(left, right, List.of(), condition, Set.of(), type);
  }

  private static void noteNullable(JoinRelType type, List<Relation> left, List<Relation> right) {
    if (type.generatesNullsOnLeft()) {
      left.forEach(relation -> relation.isNullable = true);
    }
    if (type.generatesNullsOnRight()) {
      right.forEach(relation -> relation.isNullable = true);
    }
  }

  private static JoinRelType type(JoinType type) {
    return switch (type) {
      case LEFT -> JoinRelType.LEFT;
      case RIGHT -> JoinRelType.RIGHT;
      case FULL -> JoinRelType.FULL;
      case INNER, CROSS, COMMA -> JoinRelType.INNER;
      default -> throw GaussException.notSupported(type + " JOIN");
    };
  }

  private static Set<String> natural(List<Relation> left, List<Relation> right) {
    Set<String> rightNames = new HashSet<>();
    visible(right).forEach(column -> rightNames.add(column.name()));
    Set<String> common = new LinkedHashSet<>();
    for (Relation.Column column : visible(left)) {
      if (rightNames.contains(column.name())) {
        common.add(column.name());
      }
    }
    return common;
  }

  private static List<Relation.Column> visible(List<Relation> side) {
    List<Relation.Column> columns = new ArrayList<>();
    for (Relation relation : side) {
      if (relation.unqualifiedVisible) {
        columns.addAll(relation.columns);
      }
    }
    return columns;
  }

  /**
   * Merges columns of the same name: one entry, with the merged columns and then all others,
   * replaces the joined entries.
   */
  private RexNode using(
      Set<String> names, SqlJoin join, List<Relation> left, List<Relation> right, Scope scope) {
    int position = ExprBinder.position(join);
    List<RexNode> conditions = new ArrayList<>();
    Relation merged = new Relation(null, "", null);
    merged.ofJoin = true;
    merged.qualifiedVisible = false;
    for (String name : names) {
      Relation.Column l = one(name, left, "left", position);
      Relation.Column r = one(name, right, "right", position);
      conditions.add(expressions.equal(l.expression(), r.expression(), position));
      merged.columns.add(merge(name, join.getJoinType(), l, r, position));
    }
    for (List<Relation> side : List.of(left, right)) {
      for (Relation relation : side) {
        if (!relation.unqualifiedVisible) {
          continue;
        }
        for (Relation.Column column : relation.columns) {
          if (!names.contains(column.name())) {
            merged.columns.add(column);
          }
        }
        relation.unqualifiedVisible = false;
      }
    }
    scope.relations.add(merged);
    return PgRex.and(conditions);
  }

  private Relation.Column merge(
      String name, JoinType type, Relation.Column l, Relation.Column r, int position) {
    PgType common =
        expressions.coercion.common(
            "JOIN/USING", List.of(l.expression(), r.expression()), position);
    RexNode left = expressions.implicit(l.expression(), common, position);
    RexNode right = expressions.implicit(r.expression(), common, position);
    return switch (type) {
      case RIGHT -> new Relation.Column(name, right, r.tableOid(), r.attribute());
      case FULL ->
          new Relation.Column(
              name, PgRex.call(PgOperator.COALESCE, common, List.of(left, right)), 0, 0);
      default -> new Relation.Column(name, left, l.tableOid(), l.attribute());
    };
  }

  private Relation.Column one(String name, List<Relation> side, String which, int position) {
    Relation.Column found = null;
    for (Relation.Column column : visible(side)) {
      if (column.name().equals(name)) {
        if (found != null) {
          throw new GaussException(
                  SqlState.AMBIGUOUS_COLUMN,
                  "common column name \""
                      + name
                      + "\" appears more than once in "
                      + which
                      + " table")
              .position(position);
        }
        found = column;
      }
    }
    if (found == null) {
      throw new GaussException(
              SqlState.UNDEFINED_COLUMN,
              "column \""
                  + name
                  + "\" specified in USING clause does not exist in "
                  + which
                  + " table")
          .position(position);
    }
    context.noteUse(found);
    return found;
  }
}
