package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.DomainDef;
import io.gauss.compute.catalog.SystemOids;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.sql.parse.TypeStatement.AlterDomain;
import io.gauss.compute.sql.parse.TypeStatement.DomainAction;
import io.gauss.compute.sql.parse.TypeStatement.DomainCheck;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.type.DomainType;
import io.gauss.compute.type.DomainType.Check;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * ALTER DOMAIN. Who makes a condition stricter holds the domain exclusively, so that nobody defines
 * a column of it meanwhile, and then the tables that have one against writers.
 */
final class DomainAlterer {
  private final DdlContext ddl;
  private final TypeNaming naming;

  DomainAlterer(DdlContext ddl) {
    this.ddl = ddl;
    this.naming = new TypeNaming(ddl);
  }

  void alter(AlterDomain alter) {
    Name name = alter.name();
    switch (alter.action()) {
      case DomainAction.SetDefault set -> setDefault(find(name), set.sql());
      case DomainAction.SetNotNull set -> setNotNull(name, set.notNull());
      case DomainAction.AddConstraint add -> add(name, add.check());
      case DomainAction.DropConstraint drop -> drop(find(name), drop);
      case DomainAction.Validate validate -> validate(name, validate.name());
      case DomainAction.RenameConstraint rename -> rename(find(name), rename);
      case DomainAction.Rename rename -> new TypeMover(ddl).rename(find(name), rename.newName());
      case DomainAction.Move move -> {
        TypeMover mover = new TypeMover(ddl);
        mover.checkSchema(name, move.newSchema());
        mover.move(find(name), move.newSchema());
      }
    }
  }

  private DomainDef find(Name name) {
    return naming.findDomain(name, TableLockMode.ACCESS_SHARE, false);
  }

  private DomainDef findExclusively(Name name) {
    return naming.findDomain(name, TableLockMode.ACCESS_EXCLUSIVE, false);
  }

  private void setDefault(DomainDef domain, String sql) {
    DomainDef changed =
        domain.withDefault(new DomainDefiner(ddl).defaultText(sql, domain.domain().base()));
    ddl.services().expressions().validate(changed.domain(), ddl.view());
    ddl.session.put(changed);
  }

  private void setNotNull(Name name, boolean notNull) {
    DomainDef domain = notNull ? findExclusively(name) : find(name);
    if (domain.domain().notNull() == notNull) {
      return;
    }
    if (notNull) {
      new DomainRows(ddl, domain).refuseNulls();
    }
    ddl.session.put(domain.withNotNull(notNull));
  }

  private void add(Name name, DomainCheck check) {
    DomainDef domain = check.notValid() ? find(name) : findExclusively(name);
    DomainDef changed = new DomainDefiner(ddl).withCheck(domain, check);
    if (!check.notValid()) {
      new DomainRows(ddl, domain).refuseViolations(changed.domain().checks().getLast());
    }
    ddl.session.put(changed);
  }

  private void validate(Name name, String constraint) {
    DomainDef domain = findExclusively(name);
    Check check = DomainDefiner.find(domain, constraint);
    if (check == null) {
      throw missing(domain, constraint);
    }
    if (!check.valid()) {
      new DomainRows(ddl, domain).refuseViolations(check);
      replace(domain, check, old -> new DomainType.Check(old.oid(), old.name(), old.sql(), true));
    }
  }

  private static GaussException missing(DomainDef domain, String constraint) {
    return new GaussException(
        SqlState.UNDEFINED_OBJECT,
        "constraint \"%s\" of domain \"%s\" does not exist".formatted(constraint, domain.name()));
  }

  private void drop(DomainDef domain, DomainAction.DropConstraint drop) {
    Check check = DomainDefiner.find(domain, drop.name());
    if (check == null) {
      if (!drop.ifExists()) {
        throw missing(domain, drop.name());
      }
      ddl.notice(missing(domain, drop.name()).getMessage() + ", skipping");
      return;
    }
    ddl.session.comment(domain.oid(), SystemOids.PG_CONSTRAINT, check.oid(), 0, null);
    ddl.session.put(domain.withChecks(without(domain, check)));
  }

  static List<Check> without(DomainDef domain, Check check) {
    List<Check> checks = new ArrayList<>(domain.domain().checks());
    checks.remove(check);
    return checks;
  }

  private void rename(DomainDef domain, DomainAction.RenameConstraint rename) {
    Check check = DomainDefiner.find(domain, rename.name());
    if (check == null) {
      throw DomainDefiner.noConstraint(domain, rename.name());
    }
    if (DomainDefiner.find(domain, rename.newName()) != null) {
      throw new GaussException(
          SqlState.DUPLICATE_OBJECT,
          "constraint \"%s\" for domain %s already exists"
              .formatted(rename.newName(), domain.type().displayName()));
    }
    replace(
        domain,
        check,
        old -> new DomainType.Check(old.oid(), rename.newName(), old.sql(), old.valid()));
  }

  private void replace(DomainDef domain, Check check, UnaryOperator<Check> change) {
    List<Check> checks = new ArrayList<>(domain.domain().checks());
    checks.set(checks.indexOf(check), change.apply(check));
    ddl.session.put(domain.withChecks(checks));
  }
}
