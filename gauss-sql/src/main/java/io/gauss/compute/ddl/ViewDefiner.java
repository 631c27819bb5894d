package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.CatalogObject;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.catalog.ViewMeaning;
import io.gauss.compute.sql.exec.table.TableExpressionCompiler;
import io.gauss.compute.sql.parse.PgStatement.AlterView;
import io.gauss.compute.sql.parse.PgStatement.CreateView;
import io.gauss.compute.sql.parse.PgStatement.DropView;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.sql.parse.PgStatement.Option;
import io.gauss.compute.txn.TableLockMode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** CREATE, ALTER and DROP VIEW. */
final class ViewDefiner {
  private static final Set<String> KNOWN_OPTIONS =
      Set.of("security_barrier", "security_invoker", "check_option");

  private final DdlContext ddl;

  ViewDefiner(DdlContext ddl) {
    this.ddl = ddl;
  }

  void create(CreateView statement) {
    refuse(statement);
    Name name = statement.name();
    ViewMeaning query;
    String sql;
    try {
      int me = ddl.session.identity().current();
      int role = ddl.session.access().isSuperuser(me) ? 0 : me;
      TableExpressionCompiler compiler = ddl.services().expressions();
      query = compiler.view(statement.querySql(), ddl.searchPath(), ddl.view(), role);
      sql = ddl.storedQuery(statement.querySql());
      if (!sql.equals(statement.querySql())) { // names are at other places
        query = compiler.view(sql, ddl.searchPath(), ddl.view(), role);
      }
    } catch (GaussException e) {
      throw e.position() > 0 ? e.position(e.position() + statement.queryOffset()) : e;
    }
    boolean temporary = statement.temporary() || readsTemporary(query);
    if (temporary && !statement.temporary()) {
      ddl.notice("view \"%s\" will be a temporary view".formatted(name.name()));
    }
    String schema = ddl.creationSchema(name, temporary);
    ddl.lockName(schema, name.name());
    List<ViewDef.Column> columns = named(query.columns(), statement.columns());
    for (ViewDef.Reference reference : query.references()) {
      lock(reference.relationOid());
    }
    ddl.keepTypes(columns.stream().map(ViewDef.Column::type).toList());
    ViewDef before = ddl.view().view(List.of(), schema, name.name());
    if (before == null && statement.orReplace() && ddl.view().relationExists(schema, name.name())) {
      throw new GaussException(
          SqlState.WRONG_OBJECT_TYPE, "\"%s\" is not a view".formatted(name.name()));
    }
    if (before == null || !statement.orReplace()) {
      ddl.checkFree(schema, name.name());
      new TypeNaming(ddl).checkFreeForNew(schema, name.name());
    }
    int oid = before == null ? ddl.newOid() : before.oid();
    ViewDef view =
        new ViewDef(
            oid,
            schema,
            name.name(),
            columns,
            sql,
            List.copyOf(ddl.searchPath()),
            query.references(),
            query.uses());
    if (before != null) {
      ddl.requireOwner(oid, "view", name.name());
      ddl.transaction().lockTable(oid, TableLockMode.ACCESS_EXCLUSIVE);
      checkReplaces(before, columns);
      if (dependsOn(view, oid)) {
        throw new GaussException(
            SqlState.INVALID_OBJECT_DEFINITION,
            "infinite recursion detected in rules for relation \"%s\"".formatted(name.name()));
      }
    }
    ddl.session.put(view);
  }

  private static boolean readsTemporary(ViewMeaning query) {
    return query.references().stream()
        .anyMatch(reference -> TemporarySchemas.isTemporary(reference.schema()));
  }

  private static void refuse(CreateView statement) {
    if (statement.recursive()) {
      throw GaussException.notSupported("CREATE RECURSIVE VIEW");
    }
    if (statement.checkOption()) {
      throw GaussException.notSupported("WITH CHECK OPTION");
    }
    for (Option option : statement.options()) {
      if (!KNOWN_OPTIONS.contains(option.name())) {
        throw new GaussException(
            SqlState.INVALID_PARAMETER_VALUE,
            "unrecognized parameter \"%s\"".formatted(option.name()));
      }
      throw GaussException.notSupported("view option " + option.name());
    }
  }

  private static List<ViewDef.Column> named(List<ViewDef.Column> found, List<String> names) {
    if (names.size() > found.size()) {
      throw new GaussException(
          SqlState.SYNTAX_ERROR, "CREATE VIEW specifies more column names than columns");
    }
    if (found.isEmpty()) {
      throw new GaussException(
          SqlState.INVALID_TABLE_DEFINITION, "view must have at least one column");
    }
    List<ViewDef.Column> columns = new ArrayList<>();
    Set<String> taken = new HashSet<>();
    for (int i = 0; i < found.size(); i++) {
      String name = i < names.size() ? names.get(i) : found.get(i).name();
      if (!taken.add(name)) {
        throw new GaussException(
            SqlState.DUPLICATE_COLUMN, "column \"%s\" specified more than once".formatted(name));
      }
      columns.add(new ViewDef.Column(name, found.get(i).type()));
    }
    return List.copyOf(columns);
  }

  /** Keeps the relation as the query has found it. */
  private void lock(int oid) {
    CatalogObject before = ddl.view().object(oid);
    ddl.transaction().lockTable(oid, TableLockMode.ACCESS_SHARE);
    CatalogObject after = ddl.view().object(oid);
    if (before != null && after == null) {
      throw new GaussException(
          SqlState.UNDEFINED_TABLE, "relation with OID %d does not exist".formatted(oid));
    }
  }

