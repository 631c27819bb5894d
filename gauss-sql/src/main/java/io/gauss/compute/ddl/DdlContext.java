package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.CatalogSnapshot;
import io.gauss.compute.catalog.Privilege;
import io.gauss.compute.catalog.SchemaDef;
import io.gauss.compute.catalog.SequenceDef;
import io.gauss.compute.catalog.SystemTables;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.parse.ColumnReferences;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.sql.parse.TypeLookup;
import io.gauss.compute.sql.parse.TypeName;
import io.gauss.compute.sql.parse.TypeReferences;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.StoredTypes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Context of one DDL statement: the session's changes, look-up of names, and the receiver of
 * notices.
 *
 * <p>Locks: a statement that changes a relation holds its table lock exclusively; one that creates
 * a name holds the lock of that name, which is a table lock with a negative number computed from
 * the name's hash. Both are kept until the transaction ends, so that definitions never change under
 * a transaction that has seen them.
 */
final class DdlContext {
  /** The only database. */
  static final String DATABASE = "gauss";

  final DdlSession session;
  final ExecContext exec;
  private final List<String> searchPath;
  private final Consumer<GaussException> notices;
  private final boolean namesAreWritten;

  DdlContext(
      DdlSession session,
      ExecContext exec,
      List<String> searchPath,
      Consumer<GaussException> notices) {
    this(session, exec, searchPath, notices, true);
  }

  private DdlContext(
      DdlSession session,
      ExecContext exec,
      List<String> searchPath,
      Consumer<GaussException> notices,
      boolean namesAreWritten) {
    this.session = session;
    this.exec = exec;
    this.searchPath = searchPath;
    this.notices = notices;
    this.namesAreWritten = namesAreWritten;
  }

  /**
   * The same for a statement that does not write the names of its objects, and finds them elsewhere
   * than in schemas: it needs no right to use these.
   */
  DdlContext withoutNames() {
    return new DdlContext(session, exec, searchPath, notices, false);
  }

  CatalogSnapshot view() {
    return session.freshView();
  }

  Transaction transaction() {
    return session.transaction();
  }

  DdlServices services() {
    return session.services();
  }

  List<String> searchPath() {
    return searchPath;
  }

  int newOid() {
    return session.services().newOid();
  }

  void notice(String message) {
    notices.accept(new GaussException(SqlState.SUCCESSFUL_COMPLETION, message));
  }

  /** Sends a notice of the other objects that CASCADE drops. */
  void noticeCascade(List<String> objects) {
    if (objects.size() == 1) {
      notice("drop cascades to " + objects.get(0));
      return;
    }
    List<String> lines = objects.stream().map(object -> "drop cascades to " + object).toList();
    notices.accept(
        new GaussException(
                SqlState.SUCCESSFUL_COMPLETION,
                "drop cascades to %d other objects".formatted(objects.size()))
            .detail(String.join("\n", lines)));
  }

  void warning(GaussException warning) {
    notices.accept(warning);
  }

  // ---------------------------------------------------------------- privileges

  /** Fails with 42501 unless the current role may use the schema of a qualified name. */
  void requireSchemaUsage(Name name) {
    if (namesAreWritten && name.schema() != null) {
      session.access().requireSchema(session.identity().current(), name.schema(), Privilege.USAGE);
    }
  }

  /**
   * Fails with 42501 unless the current role may put names of relations into the schema: for a new
   * name of an old relation and for an index, too.
   */
  void requireCreate(String schema) {
    if (!TemporarySchemas.isTemporary(schema)) {
      session.access().requireSchema(session.identity().current(), schema, Privilege.CREATE);
    }
  }

  /** Fails with 42501 unless the current role owns the relation. */
  void requireOwner(int oid, String kind, String name) {
    session.access().requireOwner(session.identity().current(), oid, kind, name);
  }

  // ---------------------------------------------------------------- names

