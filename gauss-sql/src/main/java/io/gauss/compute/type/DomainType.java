package io.gauss.compute.type;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What CREATE DOMAIN adds to a type, at one version of the definition. Immutable, compared by
 * identity: a plan that has compiled the conditions belongs to a version.
 */
public final class DomainType {
  /** Numbers all versions of all domains in this process. */
  private static final AtomicLong STAMPS = new AtomicLong();

  private final int oid;
  private final int arrayOid;
  private final String schema;
  private final String name;
  private final String arrayName;
  private final PgType base;
  private final boolean notNull;
  private final String defaultSql;
  private final List<Check> checks;
  private final long stamp = -STAMPS.incrementAndGet();
  private final PgType type;

  /**
   * A condition on values.
   *
   * @param sql its text, in which the value is called VALUE
   * @param valid false when there may be rows whose values do not satisfy it
   */
  public record Check(int oid, String name, String sql, boolean valid) {}

  /**
   * A domain's names.
   *
   * @param arrayOid oid of the array type over it
   * @param arrayName name of that, which is in the same schema
   */
  public record Identity(int oid, int arrayOid, String schema, String name, String arrayName) {}

  /**
   * @param base what it is made over, which may be a domain as well
   * @param defaultSql null when there is none
   */
  public DomainType(
      Identity identity, PgType base, boolean notNull, String defaultSql, List<Check> checks) {
    this.oid = identity.oid();
    this.arrayOid = identity.arrayOid();
    this.schema = identity.schema();
    this.name = identity.name();
    this.arrayName = identity.arrayName();
    this.base = base;
    this.notNull = notNull;
    this.defaultSql = defaultSql;
    this.checks = List.copyOf(checks);
    this.type = PgType.of(this);
  }

  public int oid() {
    return oid;
  }

  public int arrayOid() {
    return arrayOid;
  }

  public String schema() {
    return schema;
  }

  public String name() {
    return name;
  }

  public String arrayName() {
    return arrayName;
  }

  /** What it is made over, which may be a domain as well. */
  public PgType base() {
    return base;
  }

  /** Whether it itself refuses NULL. */
  public boolean notNull() {
    return notNull;
  }

  /** The default of columns that have none; null when there is none. */
  public String defaultSql() {
    return defaultSql;
  }

  /** Its own conditions. */
  public List<Check> checks() {
    return checks;
  }

  /** Tells this version from all others of this and other types. */
  public long stamp() {
    return stamp;
  }

  /** The type of values. */
  public PgType type() {
    return type;
  }

  /** This domain and those below it, from the lowest. */
  public List<DomainType> chain() {
    List<DomainType> chain = base.isDomain() ? base.domain().chain() : new ArrayList<>();
    chain.add(this);
    return chain;
  }

  /** Whether values may be NULL neither here nor in a domain below. */
  public boolean refusesNull() {
    return notNull || base.isDomain() && base.domain().refusesNull();
  }

  /** Whether a value has to be looked at when it becomes one of the domain. */
  boolean isConstrained() {
    return notNull || !checks.isEmpty() || base.isDomain() && base.domain().isConstrained();
  }
}
