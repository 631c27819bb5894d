package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.compute.catalog.DomainDef;
import io.gauss.compute.type.DomainType;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.StoredTypes;
import java.util.HashSet;
import java.util.Set;

/**
 * Refuses conditions of a domain that convert to the domain itself, directly or by way of other
 * domains: whether a value satisfies them would depend on whether it does.
 */
final class DomainCycles {
  private final DdlContext ddl;
  private final int domainOid;
  private final Set<Integer> seen = new HashSet<>();

  DomainCycles(DdlContext ddl, int domainOid) {
    this.ddl = ddl;
    this.domainOid = domainOid;
  }

  /**
   * @throws GaussException 0A000
   */
  void refuse(String condition) {
    for (int oid : StoredTypes.oids(condition)) {
      PgType type = ddl.view().type(oid);
      visit(type == null ? oid : type.definitionOid());
    }
  }

  private void visit(int oid) {
    if (oid == domainOid) {
      throw GaussException.notSupported("a constraint of a domain that uses the domain itself");
    }
    DomainDef domain = ddl.view().domain(oid);
    if (domain == null || !seen.add(oid)) {
      return;
    }
    visit(domain.domain().base().definitionOid());
    for (DomainType.Check check : domain.domain().checks()) {
      refuse(check.sql());
    }
  }
}