  /**
   * The schema for a new relation of this name. Other sessions cannot drop or rename it until the
   * transaction ends.
   */
  String creationSchema(Name name) {
    while (true) {
      String schema = existingSchema(name);
      transaction().lockTable(nameLock("", schema), TableLockMode.ACCESS_SHARE);
      if (view().schemaExists(schema)) {
        return schema;
      }
      // Dropped or renamed while we waited for the lock: look again.
    }
  }

  /** The schema for a new temporary relation: the session's own, created at first use. */
  String temporarySchema(Name name) {
    if (name.schema() != null && !name.schema().equals(TemporarySchemas.ALIAS)) {
      throw new GaussException(
              SqlState.INVALID_TABLE_DEFINITION,
              "cannot create temporary relation in non-temporary schema")
          .position(name.position());
    }
    String schema = session.temporarySchema();
    if (!view().schemaExists(schema)) {
      session.put(new SchemaDef(newOid(), schema));
    }
    return schema;
  }

  /**
   * The schema for a new relation.
   *
   * @param temporary TEMPORARY was written
   */
  String creationSchema(Name name, boolean temporary) {
    return temporary || TemporarySchemas.ALIAS.equals(name.schema())
        ? temporarySchema(name)
        : creationSchema(name);
  }

  private String existingSchema(Name name) {
    String schema = name.schema();
    if (schema == null) {
      for (int i = 0; i < searchPath.size(); i++) {
        String candidate = searchPath.get(i);
        boolean isTemporary =
            TemporarySchemas.isTemporary(candidate) || candidate.equals(TemporarySchemas.ALIAS);
        if (isTemporary && i > 0) { // what is first comes first without being named
          throw GaussException.notSupported("creation in pg_temp because search_path names it")
              .hint("Say TEMPORARY.")
              .position(name.position());
        }
        if (!isTemporary && !SchemaDef.isSystem(candidate) && view().schemaExists(candidate)) {
          requireCreate(candidate, name);
          return candidate;
        }
      }
      throw new GaussException(
              SqlState.INVALID_SCHEMA_NAME, "no schema has been selected to create in")
          .position(name.position());
    }
    if (!view().schemaExists(schema)) {
      throw noSchema(schema).position(name.position());
    }
    if (SchemaDef.isSystem(schema)) {
      throw new GaussException(
          SqlState.INSUFFICIENT_PRIVILEGE, "permission denied for schema " + schema);
    }
    requireCreate(schema, name);
    return schema;
  }

  private void requireCreate(String schema, Name name) {
    try {
      session.access().requireSchema(session.identity().current(), schema, Privilege.CREATE);
    } catch (GaussException e) {
      throw e.position(name.position());
    }
  }

  static GaussException noSchema(String schema) {
    return new GaussException(
        SqlState.INVALID_SCHEMA_NAME, "schema \"%s\" does not exist".formatted(schema));
  }

  /** Prevents other sessions from creating a relation of this name until the transaction ends. */
  void lockName(String schema, String name) {
    transaction().lockTable(nameLock(schema, name), TableLockMode.ACCESS_EXCLUSIVE);
  }

  /**
   * The sequences that a table owns, which is locked: they are locked, too, since who changes one
   * of them does not lock the table.
   */
  List<SequenceDef> lockOwned(int tableOid) {
    List<SequenceDef> owned = new ArrayList<>();
    for (SequenceDef sequence : List.copyOf(view().sequences())) {
      SequenceDef before = null;
      SequenceDef now = sequence;
      while (now != null && now.ownerTableOid() == tableOid && !isSameName(before, now)) {
        lockName(now.schema(), now.name());
        before = now;
        now = view().sequence(sequence.oid());
      }
      if (now != null && now.ownerTableOid() == tableOid) {
        owned.add(now);
      }
    }
    return owned;
  }

  private static boolean isSameName(SequenceDef before, SequenceDef now) {
    return before != null
        && before.schema().equals(now.schema())
        && before.name().equals(now.name());
  }

  private static int nameLock(String schema, String name) {
    return Integer.MIN_VALUE | (schema + "." + name).hashCode();
  }

