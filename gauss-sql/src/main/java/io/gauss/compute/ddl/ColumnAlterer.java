package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.SequenceDef;
import io.gauss.compute.catalog.SystemOids;
import io.gauss.compute.catalog.TableDef.CheckDef;
import io.gauss.compute.catalog.TableDef.ColumnDef;
import io.gauss.compute.catalog.TableDef.ForeignKeyDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.sql.exec.table.TableExpressionCompiler;
import io.gauss.compute.sql.parse.ColumnReferences;
import io.gauss.compute.sql.parse.PgStatement.AddColumn;
import io.gauss.compute.sql.parse.PgStatement.AlterColumnType;
import io.gauss.compute.sql.parse.PgStatement.DropBehavior;
import io.gauss.compute.sql.parse.PgStatement.DropColumn;
import io.gauss.compute.sql.parse.PgStatement.DropExpression;
import io.gauss.compute.sql.parse.PgStatement.SetDefault;
import io.gauss.compute.sql.parse.PgStatement.SetNotNull;
import io.gauss.compute.sql.parse.TypeName;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.StoredTypes;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** ALTER TABLE: columns. */
final class ColumnAlterer {
  /** System columns of every table in PostgreSQL; clients rely on tables not using their names. */
  private static final Set<String> SYSTEM_COLUMNS =
      Set.of("tableoid", "xmin", "cmin", "xmax", "cmax", "ctid");

  private final DdlContext ddl;
  private final TableChange change;
  private final TableEdit edit;

  ColumnAlterer(TableChange change) {
    this.ddl = change.ddl;
    this.change = change;
    this.edit = change.edit;
  }

  private int column(String name) {
    int position = change.find(name);
    if (position < 0) {
      throw missing(name, edit.name);
    }
    return position;
  }

  static GaussException missing(String column, String table) {
    return new GaussException(
        SqlState.UNDEFINED_COLUMN,
        "column \"%s\" of relation \"%s\" does not exist".formatted(column, table));
  }

  // ---------------------------------------------------------------- ADD and DROP

  /** Whether the column is there and need not be added; its constraints are not added either. */
  boolean isSkipped(AddColumn add) {
    return add.ifNotExists() && change.find(add.column().name()) >= 0;
  }

  void add(AddColumn add) {
    String name = add.column().name();
    if (SYSTEM_COLUMNS.contains(name)) {
      throw new GaussException(
          SqlState.DUPLICATE_COLUMN,
          "column name \"%s\" conflicts with a system column name".formatted(name));
    }
    if (change.find(name) >= 0) {
      if (add.ifNotExists()) {
        ddl.notice(
            "column \"%s\" of relation \"%s\" already exists, skipping".formatted(name, edit.name));
        return;
      }
      throw duplicate(name, edit.name);
    }
    if (edit.columns.size() == TableDefiner.MAX_COLUMNS) {
      throw new GaussException(
          SqlState.TOO_MANY_COLUMNS,
          "tables can have at most %d columns".formatted(TableDefiner.MAX_COLUMNS));
    }
    change.addColumn(new TableDefiner(ddl).column(edit, add.column()));
  }

  static GaussException duplicate(String column, String table) {
    return new GaussException(
        SqlState.DUPLICATE_COLUMN,
        "column \"%s\" of relation \"%s\" already exists".formatted(column, table));
  }

  /** Drops a column and, as PostgreSQL does, all constraints and indexes that name it. */
  void drop(DropColumn drop) {
    String name = drop.column();
    if (change.find(name) < 0 && drop.ifExists()) {
      ddl.notice(
          "column \"%s\" of relation \"%s\" does not exist, skipping".formatted(name, edit.name));
      return;
    }
    int position = column(name);
    dropGenerated(drop);
    dropReferences(position, drop);
    new ViewDependents(ddl)
        .dropOfColumn(change.before, edit.columns.get(position).number(), name, drop.behavior());
    edit.foreignKeys.removeIf(key -> contains(key.columns(), position));
    edit.checks.removeIf(check -> ColumnReferences.of(check.sql()).contains(name));
    for (IndexDef index : List.copyOf(edit.indexes)) {
      if (isInTexts(index, name)
          || contains(index.columns(), position)
          || contains(index.included(), position)) {
        change.removeIndex(index);
      }
    }
    if (contains(edit.primaryKey, position)) {
      edit.primaryKey = new int[0];
      edit.primaryKeyName = null;
    }
    int number = edit.columns.get(position).number();
    ddl.session.comment(edit.oid, SystemOids.PG_CLASS, edit.oid, number, null);
    int before = change.positionBefore(position);
    for (SequenceDef sequence : ddl.lockOwned(edit.oid)) {
      if (sequence.ownerColumn() == before) {
        ddl.session.remove(sequence.oid());
      }
    }
    change.removeColumn(position);
  }

