package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.parse.AccessStatement;
import io.gauss.compute.sql.parse.PgStatement;
import io.gauss.compute.sql.parse.TypeStatement;
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
    long before = session.position();
    switch (statement) {
      case PgStatement.CreateTable create -> new TableDefiner(ddl).create(create);
      case PgStatement.DropTable drop -> new TableDropper(ddl).drop(drop);
      case PgStatement.Truncate truncate -> new TableDropper(ddl).truncate(truncate);
      case PgStatement.AlterTable alter -> new TableAlterer(ddl).alter(alter);
      case PgStatement.CreateIndex create -> new IndexDefiner(ddl).create(create);
      case PgStatement.AlterIndex alter -> new RelationRenamer(ddl).index(alter);
      case PgStatement.DropIndex drop -> new IndexDefiner(ddl).drop(drop);
      case PgStatement.CreateSequence create -> new SequenceDefiner(ddl).create(create);
      case PgStatement.AlterSequence alter -> new SequenceDefiner(ddl).alter(alter);
      case PgStatement.DropSequence drop -> new SequenceDefiner(ddl).drop(drop);
      case PgStatement.CreateSchema create -> new SchemaDefiner(ddl).create(create);
      case PgStatement.AlterSchema alter ->
          new SchemaDefiner(ddl).rename(alter.name(), alter.newName());
      case PgStatement.DropSchema drop -> new SchemaDefiner(ddl).drop(drop);
      case PgStatement.CreateView create -> new ViewDefiner(ddl).create(create);
      case PgStatement.AlterView alter -> new ViewDefiner(ddl).alter(alter);
      case PgStatement.DropView drop -> new ViewDefiner(ddl).drop(drop);
      case PgStatement.Analyze analyze -> new TableAnalyzer(ddl).analyze(analyze);
      case PgStatement.Vacuum vacuum -> new TableVacuum(ddl, infos).vacuum(vacuum);
      case PgStatement.LockTable lock -> new TableLocker(ddl).lock(lock);
      case PgStatement.Comment comment -> new Commenter(ddl).comment(comment);
      case PgStatement.Access access -> access(ddl, access.statement());
      case PgStatement.Type type -> type(ddl, type.statement());
      case PgStatement.Unsupported unsupported ->
          throw GaussException.notSupported(unsupported.command());
      default -> throw GaussException.notSupported(words(statement));
    }
    new KeptLabels(ddl).keep(session.changedSince(before));
    return CommandTags.of(statement);
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

  private static void access(DdlContext ddl, AccessStatement statement) {
    switch (statement) {
      case AccessStatement.CreateRole create -> new RoleDefiner(ddl).create(create);
      case AccessStatement.AlterRole alter -> new RoleDefiner(ddl).alter(alter);
      case AccessStatement.RenameRole rename -> new RoleDefiner(ddl).rename(rename);
      case AccessStatement.DropRole drop -> new RoleDefiner(ddl).drop(drop);
      case AccessStatement.GrantRole grant -> new RoleDefiner(ddl).grant(grant);
      case AccessStatement.GrantPrivileges grant -> new PrivilegeGranter(ddl, grant).run();
      case AccessStatement.AlterOwner alter -> new OwnerChanger(ddl).change(alter);
      case AccessStatement.DropOwned drop -> new OwnedDropper(ddl).drop(drop);
      case AccessStatement.ReassignOwned reassign -> new OwnerChanger(ddl).reassign(reassign);
    }
  }

  private static void type(DdlContext ddl, TypeStatement statement) {
    switch (statement) {
      case TypeStatement.CreateEnum create -> new EnumDefiner(ddl).create(create);
      case TypeStatement.AddValue add -> new EnumDefiner(ddl).addValue(add);
      case TypeStatement.RenameValue rename -> new EnumDefiner(ddl).renameValue(rename);
      case TypeStatement.RenameType rename -> new EnumDefiner(ddl).rename(rename);
      case TypeStatement.MoveType move -> new EnumDefiner(ddl).move(move);
      case TypeStatement.DropType drop -> new TypeDropper(ddl).drop(drop);
      case TypeStatement.CreateDomain create -> new DomainDefiner(ddl).create(create);
      case TypeStatement.AlterDomain alter -> new DomainAlterer(ddl).alter(alter);
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