  /** Fails with 42P07 when the name is taken. */
  void checkFree(String schema, String name) {
    if (view().relationExists(schema, name)) {
      throw new GaussException(
          SqlState.DUPLICATE_TABLE, "relation \"%s\" already exists".formatted(name));
    }
  }

  /** A free name, constructed as in PostgreSQL: {@code base_suffix}, then with numbers. */
  String freeName(String schema, String base, String suffix, Set<String> taken) {
    for (int i = 0; ; i++) {
      String end = "_" + suffix + (i == 0 ? "" : Integer.toString(i));
      String start = base;
      while ((start + end).getBytes(java.nio.charset.StandardCharsets.UTF_8).length > 63) {
        start = start.substring(0, start.length() - 1);
      }
      String candidate = start + end;
      if (!taken.contains(candidate) && !view().relationExists(schema, candidate)) {
        return candidate;
      }
    }
  }

  /**
   * Looks up a table, whose owner the current role must be, and locks it; null when there is none.
   */
  TableDef findTable(Name name, TableLockMode mode) {
    return findTable(name, mode, null);
  }

  /**
   * Looks up a table and locks it; null when there is none.
   *
   * @param privilege that the current role needs; null = it must be the owner
   * @throws GaussException 42501 before anything is locked
   */
  TableDef findTable(Name written, TableLockMode mode, Privilege privilege) {
    Name name = own(written);
    requireSchemaUsage(name);
    TableDef before = view().table(searchPath, name.schema(), name.name());
    if (before != null && SystemTables.isSystem(before)) {
      throw new GaussException(
          SqlState.INSUFFICIENT_PRIVILEGE,
          "permission denied: \"%s\" is a system catalog".formatted(before.name()));
    }
    while (before != null) {
      if (privilege == null) {
        requireOwner(before.oid(), "table", before.name());
      } else {
        session.access().requireTable(session.identity().current(), before, privilege);
      }
      transaction().lockTable(before.oid(), mode);
      TableDef after = view().table(searchPath, name.schema(), name.name());
      if (after != null && after.oid() == before.oid()) {
        return after;
      }
      // Dropped or renamed while we waited for the lock: look again.
      before = after;
    }
    return null;
  }

  /**
   * Fails with 55006 when keys of a table's rows are still to be checked, as PostgreSQL does: the
   * checks need the definitions with which the rows were written.
   *
   * @param command for the message
   */
  void requireUnused(TableDef table, String command) {
    if (exec.pending.isPendingOn(table.oid())) {
      throw new GaussException(
          SqlState.OBJECT_IN_USE,
          "cannot %s \"%s\" because it has pending trigger events"
              .formatted(command, table.name()));
    }
  }

  /** The name with {@code pg_temp} replaced by the session's own schema. */
  Name own(Name name) {
    return TemporarySchemas.ALIAS.equals(name.schema())
        ? new Name(session.temporarySchema(), name.name(), name.position())
        : name;
  }

  TableDef table(Name name, TableLockMode mode) {
    return table(name, mode, null);
  }

  /**
   * @param privilege that the current role needs; null = it must be the owner
   */
  TableDef table(Name name, TableLockMode mode, Privilege privilege) {
    TableDef found = findTable(name, mode, privilege);
    if (found == null) {
      throw isRelation(name) ? notATable(name) : noRelation(name);
    }
    return found;
  }

  /**
   * A relation's name as messages about dependencies show it: with its schema, unless that is on
   * the path.
   */
  String shown(String schema, String name) {
    String written = ColumnReferences.written(name);
    return searchPath.contains(schema) ? written : ColumnReferences.written(schema) + "." + written;
  }

  boolean isTable(Name name) {
    return view().table(searchPath, name.schema(), name.name()) != null;
  }

  /** Whether an index, a sequence or a view has this name. */
  boolean isRelation(Name name) {
    return isView(name)
        || view().sequence(searchPath, name.schema(), name.name()) != null
        || view().tableOfIndex(searchPath, name.schema(), name.name()) != null;
  }