  private static void checkReplaces(ViewDef before, List<ViewDef.Column> columns) {
    if (columns.size() < before.columns().size()) {
      throw new GaussException(SqlState.INVALID_TABLE_DEFINITION, "cannot drop columns from view");
    }
    for (int i = 0; i < before.columns().size(); i++) {
      ViewDef.Column old = before.columns().get(i);
      ViewDef.Column now = columns.get(i);
      if (!old.name().equals(now.name())) {
        throw new GaussException(
                SqlState.INVALID_TABLE_DEFINITION,
                "cannot change name of view column \"%s\" to \"%s\""
                    .formatted(old.name(), now.name()))
            .hint("Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead.");
      }
      if (!old.type().equals(now.type())) {
        throw new GaussException(
            SqlState.INVALID_TABLE_DEFINITION,
            "cannot change data type of view column \"%s\" from %s to %s"
                .formatted(old.name(), old.type().displayName(), now.type().displayName()));
      }
    }
  }

  private boolean dependsOn(ViewDef view, int oid) {
    for (ViewDef.Reference reference : view.references()) {
      if (reference.relationOid() == oid) {
        return true;
      }
      ViewDef below = ddl.view().view(reference.relationOid());
      if (below != null && dependsOn(below, oid)) {
        return true;
      }
    }
    return false;
  }

  // ---------------------------------------------------------------- DROP and ALTER

  /** Looks up a view and locks it; null when there is none. */
  private ViewDef find(Name name) {
    ddl.requireSchemaUsage(name);
    ViewDef before = ddl.view().view(ddl.searchPath(), name.schema(), name.name());
    while (before != null) {
      ddl.requireOwner(before.oid(), "view", before.name());
      ddl.transaction().lockTable(before.oid(), TableLockMode.ACCESS_EXCLUSIVE);
      ViewDef after = ddl.view().view(ddl.searchPath(), name.schema(), name.name());
      if (after != null && after.oid() == before.oid()) {
        return after;
      }
      before = after; // dropped or renamed while we waited for the lock
    }
    return null;
  }

  void drop(DropView statement) {
    Map<Integer, ViewDef> views = new LinkedHashMap<>();
    for (Name name : statement.names()) {
      ViewDef view = find(name);
      if (view != null) {
        views.put(view.oid(), view);
        continue;
      }
      if (ddl.isTable(name) || ddl.isRelation(name)) {
        GaussException wrong =
            new GaussException(
                SqlState.WRONG_OBJECT_TYPE, "\"%s\" is not a view".formatted(name.name()));
        throw ddl.isTable(name) ? wrong.hint("Use DROP TABLE to remove a table.") : wrong;
      }
      if (!statement.ifExists()) {
        throw new GaussException(
            SqlState.UNDEFINED_TABLE, "view \"%s\" does not exist".formatted(name));
      }
      ddl.notice("view \"%s\" does not exist, skipping".formatted(name.name()));
    }
    new ViewDependents(ddl).drop(views.keySet(), statement.behavior());
    views.keySet().forEach(ddl.session::remove);
  }

  void alter(AlterView statement) {
    Name name = statement.name();
    ViewDef view = find(name);
    if (view == null) {
      if (ddl.isTable(name) || ddl.isRelation(name)) {
        throw new GaussException(
            SqlState.WRONG_OBJECT_TYPE, "\"%s\" is not a view".formatted(name.name()));
      }
      if (!statement.ifExists()) {
        throw DdlContext.noRelation(name);
      }
      ddl.notice("relation \"%s\" does not exist, skipping".formatted(name.name()));
      return;
    }
    if (statement.newSchema() != null) {
      moveTo(view, statement.newSchema());
    } else if (statement.column() != null) {
      renameColumn(view, statement.column(), statement.newName());
    } else {
      rename(view, statement.newName());
    }
  }

  void rename(ViewDef view, String newName) {
    ddl.requireCreate(view.schema());
    ddl.lockName(view.schema(), newName);
    ddl.checkFree(view.schema(), newName);
    new TypeNaming(ddl).checkFreeForRenamed(view.schema(), newName);
    ddl.session.put(view.withName(view.schema(), newName));
  }

  private void moveTo(ViewDef view, String schema) {
    ddl.creationSchema(new Name(schema, view.name(), 0));
    if (schema.equals(view.schema())) {
      return;
    }
    ddl.lockName(schema, view.name());
    if (ddl.view().relationExists(schema, view.name())) {
      throw new GaussException(
          SqlState.DUPLICATE_TABLE,
          "relation \"%s\" already exists in schema \"%s\"".formatted(view.name(), schema));
    }
    new TypeNaming(ddl).checkFreeForMoved(schema, view.name());
    ddl.session.put(view.withName(schema, view.name()));
  }

  void renameColumn(ViewDef view, String column, String newName) {
    List<ViewDef.Column> columns = new ArrayList<>(view.columns());
    int position = -1;
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).name().equals(newName)) {
        throw ColumnAlterer.duplicate(newName, view.name());
      }
      position = columns.get(i).name().equals(column) ? i : position;
    }
    if (position < 0) {
      throw new GaussException(
          SqlState.UNDEFINED_COLUMN, "column \"%s\" does not exist".formatted(column));
    }
    columns.set(position, new ViewDef.Column(newName, columns.get(position).type()));
    ddl.session.put(view.withColumns(List.copyOf(columns)));
  }
}
