package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.SequenceDef;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.CheckDef;
import io.gauss.compute.catalog.TableDef.ColumnDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.sql.parse.PgStatement.ColumnSpec;
import io.gauss.compute.sql.parse.PgStatement.ConstraintKind;
import io.gauss.compute.sql.parse.PgStatement.ConstraintSpec;
import io.gauss.compute.sql.parse.PgStatement.CreateTable;
import io.gauss.compute.sql.parse.PgStatement.CreateTableAs;
import io.gauss.compute.sql.parse.PgStatement.Like;
import io.gauss.compute.sql.parse.PgStatement.SequenceOptions;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.PgTypes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** CREATE TABLE. */
final class TableDefiner {
  /** pg_type.typcategory of the types that have collations. */
  private static final char STRINGS = 'S';

  static final int MAX_COLUMNS = 1600;

  /** All of them sort by bytes. */
  private static final Set<String> COLLATIONS = Set.of("C", "default", "POSIX");

  private final DdlContext ddl;
  private final Set<String> names = new HashSet<>();

  TableDefiner(DdlContext ddl) {
    this.ddl = ddl;
  }

  void create(CreateTable statement) {
    refuse(statement);
    String schema = ddl.creationSchema(statement.name(), statement.temporary());
    checkOnCommit(schema, statement.onCommit());
    String name = statement.name().name();
    ddl.lockName(schema, name);
    if (statement.ifNotExists() && ddl.view().relationExists(schema, name)) {
      ddl.notice("relation \"%s\" already exists, skipping".formatted(name));
      return;
    }
    ddl.checkFree(schema, name);
    new TypeNaming(ddl).checkFreeForNew(schema, name);
    TableEdit edit = new TableEdit(ddl.newOid(), schema, name, ddl.session.createTree());
    List<ConstraintSpec> constraints = new ArrayList<>();
    List<LikeClause> likes = new ArrayList<>();
    for (int i = 0; i <= statement.columns().size(); i++) {
      for (Like like : statement.likes()) {
        if (like.columnsBefore() == i) {
          likes.add(new LikeClause(ddl, names, like));
          likes.getLast().addColumns(edit, this);
        }
      }
      if (i < statement.columns().size()) {
        addColumn(edit, statement.columns().get(i));
        constraints.addAll(statement.columns().get(i).constraints());
      }
    }
    if (edit.columns.size() > MAX_COLUMNS) {
      throw tooManyColumns();
    }
    constraints.addAll(statement.constraints());
    Constraints.checkNames(constraints, name);
    for (ConstraintSpec spec : constraints) {
      if (spec.kind() == ConstraintKind.PRIMARY_KEY) {
        primaryKey(edit, spec);
      }
    }
    for (ConstraintSpec spec : constraints) {
      switch (spec.kind()) {
        case UNIQUE -> unique(edit, spec);
        case CHECK -> check(edit, spec);
        case EXCLUDE -> throw GaussException.notSupported("an EXCLUDE constraint");
        case PRIMARY_KEY, FOREIGN_KEY -> {
          // The first is handled before, the second once the table is in the catalog.
        }
      }
    }
    likes.forEach(like -> like.addConstraintsAndIndexes(edit));
    new GeneratedColumns(ddl).check(edit.build());
    ddl.session.put(edit.build());
    noteOnCommit(edit.oid, statement.onCommit());
    for (ConstraintSpec spec : constraints) {
      if (spec.kind() == ConstraintKind.FOREIGN_KEY) {
        names.add(new ForeignKeyDefiner(ddl).add(edit.oid, spec, names).name());
      }
    }
    // Binds checks and defaults, so that errors in them are reported now.
    ddl.session.open(edit.oid).expressions();
  }

