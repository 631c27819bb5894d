package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.parse.AccessStatement;
import io.gauss.compute.sql.parse.PgStatement;
import java.util.List;
import java.util.function.Consumer;

/** Runs DDL statements for one session, inside its transaction. May wait for locks and pages. */
public final class DdlExecutor {
  private final DdlSession session;
  private final ExecContext exec;

  public DdlExecutor(DdlSession session, ExecContext exec) {
    this.session = session;
    this.exec = exec;
  }

  /**
   * Runs one statement.
   *
   * @param notices receives the messages that PostgreSQL sends as NOTICE
   * @param infos receives the messages that PostgreSQL sends as INFO
   * @return the command tag
   */
  public String execute(
      PgStatement statement,
      List<String> searchPath,
      Consumer<GaussException> notices,
      Consumer<String> infos) {
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
      case PgStatement.AlterIndex alter -> {
        new RelationRenamer(ddl).index(alter);
        yield "ALTER INDEX";
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
        new SchemaDefiner(ddl).create(create);
        yield "CREATE SCHEMA";
      }
      case PgStatement.AlterSchema alter -> {
        new SchemaDefiner(ddl).rename(alter.name(), alter.newName());
        yield "ALTER SCHEMA";
      }
      case PgStatement.DropSchema drop -> {
        new SchemaDefiner(ddl).drop(drop);
        yield "DROP SCHEMA";
      }
      case PgStatement.CreateView create -> {
        new ViewDefiner(ddl).create(create);
        yield "CREATE VIEW";
      }
      case PgStatement.AlterView alter -> {
        new ViewDefiner(ddl).alter(alter);
        yield "ALTER VIEW";
      }
      case PgStatement.DropView drop -> {
        new ViewDefiner(ddl).drop(drop);
        yield "DROP VIEW";
      }
      case PgStatement.Analyze analyze -> {
        new TableAnalyzer(ddl).analyze(analyze);
        yield "ANALYZE";
      }
      case PgStatement.Vacuum vacuum -> {
        new TableVacuum(ddl, infos).vacuum(vacuum);
        yield "VACUUM";
      }
      case PgStatement.LockTable lock -> {
        new TableLocker(ddl).lock(lock);
        yield "LOCK TABLE";
      }
      case PgStatement.Comment comment -> {
        new Commenter(ddl).comment(comment);
        yield "COMMENT";
      }
      case PgStatement.Access access -> access(ddl, access.statement());
      case PgStatement.Unsupported unsupported ->
          throw GaussException.notSupported(unsupported.command());
      default -> throw GaussException.notSupported(words(statement));
    };
  }

  /**
   * Creates the table of CREATE TABLE AS or SELECT INTO, without rows.
   *
   * @param columns of the query
   * @return null when there is a relation of this name and that is not an error
   */
  public TableDef createAs(
      PgStatement.CreateTableAs statement,
      List<TableDef.ColumnDef> columns,
      List<String> searchPath,
      Consumer<GaussException> notices) {
    DdlContext ddl = new DdlContext(session, exec, searchPath, notices);
    return new TableDefiner(ddl).createAs(statement, columns);
  }

  private static String access(DdlContext ddl, AccessStatement statement) {
    switch (statement) {
      case AccessStatement.CreateRole create -> {
        new RoleDefiner(ddl).create(create);
        return "CREATE ROLE";
      }
      case AccessStatement.AlterRole alter -> {
        new RoleDefiner(ddl).alter(alter);
        return "ALTER ROLE";
      }
      case AccessStatement.RenameRole rename -> {
        new RoleDefiner(ddl).rename(rename);
        return "ALTER ROLE";
      }
      case AccessStatement.DropRole drop -> {
        new RoleDefiner(ddl).drop(drop);
        return "DROP ROLE";
      }
      case AccessStatement.GrantRole grant -> {
        new RoleDefiner(ddl).grant(grant);
        return grant.grant() ? "GRANT ROLE" : "REVOKE ROLE";
      }
      case AccessStatement.GrantPrivileges grant -> {
        new PrivilegeGranter(ddl, grant).run();
        return grant.grant() ? "GRANT" : "REVOKE";
      }
      case AccessStatement.AlterOwner alter -> {
        new OwnerChanger(ddl).change(alter);
        return "ALTER " + alter.word().toUpperCase(java.util.Locale.ROOT);
      }
      case AccessStatement.ReassignOwned reassign -> {
        new OwnerChanger(ddl).reassign(reassign);
        return "REASSIGN OWNED";
      }
    }
  }

  private static String words(PgStatement statement) {
    return statement
        .getClass()
        .getSimpleName()
        .replaceAll("([a-z])([A-Z])", "$1 $2")
        .toUpperCase(java.util.Locale.ROOT);
  }
}
