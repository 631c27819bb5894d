package io.gauss.compute.sql.parse;

import io.gauss.compute.catalog.TableDef.Action;
import io.gauss.compute.catalog.TableDef.Deferral;
import java.util.List;
import java.util.Locale;
import org.apache.calcite.sql.SqlNode;

/**
 * One parsed statement. Queries and DML hold a Calcite tree (see the package documentation for its
 * shape); everything else is a record. Names are folded and cut to 63 bytes already. Records keep
 * what was written, even if it is refused later.
 */
public sealed interface PgStatement {

  /** A name with an optional schema; {@code position} is where it starts in the text, from 1. */
  record Name(String schema, String name, int position) {
    @Override
    public String toString() {
      return schema == null ? name : schema + "." + name;
    }
  }

  // ---------------------------------------------------------------- queries and DML

  /**
   * SELECT, VALUES, TABLE, WITH (SqlSelect, SqlOrderBy, SqlWith, set operation or VALUES call,
   * {@link PgLocking}).
   */
  record Query(SqlNode node) implements PgStatement {}

  record Insert(PgInsert node) implements PgStatement {}

  record Update(PgUpdate node) implements PgStatement {}

  record Delete(PgDelete node) implements PgStatement {}

  /** Nothing between two semicolons. */
  record Empty() implements PgStatement {}

  /**
   * @param format text, json, ... as written; null = text
   * @param options names of other options in lower case (costs, buffers, timing, ...), after "no "
   *     when they were turned off
   */
  /**
   * @param route explains the choice of the compute node, not the execution
   * @param text of the statement
   */
  record Explain(
      boolean analyze,
      boolean verbose,
      String format,
      boolean route,
      List<String> options,
      PgStatement statement,
      String text)
      implements PgStatement {}

  // ---------------------------------------------------------------- transactions

  /** Modes of a transaction; null = not given. */
  record TransactionModes(Isolation isolation, Boolean readOnly, Boolean deferrable) {}

  enum Isolation {
    READ_UNCOMMITTED,
    READ_COMMITTED,
    REPEATABLE_READ,
    SERIALIZABLE
  }

  /**
   * @param start START TRANSACTION rather than BEGIN: the command tag differs
   */
  record Begin(TransactionModes modes, boolean start) implements PgStatement {}

  record Commit(boolean chain) implements PgStatement {}

  record Rollback(boolean chain) implements PgStatement {}

  record Savepoint(String name) implements PgStatement {}

  record Release(String name) implements PgStatement {}

  record RollbackTo(String name) implements PgStatement {}

  /** {@code SET [LOCAL] TRANSACTION ...}. */
  record SetTransaction(TransactionModes modes) implements PgStatement {}

  /**
   * {@code SET CONSTRAINTS ...}.
   *
   * @param names empty = ALL
   */
  record SetConstraints(List<Name> names, boolean deferred) implements PgStatement {}

  /** {@code SET SESSION CHARACTERISTICS AS TRANSACTION ...}. */
  record SetSessionCharacteristics(TransactionModes modes, boolean local) implements PgStatement {}

  // ---------------------------------------------------------------- settings

  /**
   * @param name lower case, may contain a point
   * @param values one, or several for lists such as search_path; null = DEFAULT
   * @param local SET LOCAL
   */
  record Set(String name, List<String> values, boolean local) implements PgStatement {}

  /**
   * @param name null = ALL
   */
  record Reset(String name) implements PgStatement {}

  /**
   * @param name null = ALL
   */
  record Show(String name) implements PgStatement {}

  /**
   * @param what ALL, PLANS, SEQUENCES or TEMP
   */
  record Discard(String what) implements PgStatement {}

  // ---------------------------------------------------------------- prepared statements, cursors

  record Prepare(String name, List<TypeName> types, PgStatement statement) implements PgStatement {}

  record Execute(String name, List<SqlNode> arguments) implements PgStatement {}

  /**
   * @param name null = ALL
   */
  record Deallocate(String name) implements PgStatement {}

