package io.gauss.compute.catalog;

import io.gauss.compute.type.DomainType;
import io.gauss.compute.type.DomainType.Check;
import io.gauss.compute.type.PgType;
import java.util.List;
import java.util.Map;

/** A domain and the array type over it. Immutable. */
public final class DomainDef implements TypeDef {
  private final DomainType domain;

  public DomainDef(DomainType domain) {
    this.domain = domain;
  }

  @Override
  public int oid() {
    return domain.oid();
  }

  @Override
  public int arrayOid() {
    return domain.arrayOid();
  }

  @Override
  public String schema() {
    return domain.schema();
  }

  @Override
  public String name() {
    return domain.name();
  }

  @Override
  public String arrayName() {
    return domain.arrayName();
  }

  @Override
  public PgType type() {
    return domain.type();
  }

  /** The definition. */
  public DomainType domain() {
    return domain;
  }

  private DomainType.Identity identity() {
    return new DomainType.Identity(oid(), arrayOid(), schema(), name(), arrayName());
  }

  @Override
  public DomainDef withName(String newSchema, String newName, String newArrayName) {
    DomainType.Identity renamed =
        new DomainType.Identity(oid(), arrayOid(), newSchema, newName, newArrayName);
    return new DomainDef(
        new DomainType(
            renamed, domain.base(), domain.notNull(), domain.defaultSql(), domain.checks()));
  }

  public DomainDef withNotNull(boolean notNull) {
    return new DomainDef(
        new DomainType(identity(), domain.base(), notNull, domain.defaultSql(), domain.checks()));
  }

  /**
   * @param sql null = none
   */
  public DomainDef withDefault(String sql) {
    return new DomainDef(
        new DomainType(identity(), domain.base(), domain.notNull(), sql, domain.checks()));
  }

  public DomainDef withChecks(List<Check> checks) {
    return new DomainDef(
        new DomainType(identity(), domain.base(), domain.notNull(), domain.defaultSql(), checks));
  }

  /**
   * The domain over the current version of its base type.
   *
   * @return null when that is not among the types
   */
  DomainDef withBase(Map<Integer, PgType> types) {
    PgType base = domain.base();
    PgType current = types.get(base.declaredOid());
    if (current == null) {
      return base.isUserDefined() || base.isReference() ? null : this;
    }
    return current.equals(base)
        ? this
        : new DomainDef(
            new DomainType(
                identity(), current, domain.notNull(), domain.defaultSql(), domain.checks()));
  }
}
