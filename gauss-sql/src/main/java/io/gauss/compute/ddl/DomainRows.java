package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.DomainDef;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.ColumnDef;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.sql.exec.build.DomainValidation;
import io.gauss.compute.sql.exec.build.DomainValidation.ColumnCheck;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.type.DomainType;
import io.gauss.compute.type.DomainType.Check;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.List;

/**
 * The rows that have values of a domain, or of one that is made over it. The domain is locked, so
 * that there will be no other columns of it.
 */
final class DomainRows {
  private final DdlContext ddl;
  private final DomainDef domain;

  DomainRows(DdlContext ddl, DomainDef domain) {
    this.ddl = ddl;
    this.domain = domain;
  }

  /**
   * @throws GaussException 23502 when a value is NULL
   */
  void refuseNulls() {
    run(null);
  }

  /**
   * @throws GaussException 23514 when a value does not satisfy a condition
   */
  void refuseViolations(Check check) {
    run(check);
  }

  /**
   * @param check null = NOT NULL
   */
  private void run(Check check) {
    refuseContainers();
    for (int oid : ddl.view().tables().stream().map(TableDef::oid).sorted().toList()) {
      TableDef before = ddl.view().table(oid);
      if (before == null || columns(before).isEmpty()) {
        continue;
      }
      ddl.transaction().lockTable(oid, TableLockMode.SHARE);
      TableDef table = ddl.view().table(oid);
      if (table != null) {
        validate(table, check);
      }
    }
  }

  private void validate(TableDef table, Check check) {
    List<ColumnCheck> checks = new ArrayList<>();
    for (int column : columns(table)) {
      checks.add(new ColumnCheck(column, check == null ? null : condition(table, column, check)));
    }
    if (!checks.isEmpty()) {
      new DomainValidation(ddl.session.open(table.oid()), checks).run(ddl.exec);
    }
  }

  /** Fails when the column's value does not satisfy the condition, whatever else is wrong. */
  private Expr condition(TableDef table, int column, Check check) {
    DomainType.Identity identity =
        new DomainType.Identity(
            domain.oid(), domain.arrayOid(), domain.schema(), domain.name(), domain.arrayName());
    PgType base = domain.type().baseType();
    DomainType alone = new DomainType(identity, base, false, null, List.of(check));
    return ddl.services().expressions().converted(table, column, alone.type(), ddl.view());
  }

  private List<Integer> columns(TableDef table) {
    List<Integer> found = new ArrayList<>();
    for (int i = 0; i < table.columns().size(); i++) {
      if (isOver(table.columns().get(i).type())) {
        found.add(i);
      }
    }
    return found;
  }

  private boolean isOver(PgType type) {
    return type.isDomain() && (type.declaredOid() == domain.oid() || isOver(type.domain().base()));
  }

  /** As PostgreSQL, does not look into arrays. */
  private void refuseContainers() {
    for (TableDef table : ddl.view().tables()) {
      for (ColumnDef column : table.columns()) {
        PgType element = column.type().isArray() ? column.type().element() : null;
        if (element != null && isOver(element)) {
          throw new GaussException(
              SqlState.FEATURE_NOT_SUPPORTED,
              "cannot alter type \"%s\" because column \"%s.%s\" uses it"
                  .formatted(domain.type().displayName(), table.name(), column.name()));
        }
      }
    }
  }
}