  record DeclareCursor(String name, boolean binary, Boolean scroll, boolean hold, PgStatement query)
      implements PgStatement {}

  /**
   * @param direction NEXT, PRIOR, FIRST, LAST, ABSOLUTE, RELATIVE, FORWARD, BACKWARD
   * @param count number of rows; Long.MAX_VALUE = ALL
   * @param move MOVE rather than FETCH
   */
  record Fetch(String cursor, String direction, long count, boolean move) implements PgStatement {}

  /**
   * @param name null = ALL
   */
  record CloseCursor(String name) implements PgStatement {}

  /**
   * @param table null when a query is copied
   * @param columns empty = all
   * @param target file name, null for STDIN and STDOUT
   * @param options lower-case names and their values (null for a flag)
   */
  record Copy(
      Name table,
      List<String> columns,
      PgStatement query,
      boolean from,
      String target,
      boolean program,
      List<Option> options,
      String where)
      implements PgStatement {}

  /**
   * A {@code name = value} or {@code name value} element of an option list; value null when there
   * is none.
   */
  record Option(String name, String value) {
    /** Whether what it switches is on: it is without a value. */
    boolean isOn() {
      if (value == null) {
        return true;
      }
      return switch (value.toLowerCase(Locale.ROOT)) {
        case "false", "off", "0", "no" -> false;
        default -> true;
      };
    }
  }

  // ---------------------------------------------------------------- tables

  /** CASCADE or RESTRICT (the default). */
  enum DropBehavior {
    RESTRICT,
    CASCADE
  }

  /**
   * @param temporary TEMPORARY or TEMP
   * @param unlogged UNLOGGED
   * @param inherits parents of INHERITS, or the one of PARTITION OF
   * @param partitioned PARTITION BY or PARTITION OF was written
   * @param options storage parameters of WITH (...)
   * @param onCommit text after ON COMMIT, null for none
   */
  record CreateTable(
      Name name,
      boolean ifNotExists,
      boolean temporary,
      boolean unlogged,
      List<ColumnSpec> columns,
      List<ConstraintSpec> constraints,
      List<Like> likes,
      List<Name> inherits,
      boolean partitioned,
      List<Option> options,
      String onCommit,
      String tablespace)
      implements PgStatement {}

  /**
   * {@code LIKE t [INCLUDING ...]} among the columns.
   *
   * @param columnsBefore number of columns that are written before it
   * @param including properties copied besides columns and NOT NULL, in lower case, without ALL
   */
  record Like(Name table, int columnsBefore, java.util.Set<String> including) {}

  /**
   * CREATE TABLE AS and SELECT INTO.
   *
   * @param onCommit text after ON COMMIT, null for none
   * @param columns names that replace those of the query
   */
  record CreateTableAs(
      Name name,
      boolean ifNotExists,
      boolean temporary,
      String onCommit,
      List<String> columns,
      PgStatement query,
      boolean withData)
      implements PgStatement {}

  /**
   * @param defaultSql source text of the default's expression, null for none
   * @param identity 'a' always, 'd' by default, 0 none
   * @param identityOptions of the identity's sequence
   * @param generatedSql source text of GENERATED ALWAYS AS (...) STORED, null for none
   * @param constraints CHECK, UNIQUE, PRIMARY KEY and REFERENCES written at the column, their
   *     columns filled in
   * @param notNull NOT NULL was written (serial, identity and PRIMARY KEY imply it without it)
   * @param nullable NULL was written
   */
  record ColumnSpec(
      String name,
      TypeName type,
      String collation,
      String defaultSql,
      char identity,
      SequenceOptions identityOptions,
      String generatedSql,
      boolean notNull,
      boolean nullable,
      List<ConstraintSpec> constraints,
      int position) {}

  enum ConstraintKind {
    PRIMARY_KEY,
    UNIQUE,
    CHECK,
    FOREIGN_KEY,
    EXCLUDE
  }