  /** With CASCADE, drops the columns that are generated from the dropped one. */
  private void dropGenerated(DropColumn drop) {
    List<String> users = GeneratedColumns.users(edit.columns, drop.column());
    if (users.isEmpty()) {
      return;
    }
    if (drop.behavior() != DropBehavior.CASCADE) {
      List<String> lines =
          users.stream()
              .map(
                  user ->
                      "column %s of table %s depends on column %s of table %s"
                          .formatted(user, edit.name, drop.column(), edit.name))
              .toList();
      throw new GaussException(
              SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
              "cannot drop column %s of table %s because other objects depend on it"
                  .formatted(drop.column(), edit.name))
          .detail(String.join("\n", lines))
          .hint("Use DROP ... CASCADE to drop the dependent objects too.");
    }
    for (String user : users) {
      ddl.notice("drop cascades to column %s of table %s".formatted(user, edit.name));
      drop(new DropColumn(user, false, drop.behavior()));
    }
  }

  private void dropReferences(int position, DropColumn drop) {
    int before = change.positionBefore(position);
    List<ForeignKeyDef> keys =
        change.before.referencedBy().stream()
            .filter(key -> contains(key.referencedColumns(), before))
            .filter(
                key ->
                    ddl.view().table(key.tableOid()).foreignKeys().stream()
                        .anyMatch(other -> other.oid() == key.oid()))
            .toList();
    if (!keys.isEmpty()) {
      new ForeignKeyDropper(ddl)
          .drop(
              keys,
              "column %s of table %s".formatted(drop.column(), edit.name),
              "column %s of table %s".formatted(drop.column(), edit.name),
              drop.behavior());
      edit.foreignKeys.removeIf(
          key -> keys.stream().anyMatch(dropped -> dropped.oid() == key.oid()));
    }
  }

  private static boolean isInTexts(IndexDef index, String column) {
    return index.texts().stream().anyMatch(text -> ColumnReferences.of(text).contains(column));
  }

  private static boolean contains(int[] columns, int column) {
    return Arrays.stream(columns).anyMatch(c -> c == column);
  }

  // ---------------------------------------------------------------- DEFAULT and NOT NULL

  void setDefault(SetDefault set) {
    int position = column(set.column());
    ColumnDef column = edit.columns.get(position);
    if (column.identity() != 0) {
      throw isIdentity(column)
          .hint(
              set.defaultSql() == null
                  ? "Use ALTER TABLE ... ALTER COLUMN ... DROP IDENTITY instead."
                  : null);
    }
    if (column.isGenerated()) {
      GaussException generated =
          new GaussException(
              SqlState.SYNTAX_ERROR,
              "column \"%s\" of relation \"%s\" is a generated column"
                  .formatted(column.name(), edit.name));
      throw set.defaultSql() == null
          ? generated.hint("Use ALTER TABLE ... ALTER COLUMN ... DROP EXPRESSION instead.")
          : generated;
    }
    edit.columns.set(
        position,
        SequenceDefaults.bind(ddl, column.withDefault(ddl.stored(set.defaultSql())), edit.oid));
  }

  private GaussException isIdentity(ColumnDef column) {
    return new GaussException(
        SqlState.SYNTAX_ERROR,
        "column \"%s\" of relation \"%s\" is an identity column"
            .formatted(column.name(), edit.name));
  }

  void setNotNull(SetNotNull set) {
    int position = column(set.column());
    if (set.notNull()) {
      change.setNotNull(position);
      return;
    }
    ColumnDef column = edit.columns.get(position);
    if (column.identity() != 0) {
      throw isIdentity(column);
    }
    if (contains(edit.primaryKey, position)) {
      throw new GaussException(
          SqlState.INVALID_TABLE_DEFINITION,
          "column \"%s\" is in a primary key".formatted(column.name()));
    }
    edit.columns.set(position, column.withNotNull(false));
  }

  /** Makes a generated column an ordinary one that keeps its values. */
  void dropExpression(DropExpression drop) {
    int position = column(drop.column());
    ColumnDef column = edit.columns.get(position);
    if (column.isGenerated()) {
      edit.columns.set(position, column.withGenerated(null));
      return;
    }
    String message =
        "column \"%s\" of relation \"%s\" is not a stored generated column"
            .formatted(column.name(), edit.name);
    if (!drop.ifExists()) {
      throw new GaussException(SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE, message);
    }
    ddl.notice(message + ", skipping");
  }