  /**
   * Creates a table for the rows of a query.
   *
   * @param found columns of the query
   * @return null when a relation of the name exists and that is not an error
   */
  TableDef createAs(CreateTableAs statement, List<ColumnDef> found) {
    String schema = ddl.creationSchema(statement.name(), statement.temporary());
    checkOnCommit(schema, statement.onCommit());
    String name = statement.name().name();
    ddl.lockName(schema, name);
    if (statement.ifNotExists() && ddl.view().relationExists(schema, name)) {
      ddl.notice("relation \"%s\" already exists, skipping".formatted(name));
      return null;
    }
    ddl.checkFree(schema, name);
    new TypeNaming(ddl).checkFreeForNew(schema, name);
    if (statement.columns().size() > found.size()) {
      throw new GaussException(SqlState.SYNTAX_ERROR, "too many column names were specified");
    }
    if (found.size() > MAX_COLUMNS) {
      throw tooManyColumns();
    }
    ddl.keepTypes(found.stream().map(ColumnDef::type).toList());
    TableEdit edit = new TableEdit(ddl.newOid(), schema, name, ddl.session.createTree());
    for (int i = 0; i < found.size(); i++) {
      ColumnDef column = found.get(i);
      if (i < statement.columns().size()) {
        column = column.withName(statement.columns().get(i));
      }
      checkNew(edit, column.name(), 0);
      edit.columns.add(column);
    }
    ddl.session.put(edit.build());
    noteOnCommit(edit.oid, statement.onCommit());
    return ddl.view().table(edit.oid);
  }

  private static void checkOnCommit(String schema, String onCommit) {
    if (onCommit != null && !TemporarySchemas.isTemporary(schema)) {
      throw new GaussException(
          SqlState.INVALID_TABLE_DEFINITION, "ON COMMIT can only be used on temporary tables");
    }
  }

  private void noteOnCommit(int oid, String onCommit) {
    if (onCommit != null && !onCommit.equals("preserve")) {
      ddl.session.atCommit(oid, onCommit);
    }
  }

  private static GaussException tooManyColumns() {
    return new GaussException(
        SqlState.TOO_MANY_COLUMNS, "tables can have at most %d columns".formatted(MAX_COLUMNS));
  }

  private static void refuse(CreateTable statement) {
    if (statement.unlogged()) {
      throw GaussException.notSupported("an unlogged table");
    }
    if (!statement.inherits().isEmpty()) {
      throw GaussException.notSupported("table inheritance");
    }
    if (statement.partitioned()) {
      throw GaussException.notSupported("a partitioned table");
    }
    if (statement.tablespace() != null) {
      throw GaussException.notSupported("a tablespace");
    }
    StorageParameters.check(statement.options());
  }

  // ---------------------------------------------------------------- columns

  /** Fails with 42701 when the table has a column of the name. */
  void checkNew(TableEdit edit, String name, int position) {
    for (ColumnDef other : edit.columns) {
      if (other.name().equals(name)) {
        throw new GaussException(
                SqlState.DUPLICATE_COLUMN, "column \"%s\" specified more than once".formatted(name))
            .position(position);
      }
    }
  }

  private void addColumn(TableEdit edit, ColumnSpec spec) {
    checkNew(edit, spec.name(), spec.position());
    edit.columns.add(column(edit, spec));
  }

  /** Creates a column; a serial or identity column gets its sequence. */
  ColumnDef column(TableEdit edit, ColumnSpec spec) {
    String typeName = spec.type().name();
    boolean serial = spec.type().schema() == null && PgTypes.isSerial(typeName);
    PgType type = serial ? serialType(typeName) : ddl.type(spec.type());
    checkCollation(spec.collation(), type);
    boolean notNull = spec.notNull() || serial || spec.identity() != 0;
    if (spec.nullable() && notNull) {
      throw new GaussException(
              SqlState.SYNTAX_ERROR,
              "conflicting NULL/NOT NULL declarations for column \"%s\" of table \"%s\""
                  .formatted(spec.name(), edit.name))
          .position(spec.position());
    }
    String defaultSql = ddl.stored(spec.defaultSql());
    int sequenceOid = 0;
    if (spec.generatedSql() != null && (serial || spec.identity() != 0 || defaultSql != null)) {
      throw new GaussException(
              SqlState.SYNTAX_ERROR,
              "both %s and generation expression specified for column \"%s\" of table \"%s\""
                  .formatted(spec.identity() != 0 ? "identity" : "default", spec.name(), edit.name))
          .position(spec.position());
    }
    if (serial || spec.identity() != 0) {
      if (defaultSql != null) {
        throw new GaussException(
                SqlState.SYNTAX_ERROR,
                "multiple default values specified for column \"%s\" of table \"%s\""
                    .formatted(spec.name(), edit.name))
            .position(spec.position());
      }
      if (!type.isInteger() || type.isDomain()) {
        throw new GaussException(
            SqlState.INVALID_PARAMETER_VALUE,
            "identity column type must be smallint, integer, or bigint");
      }
      SequenceDef sequence = ownSequence(edit, spec, type);
      sequenceOid = sequence.oid();
      if (serial) {
        defaultSql = SequenceDefiner.nextValueSql(sequence.schema(), sequence.name());
      }
    }
    ColumnDef column =
        new ColumnDef(
            edit.columns.isEmpty() ? 1 : edit.columns.getLast().number() + 1,
            spec.name(),
            type,
            notNull,
            defaultSql,
            spec.identity(),
            sequenceOid,
            null,
            ddl.stored(spec.generatedSql()));
    return SequenceDefaults.bind(ddl, column, edit.oid);
  }