  boolean isView(Name name) {
    return view().view(searchPath, name.schema(), name.name()) != null;
  }

  static GaussException notATable(Name name) {
    return new GaussException(
        SqlState.WRONG_OBJECT_TYPE, "\"%s\" is not a table".formatted(name.name()));
  }

  static GaussException noRelation(Name name) {
    return new GaussException(
            SqlState.UNDEFINED_TABLE, "relation \"%s\" does not exist".formatted(name))
        .position(name.position());
  }

  SequenceDef sequence(Name name) {
    return view().sequence(searchPath, name.schema(), name.name());
  }

  // ---------------------------------------------------------------- columns and types

  static int column(TableDef table, String name) {
    int index = table.columnIndex(name);
    if (index < 0) {
      throw new GaussException(
          SqlState.UNDEFINED_COLUMN,
          "column \"%s\" of relation \"%s\" does not exist".formatted(name, table.name()));
    }
    return index;
  }

  /**
   * The type of a column or the like. One of CREATE TYPE cannot be dropped until the transaction
   * ends.
   *
   * @throws GaussException 42704 when there is none, 0A000 when Gauss does not have it, 42501 when
   *     the current role may not use it
   */
  PgType type(TypeName name) {
    if (name.schema() != null) {
      requireSchemaUsage(new Name(name.schema(), name.name(), name.position()));
    }
    while (true) {
      PgType type = new TypeLookup(view(), searchPath).find(name);
      if (!type.isUserDefined()) {
        return type;
      }
      session.access().requireType(session.identity().current(), type);
      lockType(type);
      if (view().type(type.declaredOid()) != null) {
        return view().type(type.declaredOid());
      }
      // Dropped while we waited for the lock: look again.
    }
  }

  /**
   * Keeps a type from being dropped, and its labels from being renamed. Domains below a domain are
   * locked, too: who makes one of them stricter reads its values.
   */
  private void lockType(PgType type) {
    type.definitionOids().forEach(this::lockType);
  }

  /** The same of one type alone. */
  void lockType(int oid) {
    transaction().lockTable(oid, TableLockMode.ACCESS_SHARE);
  }

  /**
   * Keeps the types of columns that a statement does not name from being dropped until the
   * transaction ends.
   *
   * @throws GaussException 42704 when one has just been dropped
   */
  void keepTypes(List<PgType> types) {
    for (PgType type : types) {
      if (type.isUserDefined()) {
        lockType(type);
        if (view().type(type.declaredOid()) == null) {
          throw new GaussException(
              SqlState.UNDEFINED_OBJECT,
              "type \"%s\" does not exist".formatted(type.displayName()));
        }
      }
    }
  }

  /**
   * The form of an expression in which the catalog keeps it; null for null. Types in it cannot be
   * dropped until the transaction ends.
   */
  String stored(String expression) {
    while (true) {
      String stored = TypeReferences.ofExpression(expression, view(), searchPath);
      if (lockTypes(stored)) {
        return stored;
      }
    }
  }

  /** The same of a query. */
  String storedQuery(String query) {
    while (true) {
      String stored = TypeReferences.ofQuery(query, view(), searchPath);
      if (lockTypes(stored)) {
        return stored;
      }
    }
  }

  /**
   * Keeps the types that a text in the catalog's form names from being dropped until the
   * transaction ends; null is a text without any.
   *
   * @throws GaussException 42704 when one has just been dropped
   */
  void keepTypesIn(String stored) {
    if (!lockTypes(stored)) {
      throw new GaussException(
          SqlState.UNDEFINED_OBJECT,
          "a type in the expression \"%s\" does not exist any more".formatted(stored));
    }
  }

  /** Whether all are still there. */
  private boolean lockTypes(String stored) {
    for (int oid : StoredTypes.oids(stored)) {
      PgType type = view().type(oid);
      if (type == null) {
        return false;
      }
      lockType(type);
      if (view().type(oid) == null) {
        return false;
      }
    }
    return true;
  }
}