  /**
   * @param name null = to be made up
   * @param columns of PRIMARY KEY, UNIQUE, FOREIGN KEY; those that a CHECK refers to
   * @param checkSql source text of a CHECK's condition
   * @param referenced table that a FOREIGN KEY references
   * @param referencedColumns empty = its primary key
   * @param matchFull MATCH FULL was written
   * @param setColumns columns of ON DELETE SET NULL (a, b); empty = all
   * @param notValid NOT VALID was written
   * @param nullsNotDistinct UNIQUE NULLS NOT DISTINCT
   * @param include columns of INCLUDE
   * @param usingIndex index of {@code ADD CONSTRAINT ... USING INDEX}, null for none
   */
  record ConstraintSpec(
      ConstraintKind kind,
      String name,
      List<String> columns,
      String checkSql,
      Name referenced,
      List<String> referencedColumns,
      boolean matchFull,
      Action onDelete,
      Action onUpdate,
      List<String> setColumns,
      Deferral deferral,
      boolean notValid,
      boolean nullsNotDistinct,
      List<String> include,
      String usingIndex,
      List<Option> options,
      int position) {}

  record DropTable(List<Name> names, boolean ifExists, DropBehavior behavior)
      implements PgStatement {}

  record Truncate(List<Name> names, boolean restartIdentity, DropBehavior behavior)
      implements PgStatement {}

  record AlterTable(Name name, boolean ifExists, List<AlterAction> actions)
      implements PgStatement {}

  /** One action of ALTER TABLE. */
  sealed interface AlterAction {}

  record AddColumn(ColumnSpec column, boolean ifNotExists) implements AlterAction {}

  record DropColumn(String column, boolean ifExists, DropBehavior behavior)
      implements AlterAction {}

  record RenameColumn(String column, String newName) implements AlterAction {}

  record RenameTable(String newName) implements AlterAction {}

  record RenameConstraint(String constraint, String newName) implements AlterAction {}

  record AddConstraint(ConstraintSpec constraint) implements AlterAction {}

  record DropConstraint(String constraint, boolean ifExists, DropBehavior behavior)
      implements AlterAction {}

  record ValidateConstraint(String constraint) implements AlterAction {}

  record AlterConstraint(String constraint, Deferral deferral) implements AlterAction {}

  /**
   * @param defaultSql null = DROP DEFAULT
   */
  record SetDefault(String column, String defaultSql) implements AlterAction {}

  record SetNotNull(String column, boolean notNull) implements AlterAction {}

  /** Makes a generated column an ordinary one. */
  record DropExpression(String column, boolean ifExists) implements AlterAction {}

  record AlterColumnType(String column, TypeName type, String usingSql) implements AlterAction {}

  record SetSchema(String schema) implements AlterAction {}

  record OwnerTo(AccessStatement.RoleName role) implements AlterAction {}

  /** Anything else that PostgreSQL knows; always refused. */
  record OtherAction(String text) implements AlterAction {}

  // ---------------------------------------------------------------- indexes, sequences, schemas

  /**
   * @param name null = to be made up
   * @param method USING ..., null = btree
   * @param whereSql predicate of a partial index, null for none
   */
  record CreateIndex(
      String name,
      boolean unique,
      boolean ifNotExists,
      boolean concurrently,
      Name table,
      String method,
      List<IndexElement> elements,
      List<String> include,
      boolean nullsNotDistinct,
      List<Option> options,
      String tablespace,
      String whereSql)
      implements PgStatement {}

  /**
   * @param column null for an expression
   * @param expressionSql source text of an expression, null for a column
   * @param nullsFirst null = not written: first for DESC, last for ASC
   */
  record IndexElement(
      String column,
      String expressionSql,
      String collation,
      String operatorClass,
      boolean descending,
      Boolean nullsFirst,
      int position) {}

  record DropIndex(List<Name> names, boolean ifExists, boolean concurrently, DropBehavior behavior)
      implements PgStatement {}

  record AlterIndex(Name name, boolean ifExists, String newName, String otherText)
      implements PgStatement {}

