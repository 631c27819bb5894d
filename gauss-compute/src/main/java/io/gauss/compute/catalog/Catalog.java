package io.gauss.compute.catalog;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The committed catalog of this node. DDL transactions collect their changes apart and publish them
 * once their commit is reserved; locks on the objects make the order of publications that of the
 * commits. Thread-safe.
 */
public final class Catalog {
  /** Oids below are PostgreSQL's own. */
  private static final int FIRST_USER_OID = 16_384;

  private static final int PUBLIC_OID = 2_200;
  private static final int PG_CATALOG_OID = 11;
  private static final int GAUSS_OID = 12;
  private static final int INFORMATION_SCHEMA_OID = 13;

  private final AtomicLong versions = new AtomicLong();
  private final AtomicInteger oids;
  private volatile CatalogSnapshot current;

  /**
   * @param stored what {@link CatalogStore#load} read
   */
  public Catalog(Map<Integer, CatalogObject> stored) {
    Map<Integer, CatalogObject> objects = new HashMap<>(stored);
    addBuiltIn(objects, new SchemaDef(PUBLIC_OID, "public"));
    addBuiltIn(objects, new SchemaDef(PG_CATALOG_OID, "pg_catalog"));
    addBuiltIn(objects, new SchemaDef(GAUSS_OID, "gauss"));
    addBuiltIn(objects, new SchemaDef(INFORMATION_SCHEMA_OID, "information_schema"));
    objects.putIfAbsent(SystemOids.OWNER, RoleDef.BOOTSTRAP);
    for (int schema : new int[] {PUBLIC_OID, PG_CATALOG_OID, GAUSS_OID, INFORMATION_SCHEMA_OID}) {
      objects.putIfAbsent(SystemOids.access(schema), builtInAccess(schema));
    }
    this.current = new CatalogSnapshot(versions.incrementAndGet(), objects);
    this.oids = new AtomicInteger(Math.max(FIRST_USER_OID - 1, current.highestOid()));
  }

  private static void addBuiltIn(Map<Integer, CatalogObject> objects, SchemaDef schema) {
    objects.put(schema.oid(), schema);
  }

  /** Everybody may use a built-in schema; only its owner may make objects in it. */
  private static AccessDef builtInAccess(int schemaOid) {
    int owner = SystemOids.OWNER;
    return new AccessDef(
        SystemOids.access(schemaOid),
        owner,
        List.of(
            new AccessDef.Grant(owner, owner, Privilege.ObjectKind.SCHEMA.all(), 0),
            new AccessDef.Grant(AccessDef.PUBLIC, owner, Privilege.USAGE.bit(), 0)));
  }

  /** What is committed. */
  public CatalogSnapshot current() {
    return current;
  }

  public int newOid() {
    return oids.incrementAndGet();
  }

  /** A number that no other version of any view has. */
  public long newVersion() {
    return versions.incrementAndGet();
  }

  /** Makes committed changes visible to everybody; null removes. */
  public synchronized void publish(Map<Integer, CatalogObject> changes) {
    current = current.with(newVersion(), changes);
  }

  /** Makes committed statistics visible to everybody; plans made before are not used any more. */
  public synchronized void publishStatistics(Collection<CollectedStatistics> collected) {
    Map<Integer, CatalogObject> changes = new HashMap<>();
    for (CollectedStatistics statistics : collected) {
      TableDef table = current.table(statistics.tableOid());
      if (table != null) {
        changes.put(table.oid(), statistics.putInto(table));
      }
    }
    publish(changes);
  }
}
