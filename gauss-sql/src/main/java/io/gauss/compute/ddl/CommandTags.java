package io.gauss.compute.ddl;

import io.gauss.common.invariant.Invariant;
import io.gauss.compute.sql.parse.AccessStatement;
import io.gauss.compute.sql.parse.PgStatement;
import io.gauss.compute.sql.parse.TypeStatement;
import java.util.Locale;

/** The names that PostgreSQL gives to DDL commands, in command tags and in messages. */
public final class CommandTags {
  private CommandTags() {}

  /**
   * The command's name for the error of a read-only transaction.
   *
   * @return null when such a transaction may run the statement: it changes nothing that a dump of
   *     the database would show, or it is not supported at all
   */
  public static String refusedReadOnly(PgStatement statement) {
    return switch (statement) {
      case PgStatement.Analyze analyze -> null;
      case PgStatement.Vacuum vacuum -> null;
      case PgStatement.LockTable lock -> null;
      default -> find(statement);
    };
  }

  /** The tag of a statement that {@link DdlExecutor} has run. */
  static String of(PgStatement statement) {
    String tag = find(statement);
    Invariant.check(tag != null, "a statement that can be run has a tag");
    return tag;
  }

  private static String find(PgStatement statement) {
    return switch (statement) {
      case PgStatement.CreateTable create -> "CREATE TABLE";
      case PgStatement.CreateTableAs create -> "CREATE TABLE AS";
      case PgStatement.DropTable drop -> "DROP TABLE";
      case PgStatement.Truncate truncate -> "TRUNCATE TABLE";
      case PgStatement.AlterTable alter -> "ALTER TABLE";
      case PgStatement.CreateIndex create -> "CREATE INDEX";
      case PgStatement.AlterIndex alter -> "ALTER INDEX";
      case PgStatement.DropIndex drop -> "DROP INDEX";
      case PgStatement.CreateSequence create -> "CREATE SEQUENCE";
      case PgStatement.AlterSequence alter -> "ALTER SEQUENCE";
      case PgStatement.DropSequence drop -> "DROP SEQUENCE";
      case PgStatement.CreateSchema create -> "CREATE SCHEMA";
      case PgStatement.AlterSchema alter -> "ALTER SCHEMA";
      case PgStatement.DropSchema drop -> "DROP SCHEMA";
      case PgStatement.CreateView create -> "CREATE VIEW";
      case PgStatement.AlterView alter -> "ALTER VIEW";
      case PgStatement.DropView drop -> "DROP VIEW";
      case PgStatement.Analyze analyze -> "ANALYZE";
      case PgStatement.Vacuum vacuum -> "VACUUM";
      case PgStatement.LockTable lock -> "LOCK TABLE";
      case PgStatement.Comment comment -> "COMMENT";
      case PgStatement.Access access -> of(access.statement());
      case PgStatement.Type type -> of(type.statement());
      default -> null;
    };
  }

  private static String of(TypeStatement statement) {
    return switch (statement) {
      case TypeStatement.CreateEnum create -> "CREATE TYPE";
      case TypeStatement.AddValue add -> "ALTER TYPE";
      case TypeStatement.RenameValue rename -> "ALTER TYPE";
      case TypeStatement.RenameType rename -> "ALTER TYPE";
      case TypeStatement.MoveType move -> "ALTER TYPE";
      case TypeStatement.DropType drop -> drop.isDomain() ? "DROP DOMAIN" : "DROP TYPE";
      case TypeStatement.CreateDomain create -> "CREATE DOMAIN";
      case TypeStatement.AlterDomain alter -> "ALTER DOMAIN";
    };
  }

  private static String of(AccessStatement statement) {
    return switch (statement) {
      case AccessStatement.CreateRole create -> "CREATE ROLE";
      case AccessStatement.AlterRole alter -> "ALTER ROLE";
      case AccessStatement.RenameRole rename -> "ALTER ROLE";
      case AccessStatement.DropRole drop -> "DROP ROLE";
      case AccessStatement.GrantRole grant -> grant.grant() ? "GRANT ROLE" : "REVOKE ROLE";
      case AccessStatement.GrantPrivileges grant -> grant.grant() ? "GRANT" : "REVOKE";
      case AccessStatement.AlterOwner alter -> "ALTER " + alter.word().toUpperCase(Locale.ROOT);
      case AccessStatement.DropOwned drop -> "DROP OWNED";
      case AccessStatement.ReassignOwned reassign -> "REASSIGN OWNED";
    };
  }
}
