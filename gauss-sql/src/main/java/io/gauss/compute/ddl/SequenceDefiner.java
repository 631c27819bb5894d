package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.SequenceDef;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.sql.parse.ColumnReferences;
import io.gauss.compute.sql.parse.PgStatement.AlterSequence;
import io.gauss.compute.sql.parse.PgStatement.CreateSequence;
import io.gauss.compute.sql.parse.PgStatement.DropBehavior;
import io.gauss.compute.sql.parse.PgStatement.DropSequence;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.sql.parse.PgStatement.SequenceOptions;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.List;

/** CREATE, ALTER and DROP SEQUENCE, and the sequences of serial and identity columns. */
final class SequenceDefiner {
  private final DdlContext ddl;

  SequenceDefiner(DdlContext ddl) {
    this.ddl = ddl;
  }

  void create(CreateSequence statement) {
    String schema = ddl.creationSchema(statement.name(), statement.temporary());
    String name = statement.name().name();
    ddl.lockName(schema, name);
    if (statement.ifNotExists() && ddl.view().relationExists(schema, name)) {
      ddl.notice("relation \"%s\" already exists, skipping".formatted(name));
      return;
    }
    ddl.checkFree(schema, name);
    PgType type =
        statement.options().type() == null ? PgType.INT8 : ddl.type(statement.options().type());
    int me = ddl.session.identity().current();
    int[] owner = owner(statement.options(), schema, me);
    ddl.session.put(define(schema, name, type, statement.options(), owner));
  }

  /** The displayed default of a serial column; the column finds its sequence by oid. */
  static String nextValueSql(String schema, String name) {
    String written = ColumnReferences.written(name);
    if (!schema.equals("public")) {
      written = ColumnReferences.written(schema) + "." + written;
    }
    return "nextval('%s'::regclass)".formatted(written.replace("'", "''"));
  }

  /**
   * Table and column position of OWNED BY; 0 when not written.
   *
   * @param schema the sequence's
   * @param roleOid who owns the sequence
   */
  private int[] owner(SequenceOptions options, String schema, int roleOid) {
    var path = options.ownedBy();
    if (path == null || path.isEmpty() || (path.size() == 1 && path.get(0).equals("none"))) {
      return new int[] {0, 0};
    }
    if (path.size() == 1) {
      throw new GaussException(SqlState.SYNTAX_ERROR, "invalid OWNED BY option")
          .hint("Specify OWNED BY table.column or OWNED BY NONE.");
    }
    String column = path.getLast();
    String table = path.get(path.size() - 2);
    String tableSchema = path.size() > 2 ? path.get(path.size() - 3) : null;
    TableDef owner = ddl.table(new Name(tableSchema, table, 0), TableLockMode.SHARE);
    // From now on they change their owner and their schema together.
    if (ddl.session.access().of(owner.oid()).ownerOid() != roleOid) {
      throw notLinked("sequence must have same owner as table it is linked to");
    }
    if (!owner.schema().equals(schema)) {
      throw notLinked("sequence must be in same schema as table it is linked to");
    }
    return new int[] {owner.oid(), DdlContext.column(owner, column)};
  }

  private static GaussException notLinked(String message) {
    return new GaussException(SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE, message);
  }

  /** Creates a definition, with PostgreSQL's defaults and checks. */
  SequenceDef define(
      String schema, String name, PgType type, SequenceOptions options, int[] owner) {
    SequenceDef sequence = define(ddl.newOid(), schema, name, type, options, owner);
    ddl.session.services().sequences().begin(sequence);
    return sequence;
  }

  private static long lowest(PgType type) {
    return type.is(PgType.INT2)
        ? Short.MIN_VALUE
        : type.is(PgType.INT4) ? Integer.MIN_VALUE : Long.MIN_VALUE;
  }

  private static long highest(PgType type) {
    return type.is(PgType.INT2)
        ? Short.MAX_VALUE
        : type.is(PgType.INT4) ? Integer.MAX_VALUE : Long.MAX_VALUE;
  }