  /**
   * Null fields were not written.
   *
   * @param noMinValue NO MINVALUE was written
   * @param restart RESTART without a value was written
   * @param ownedBy table.column or "none"
   */
  record SequenceOptions(
      TypeName type,
      Long increment,
      Long minValue,
      boolean noMinValue,
      Long maxValue,
      boolean noMaxValue,
      Long start,
      Long cache,
      Boolean cycle,
      boolean restart,
      Long restartWith,
      List<String> ownedBy,
      Name sequenceName) {
    public static final SequenceOptions NONE =
        new SequenceOptions(
            null, null, null, false, null, false, null, null, null, false, null, List.of(), null);
  }

  record CreateSequence(Name name, boolean ifNotExists, boolean temporary, SequenceOptions options)
      implements PgStatement {}

  /**
   * @param newName RENAME TO, null otherwise
   * @param newSchema SET SCHEMA, null otherwise
   */
  record AlterSequence(
      Name name, boolean ifExists, SequenceOptions options, String newName, String newSchema)
      implements PgStatement {}

  record DropSequence(List<Name> names, boolean ifExists, DropBehavior behavior)
      implements PgStatement {}

  record CreateSchema(String name, boolean ifNotExists, AccessStatement.RoleName authorization)
      implements PgStatement {}

  record AlterSchema(String name, String newName) implements PgStatement {}

  record DropSchema(List<String> names, boolean ifExists, DropBehavior behavior)
      implements PgStatement {}

  /**
   * @param columns empty = as the query names them
   * @param options of WITH (...)
   * @param querySql text of the query
   * @param queryOffset characters of the statement before it
   * @param checkOption WITH [LOCAL | CASCADED] CHECK OPTION was written
   */
  record CreateView(
      Name name,
      boolean orReplace,
      boolean temporary,
      boolean recursive,
      List<String> columns,
      List<Option> options,
      String querySql,
      int queryOffset,
      boolean checkOption)
      implements PgStatement {}

  /**
   * @param column the column that is renamed; null = the view is
   * @param newSchema null when a name is changed
   */
  record AlterView(Name name, boolean ifExists, String column, String newName, String newSchema)
      implements PgStatement {}

  record DropView(List<Name> names, boolean ifExists, DropBehavior behavior)
      implements PgStatement {}

  // ---------------------------------------------------------------- other utilities

  /**
   * @param columns empty = all
   */
  record AnalyzeTarget(Name table, List<String> columns) {}

  /**
   * @param targets empty = all tables
   */
  record Analyze(List<AnalyzeTarget> targets, boolean verbose) implements PgStatement {}

  /**
   * @param targets empty = all tables
   * @param options names in lower case; those of the old form without parentheses too
   */
  record Vacuum(List<AnalyzeTarget> targets, List<Option> options) implements PgStatement {
    private static final java.util.Set<String> OFF = java.util.Set.of("off", "false", "0", "no");

    /** Whether an option is there and not turned off. */
    public boolean has(String name) {
      return options.stream().anyMatch(option -> option.name().equals(name) && isOn(option));
    }

    public static boolean isOn(Option option) {
      return option.value() == null || !OFF.contains(option.value());
    }
  }

  /**
   * @param mode such as {@code ACCESS EXCLUSIVE}, upper case
   */
  record LockTable(List<Name> tables, String mode, boolean nowait) implements PgStatement {}

  /**
   * @param objectKind upper case
   * @param object its name, qualified
   * @param table of a constraint; null for others
   * @param text null = remove it
   */
  record Comment(String objectKind, List<String> object, Name table, String text)
      implements PgStatement {}

  /** LISTEN, NOTIFY, UNLISTEN. */
  record Notification(String command, String channel, String payload) implements PgStatement {}

  /** Roles, privileges, owners. */
  record Access(AccessStatement statement) implements PgStatement {}

  /** CREATE, ALTER and DROP TYPE. */
  record Type(TypeStatement statement) implements PgStatement {}

  /** CHECKPOINT. */
  record Checkpoint() implements PgStatement {}

  /**
   * A statement that PostgreSQL knows and Gauss does not: refused with 0A000 and this name.
   *
   * @param command such as {@code CREATE ROLE}
   */
  record Unsupported(String command, String text) implements PgStatement {}
}