  /**
   * @param collation null = none was written
   * @throws GaussException 0A000 when Gauss does not have it, 42804 when the type has none
   */
  static void checkCollation(String collation, PgType type) {
    if (collation == null) {
      return;
    }
    String catalog = "pg_catalog.";
    String name = collation.startsWith(catalog) ? collation.substring(catalog.length()) : collation;
    if (!COLLATIONS.contains(name)) {
      throw GaussException.notSupported("collation " + collation);
    }
    PgType element = type.isArray() ? type.element() : type;
    if (element.category() != STRINGS) {
      throw new GaussException(
          SqlState.DATATYPE_MISMATCH, "collations are not supported by type " + type.displayName());
    }
  }

  private static PgType serialType(String name) {
    return switch (name) {
      case "smallserial", "serial2" -> PgType.INT2;
      case "bigserial", "serial8" -> PgType.INT8;
      default -> PgType.INT4;
    };
  }

  private SequenceDef ownSequence(TableEdit edit, ColumnSpec spec, PgType type) {
    String name = ddl.freeName(edit.schema, edit.name + "_" + spec.name(), "seq", names);
    names.add(name);
    SequenceOptions options =
        spec.identityOptions() == null ? SequenceOptions.NONE : spec.identityOptions();
    SequenceDef sequence =
        new SequenceDefiner(ddl)
            .define(edit.schema, name, type, options, new int[] {edit.oid, edit.columns.size()});
    ddl.session.put(sequence);
    return sequence;
  }

  // ---------------------------------------------------------------- constraints

  private void primaryKey(TableEdit edit, ConstraintSpec spec) {
    if (edit.primaryKey.length > 0) {
      throw new GaussException(
              SqlState.INVALID_TABLE_DEFINITION,
              "multiple primary keys for table \"%s\" are not allowed".formatted(edit.name))
          .position(spec.position());
    }
    Constraints.refuse(spec);
    edit.primaryKey = Constraints.columns(edit, spec);
    for (int column : edit.primaryKey) {
      edit.columns.set(column, edit.columns.get(column).withNotNull(true));
    }
    edit.primaryKeyName =
        spec.name() != null ? spec.name() : ddl.freeName(edit.schema, edit.name, "pkey", names);
    names.add(edit.primaryKeyName);
    ddl.checkFree(edit.schema, edit.primaryKeyName);
  }

  private void unique(TableEdit edit, ConstraintSpec spec) {
    Constraints.refuse(spec);
    int[] columns = Constraints.columns(edit, spec);
    String name =
        spec.name() != null
            ? spec.name()
            : ddl.freeName(edit.schema, Constraints.baseName(edit, columns), "key", names);
    names.add(name);
    ddl.checkFree(edit.schema, name);
    edit.indexes.add(
        IndexDef.ofConstraint(
            ddl.newOid(), name, ddl.session.createTree(), columns, spec.deferral()));
  }

  private void check(TableEdit edit, ConstraintSpec spec) {
    String name = spec.name();
    if (name == null) {
      String base =
          spec.columns().size() == 1 ? edit.name + "_" + spec.columns().get(0) : edit.name;
      name = ddl.freeName(edit.schema, base, "check", names);
    }
    names.add(name);
    edit.checks.add(new CheckDef(ddl.newOid(), name, ddl.stored(spec.checkSql())));
  }
}