  private static SequenceDef define(
      int oid, String schema, String name, PgType type, SequenceOptions options, int[] owner) {
    long increment = options.increment() == null ? 1 : options.increment();
    if (increment == 0) {
      throw invalid("INCREMENT must not be zero");
    }
    if (!type.isInteger()) {
      throw invalid("sequence type must be smallint, integer, or bigint");
    }
    long lowest = lowest(type);
    long highest = highest(type);
    long min = options.minValue() != null ? options.minValue() : increment > 0 ? 1 : lowest;
    long max = options.maxValue() != null ? options.maxValue() : increment > 0 ? highest : -1;
    if (min < lowest || max > highest || min > highest || max < lowest) {
      throw invalid("MINVALUE or MAXVALUE is out of range for sequence data type " + type.name());
    }
    if (min >= max) {
      throw invalid("MINVALUE (%d) must be less than MAXVALUE (%d)".formatted(min, max));
    }
    long start = options.start() != null ? options.start() : increment > 0 ? min : max;
    if (start < min) {
      throw invalid("START value (%d) cannot be less than MINVALUE (%d)".formatted(start, min));
    }
    if (start > max) {
      throw invalid("START value (%d) cannot be greater than MAXVALUE (%d)".formatted(start, max));
    }
    long cache = options.cache() == null ? 1 : options.cache();
    if (cache <= 0) {
      throw invalid("CACHE (%d) must be greater than zero".formatted(cache));
    }
    return new SequenceDef(
        oid,
        schema,
        name,
        start,
        increment,
        min,
        max,
        cache,
        Boolean.TRUE.equals(options.cycle()),
        owner[0],
        owner[1]);
  }

  private static GaussException invalid(String message) {
    return new GaussException(SqlState.INVALID_PARAMETER_VALUE, message);
  }

  /**
   * Looks up a sequence, whose owner the current role must be, and locks it; null when there is
   * none. What others have changed until then is in it.
   */
  private SequenceDef find(Name name) {
    SequenceDef before = ddl.sequence(name);
    while (before != null) {
      ddl.requireOwner(before.oid(), "sequence", before.name());
      ddl.lockName(before.schema(), before.name());
      SequenceDef after = ddl.sequence(name);
      if (after != null && after.oid() == before.oid() && after.schema().equals(before.schema())) {
        return after;
      }
      // Dropped, renamed or moved while we waited for the lock: look again.
      before = after;
    }
    return null;
  }

  void alter(AlterSequence statement) {
    SequenceDef sequence = find(statement.name());
    if (sequence == null) {
      if (ddl.isRelation(statement.name())
          || ddl.view().table(ddl.searchPath(), statement.name().schema(), statement.name().name())
              != null) {
        throw new GaussException(
            SqlState.WRONG_OBJECT_TYPE,
            "\"%s\" is not a sequence".formatted(statement.name().name()));
      }
      if (statement.ifExists()) {
        ddl.notice("relation \"%s\" does not exist, skipping".formatted(statement.name().name()));
        return;
      }
      throw DdlContext.noRelation(statement.name());
    }
    if (statement.newName() != null) {
      new RelationRenamer(ddl).sequence(sequence, statement.newName());
    } else if (statement.newSchema() != null) {
      new RelationRenamer(ddl).sequenceSchema(sequence, statement.newSchema());
    } else {
      redefine(sequence, statement.options());
    }
  }

  /** Options that are not written stay unchanged. */
  private void redefine(SequenceDef old, SequenceOptions options) {
    PgType oldType = type(old);
    PgType type = options.type() == null ? oldType : ddl.type(options.type());
    long increment = options.increment() != null ? options.increment() : old.increment();
    // Bounds equal to those of the old type become those of the new one.
    boolean newMin =
        options.noMinValue() || (!type.equals(oldType) && old.minValue() == lowest(oldType));
    boolean newMax =
        options.noMaxValue() || (!type.equals(oldType) && old.maxValue() == highest(oldType));
    SequenceOptions all =
        new SequenceOptions(
            options.type(),
            increment,
            options.minValue() != null ? options.minValue() : newMin ? null : (Long) old.minValue(),
            false,
            options.maxValue() != null ? options.maxValue() : newMax ? null : (Long) old.maxValue(),
            false,
            options.start() != null ? options.start() : (Long) old.start(),
            options.cache() != null ? options.cache() : (Long) old.cache(),
            options.cycle() != null ? options.cycle() : (Boolean) old.cycle(),
            false,
            null,
            List.of(),
            null);
    int[] owner =
        options.ownedBy().isEmpty()
            ? new int[] {old.ownerTableOid(), old.ownerColumn()}
            : owner(options, old.schema(), ddl.session.access().of(old.oid()).ownerOid());
    SequenceDef changed = define(old.oid(), old.schema(), old.name(), type, all, owner);
    boolean restart = options.restart() || options.restartWith() != null;
    Long position =
        restart
            ? (Long) (options.restartWith() != null ? options.restartWith() : changed.start())
            : ddl.services().sequences().giveBack(old, ddl.transaction().context());
    if (position != null) {
      checkPosition(changed, position);
    }
    if (!changed.equals(old)) {
      ddl.session.put(changed);
    }
    if (restart) {
      ddl.services().sequences().set(changed, position, false, ddl.transaction().context());
    }
  }

