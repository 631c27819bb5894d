package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.SchemaDef;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.parse.PgStatement;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Runs DDL statements for one session, inside its transaction. May wait for locks and pages. */
public final class DdlExecutor {
  private static final Set<String> BUILT_IN_SCHEMAS =
      Set.of("public", "pg_catalog", "information_schema", "gauss");

  private final DdlSession session;
  private final ExecContext exec;

  public DdlExecutor(DdlSession session, ExecContext exec) {
    this.session = session;
    this.exec = exec;
  }

  /**
   * Runs one statement.
   *
   * @param notices takes what PostgreSQL tells as NOTICE
   * @return the command tag
   */
  public String execute(
      PgStatement statement, List<String> searchPath, Consumer<GaussException> notices) {
    DdlContext ddl = new DdlContext(session, exec, searchPath, notices);
    return switch (statement) {
      case PgStatement.CreateTable create -> {
        new TableDefiner(ddl).create(create);
        yield "CREATE TABLE";
      }
      case PgStatement.DropTable drop -> {
        new TableDropper(ddl).drop(drop);
        yield "DROP TABLE";
      }
      case PgStatement.Truncate truncate -> {
        new TableDropper(ddl).truncate(truncate);
        yield "TRUNCATE TABLE";
      }
      case PgStatement.AlterTable alter -> {
        new TableAlterer(ddl).alter(alter);
        yield "ALTER TABLE";
      }
      case PgStatement.CreateIndex create -> {
        new IndexDefiner(ddl).create(create);
        yield "CREATE INDEX";
      }
      case PgStatement.DropIndex drop -> {
        new IndexDefiner(ddl).drop(drop);
        yield "DROP INDEX";
      }
      case PgStatement.CreateSequence create -> {
        new SequenceDefiner(ddl).create(create);
        yield "CREATE SEQUENCE";
      }
      case PgStatement.AlterSequence alter -> {
        new SequenceDefiner(ddl).alter(alter);
        yield "ALTER SEQUENCE";
      }
      case PgStatement.DropSequence drop -> {
        new SequenceDefiner(ddl).drop(drop);
        yield "DROP SEQUENCE";
      }
      case PgStatement.CreateSchema create -> {
        createSchema(ddl, create);
        yield "CREATE SCHEMA";
      }
      case PgStatement.DropSchema drop -> {
        dropSchemas(ddl, drop);
        yield "DROP SCHEMA";
      }
      case PgStatement.Analyze analyze -> {
        new TableAnalyzer(ddl).analyze(analyze);
        yield "ANALYZE";
      }
      case PgStatement.LockTable lock -> {
        new TableLocker(ddl).lock(lock);
        yield "LOCK TABLE";
      }
      case PgStatement.Unsupported unsupported ->
          throw GaussException.notSupported(unsupported.command());
      default -> throw GaussException.notSupported(words(statement));
    };
  }

  private static String words(PgStatement statement) {
    return statement
        .getClass()
        .getSimpleName()
        .replaceAll("([a-z])([A-Z])", "$1 $2")
        .toUpperCase(java.util.Locale.ROOT);
  }

  private void createSchema(DdlContext ddl, PgStatement.CreateSchema create) {
    if (create.authorization() != null) {
      throw GaussException.notSupported("CREATE SCHEMA ... AUTHORIZATION");
    }
    if (create.name().startsWith("pg_")) {
      throw new GaussException(
              SqlState.RESERVED_NAME, "unacceptable schema name \"%s\"".formatted(create.name()))
          .detail("The prefix \"pg_\" is reserved for system schemas.");
    }
    ddl.lockName("", create.name());
    if (ddl.view().schemaExists(create.name())) {
      if (create.ifNotExists()) {
        ddl.notice("schema \"%s\" already exists, skipping".formatted(create.name()));
        return;
      }
      throw new GaussException(
          SqlState.DUPLICATE_SCHEMA, "schema \"%s\" already exists".formatted(create.name()));
    }
    session.put(new SchemaDef(ddl.newOid(), create.name()));
  }

  private void dropSchemas(DdlContext ddl, PgStatement.DropSchema drop) {
    for (String name : drop.names()) {
      SchemaDef schema = ddl.view().schema(name);
      if (schema == null) {
        if (!drop.ifExists()) {
          throw DdlContext.noSchema(name);
        }
        ddl.notice("schema \"%s\" does not exist, skipping".formatted(name));
        continue;
      }
      if (BUILT_IN_SCHEMAS.contains(name)) {
        throw GaussException.notSupported("dropping schema " + name);
      }
      ddl.lockName("", name);
      boolean empty =
          ddl.view().tables().stream().noneMatch(table -> table.schema().equals(name))
              && ddl.view().sequences().stream().noneMatch(s -> s.schema().equals(name));
      if (!empty) {
        throw new GaussException(
                SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
                "cannot drop schema %s because other objects depend on it".formatted(name))
            .hint("Drop the objects in it first.");
      }
      session.remove(schema.oid());
    }
  }
}
