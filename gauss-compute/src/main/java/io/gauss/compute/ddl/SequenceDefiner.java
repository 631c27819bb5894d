package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.SequenceDef;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.sql.parse.PgStatement.AlterSequence;
import io.gauss.compute.sql.parse.PgStatement.CreateSequence;
import io.gauss.compute.sql.parse.PgStatement.DropBehavior;
import io.gauss.compute.sql.parse.PgStatement.DropSequence;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.sql.parse.PgStatement.SequenceOptions;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.type.PgType;

/** CREATE, ALTER and DROP SEQUENCE, and the sequences of serial and identity columns. */
final class SequenceDefiner {
  private final DdlContext ddl;

  SequenceDefiner(DdlContext ddl) {
    this.ddl = ddl;
  }

  void create(CreateSequence statement) {
    if (statement.temporary()) {
      throw GaussException.notSupported("CREATE TEMPORARY SEQUENCE");
    }
    String schema = ddl.creationSchema(statement.name());
    String name = statement.name().name();
    ddl.lockName(schema, name);
    if (statement.ifNotExists() && ddl.view().relationExists(schema, name)) {
      ddl.notice("relation \"%s\" already exists, skipping".formatted(name));
      return;
    }
    ddl.checkFree(schema, name);
    PgType type =
        statement.options().type() == null
            ? PgType.INT8
            : DdlContext.type(statement.options().type());
    ddl.session.put(define(schema, name, type, statement.options(), owner(statement.options())));
  }

  /** Table and column position of OWNED BY; null when not written. */
  private int[] owner(SequenceOptions options) {
    var path = options.ownedBy();
    if (path == null || path.isEmpty() || (path.size() == 1 && path.get(0).equals("none"))) {
      return new int[] {0, 0};
    }
    String column = path.getLast();
    String table = path.get(path.size() - 2);
    String schema = path.size() > 2 ? path.get(path.size() - 3) : null;
    TableDef owner = ddl.table(new Name(schema, table, 0), TableLockMode.SHARE);
    return new int[] {owner.oid(), DdlContext.column(owner, column)};
  }

  /** Makes a definition, with PostgreSQL's defaults and checks. */
  SequenceDef define(
      String schema, String name, PgType type, SequenceOptions options, int[] owner) {
    long increment = options.increment() == null ? 1 : options.increment();
    if (increment == 0) {
      throw invalid("INCREMENT must not be zero");
    }
    long lowest;
    long highest;
    if (type.is(PgType.INT2)) {
      lowest = Short.MIN_VALUE;
      highest = Short.MAX_VALUE;
    } else if (type.is(PgType.INT4)) {
      lowest = Integer.MIN_VALUE;
      highest = Integer.MAX_VALUE;
    } else if (type.is(PgType.INT8)) {
      lowest = Long.MIN_VALUE;
      highest = Long.MAX_VALUE;
    } else {
      throw invalid("sequence type must be smallint, integer, or bigint");
    }
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
    SequenceDef sequence =
        new SequenceDef(
            ddl.newOid(),
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
    ddl.session.services().sequences().begin(sequence);
    return sequence;
  }

  private static GaussException invalid(String message) {
    return new GaussException(SqlState.INVALID_PARAMETER_VALUE, message);
  }

  void alter(AlterSequence statement) {
    SequenceDef sequence = ddl.sequence(statement.name());
    if (sequence == null) {
      if (statement.ifExists()) {
        ddl.notice("relation \"%s\" does not exist, skipping".formatted(statement.name().name()));
        return;
      }
      throw DdlContext.noRelation(statement.name());
    }
    SequenceOptions options = statement.options();
    boolean restartOnly =
        options != null
            && options.type() == null
            && options.increment() == null
            && options.minValue() == null
            && options.maxValue() == null
            && !options.noMinValue()
            && !options.noMaxValue()
            && options.start() == null
            && options.cache() == null
            && options.cycle() == null
            && options.ownedBy().isEmpty();
    if (statement.newName() != null || !restartOnly) {
      throw GaussException.notSupported("ALTER SEQUENCE other than RESTART");
    }
    long value = options.restartWith() != null ? options.restartWith() : sequence.start();
    ddl.services().sequences().set(sequence, value, false, ddl.transaction().context());
  }

  void drop(DropSequence statement) {
    for (Name name : statement.names()) {
      SequenceDef sequence = ddl.sequence(name);
      if (sequence == null) {
        if (!statement.ifExists()) {
          throw new GaussException(
              SqlState.UNDEFINED_TABLE, "sequence \"%s\" does not exist".formatted(name));
        }
        ddl.notice("sequence \"%s\" does not exist, skipping".formatted(name.name()));
        continue;
      }
      ddl.lockName(sequence.schema(), sequence.name());
      TableDef owner =
          sequence.ownerTableOid() == 0 ? null : ddl.view().table(sequence.ownerTableOid());
      if (owner != null && statement.behavior() != DropBehavior.CASCADE) {
        throw new GaussException(
                SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
                "cannot drop sequence %s because other objects depend on it"
                    .formatted(sequence.name()))
            .detail(
                "default value for column %s of table %s depends on sequence %s"
                    .formatted(
                        owner.columns().get(sequence.ownerColumn()).name(),
                        owner.name(),
                        sequence.name()))
            .hint("Use DROP ... CASCADE to drop the dependent objects too.");
      }
      if (owner != null) {
        throw GaussException.notSupported("DROP SEQUENCE ... CASCADE of a column's sequence");
      }
      ddl.session.remove(sequence.oid());
    }
  }
}