  // ---------------------------------------------------------------- TYPE

  void type(AlterColumnType alter) {
    int position = column(alter.column());
    ColumnDef column = edit.columns.get(position);
    PgType type = type(alter.type());
    List<String> users = GeneratedColumns.users(edit.columns, column.name());
    if (!users.isEmpty()) {
      throw new GaussException(
              SqlState.FEATURE_NOT_SUPPORTED,
              "cannot alter type of a column used by a generated column")
          .detail(
              "Column \"%s\" is used by generated column \"%s\"."
                  .formatted(column.name(), users.getFirst()));
    }
    new ViewDependents(ddl).refuseTypeChange(change.before, column.number(), column.name());
    if (column.identity() != 0 && (!type.isInteger() || type.isDomain())) {
      throw new GaussException(
          SqlState.INVALID_PARAMETER_VALUE,
          "identity column type must be smallint, integer, or bigint");
    }
    Expr value = conversion(alter, column, type);
    checkDefault(column, type);
    for (CheckDef check : edit.checks) {
      if (ColumnReferences.of(check.sql()).contains(column.name())) {
        change.recheck(check);
      }
    }
    for (IndexDef index : List.copyOf(edit.indexes)) {
      if (!index.expressions().isEmpty() && isInTexts(index, column.name())) {
        change.rebuildIndex(index);
      }
    }
    edit.foreignKeys.stream()
        .filter(key -> contains(key.columns(), position))
        .forEach(change::recheck);
    int before = change.positionBefore(position);
    change.before.referencedBy().stream()
        .filter(key -> contains(key.referencedColumns(), before))
        .forEach(change::recheck);
    if (alter.usingSql() == null && isStoredAlike(column.type(), type)) {
      edit.columns.set(position, column.withType(type));
    } else {
      change.convert(position, type, value);
    }
  }

  private PgType type(TypeName name) {
    return ddl.type(name);
  }

  private Expr conversion(AlterColumnType alter, ColumnDef column, PgType type) {
    TableExpressionCompiler compiler = ddl.services().expressions();
    String using = ddl.stored(alter.usingSql());
    String sql = using != null ? using : ColumnReferences.written(column.name());
    try {
      return compiler.value(
          change.before, sql, type, column.name(), "transform expressions", ddl.view());
    } catch (GaussException e) {
      if (e.state() != SqlState.DATATYPE_MISMATCH) {
        throw e.position(0);
      }
      if (using != null) {
        throw new GaussException(
                SqlState.DATATYPE_MISMATCH,
                "result of USING clause for column \"%s\" cannot be cast automatically to type %s"
                    .formatted(column.name(), type.displayName()))
            .hint("You might need to add an explicit cast.");
      }
      throw new GaussException(
              SqlState.DATATYPE_MISMATCH,
              "column \"%s\" cannot be cast automatically to type %s"
                  .formatted(column.name(), type.displayName()))
          .hint(
              "You might need to specify \"USING %s::%s\"."
                  .formatted(ColumnReferences.written(column.name()), type.displayName()));
    }
  }

  /** A default is a value of the old type, which must become one of the new type. */
  private void checkDefault(ColumnDef column, PgType type) {
    if (column.defaultSql() == null || column.sequenceOid() != 0) {
      return;
    }
    String sql =
        "CAST((%s) AS %s)".formatted(column.defaultSql(), StoredTypes.written(column.type()));
    try {
      ddl.services()
          .expressions()
          .value(change.before, sql, type, column.name(), "DEFAULT expressions", ddl.view());
    } catch (GaussException e) {
      throw new GaussException(
          SqlState.DATATYPE_MISMATCH,
          "default for column \"%s\" cannot be cast automatically to type %s"
              .formatted(column.name(), type.displayName()));
    }
  }

  /** Whether every value of one type is stored and ordered like the same value of the other. */
  private static boolean isStoredAlike(PgType from, PgType to) {
    if (from.equals(to)) {
      return true;
    }
    if (to.isConstrained()) {
      return false;
    }
    boolean strings =
        (from.is(PgType.VARCHAR) || from.is(PgType.TEXT))
            && (to.is(PgType.VARCHAR) || to.is(PgType.TEXT));
    if (!strings) {
      return false;
    }
    boolean unlimited = to.typmod() < 0;
    return unlimited || (from.typmod() >= 0 && from.typmod() <= to.typmod());
  }
}