  private static void checkPosition(SequenceDef sequence, long position) {
    if (position < sequence.minValue()) {
      throw invalid(
          "RESTART value (%d) cannot be less than MINVALUE (%d)"
              .formatted(position, sequence.minValue()));
    }
    if (position > sequence.maxValue()) {
      throw invalid(
          "RESTART value (%d) cannot be greater than MAXVALUE (%d)"
              .formatted(position, sequence.maxValue()));
    }
  }

  /** The declared type of a sequence is derived from its bounds. */
  private static PgType type(SequenceDef sequence) {
    for (PgType type : List.of(PgType.INT2, PgType.INT4)) {
      if (sequence.maxValue() == highest(type) || sequence.minValue() == lowest(type)) {
        return type;
      }
    }
    return PgType.INT8;
  }

  void drop(DropSequence statement) {
    for (Name name : statement.names()) {
      SequenceDef sequence = find(name);
      if (sequence == null) {
        if (!statement.ifExists()) {
          throw new GaussException(
              SqlState.UNDEFINED_TABLE, "sequence \"%s\" does not exist".formatted(name));
        }
        ddl.notice("sequence \"%s\" does not exist, skipping".formatted(name.name()));
        continue;
      }
      List<TableDef> users = SequenceDefaults.users(ddl, sequence);
      if (!users.isEmpty() && statement.behavior() != DropBehavior.CASCADE) {
        throw stillUsed(sequence, users);
      }
      users.forEach(user -> dropDefault(sequence, user));
      ddl.session.remove(sequence.oid());
    }
  }

  private GaussException stillUsed(SequenceDef sequence, List<TableDef> users) {
    List<String> lines = new ArrayList<>();
    for (TableDef user : users) {
      for (TableDef.ColumnDef column : user.columns()) {
        if (column.sequenceOid() == sequence.oid()) {
          lines.add(
              "default value for column %s of table %s depends on sequence %s"
                  .formatted(
                      column.name(),
                      ddl.shown(user.schema(), user.name()),
                      ddl.shown(sequence.schema(), sequence.name())));
        }
      }
    }
    return new GaussException(
            SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
            "cannot drop sequence %s because other objects depend on it"
                .formatted(ddl.shown(sequence.schema(), sequence.name())))
        .detail(String.join("\n", lines))
        .hint("Use DROP ... CASCADE to drop the dependent objects too.");
  }

  /** Removes the default from the column that takes its values from the sequence. */
  private void dropDefault(SequenceDef sequence, TableDef owner) {
    ddl.transaction().lockTable(owner.oid(), TableLockMode.ACCESS_EXCLUSIVE);
    TableDef now = ddl.view().table(owner.oid());
    if (now == null) {
      return; // dropped while we waited for the lock
    }
    TableEdit edit = new TableEdit(now);
    for (int i = 0; i < edit.columns.size(); i++) {
      TableDef.ColumnDef column = edit.columns.get(i);
      if (column.sequenceOid() != sequence.oid()) {
        continue;
      }
      if (column.identity() != 0) {
        throw new GaussException(
                SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
                "cannot drop sequence %s because column %s of table %s requires it"
                    .formatted(sequence.name(), column.name(), edit.name))
            .hint(
                "You can drop column %s of table %s instead.".formatted(column.name(), edit.name));
      }
      edit.columns.set(i, column.withDefault(null));
      ddl.notice(
          "drop cascades to default value for column %s of table %s"
              .formatted(column.name(), edit.name));
    }
    ddl.session.put(edit.build());
  }
}
