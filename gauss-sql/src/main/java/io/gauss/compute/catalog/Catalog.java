package io.gauss.compute.catalog;

import io.gauss.compute.mtr.EngineContext;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The committed catalog of this node. DDL transactions collect their changes separately and publish
 * them once their commit is reserved. Locks on the objects ensure that publications have the order
 * of the commits. Thread-safe.
 *
 * <p>Where several nodes change the catalog, {@link #isStale} notices the changes of other nodes
 * and {@link #freshen} loads them. A loaded snapshot of the catalog trees replaces the content of
 * this object, except for changes that this node committed above that snapshot.
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
  private volatile CatalogSharing sharing = CatalogSharing.ALONE;

  /** Changes of other nodes are included up to this snapshot (LSN). */
  private volatile long loadedAt;

  private boolean loading; // guarded by this

  /** Changes that this node has committed since a load began; guarded by this. */
  private final List<Publication> sinceLoad = new ArrayList<>();

  private record Publication(long csn, Map<Integer, CatalogObject> changes) {}

  /**
   * @param stored the objects that {@link CatalogStore#load} read
   */
  public Catalog(Map<Integer, CatalogObject> stored) {
    this.current = new CatalogSnapshot(versions.incrementAndGet(), 0, withBuiltIn(stored));
    this.oids = new AtomicInteger(Math.max(FIRST_USER_OID - 1, current.highestOid()));
  }

  private static Map<Integer, CatalogObject> withBuiltIn(Map<Integer, CatalogObject> stored) {
    Map<Integer, CatalogObject> objects = new HashMap<>(stored);
    addBuiltIn(objects, new SchemaDef(PUBLIC_OID, "public"));
    addBuiltIn(objects, new SchemaDef(PG_CATALOG_OID, "pg_catalog"));
    addBuiltIn(objects, new SchemaDef(GAUSS_OID, "gauss"));
    addBuiltIn(objects, new SchemaDef(INFORMATION_SCHEMA_OID, "information_schema"));
    objects.putIfAbsent(SystemOids.OWNER, RoleDef.BOOTSTRAP);
    for (int schema : new int[] {PUBLIC_OID, PG_CATALOG_OID, GAUSS_OID, INFORMATION_SCHEMA_OID}) {
      objects.putIfAbsent(SystemOids.access(schema), builtInAccess(schema));
    }
    return objects;
  }

  private static void addBuiltIn(Map<Integer, CatalogObject> objects, SchemaDef schema) {
    objects.put(schema.oid(), schema);
  }

  /** All roles may use a built-in schema; only its owner may create objects in it. */
  private static AccessDef builtInAccess(int schemaOid) {
    int owner = SystemOids.OWNER;
    return new AccessDef(
        SystemOids.access(schemaOid),
        owner,
        List.of(
            new AccessDef.Grant(owner, owner, Privilege.ObjectKind.SCHEMA.all(), 0),
            new AccessDef.Grant(AccessDef.PUBLIC, owner, Privilege.USAGE.bit(), 0)));
  }

  /** The committed catalog. */
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

  /**
   * Makes committed changes visible to all sessions; null removes an object.
   *
   * @param csn of the commit
   */
  public synchronized void publish(Map<Integer, CatalogObject> changes, long csn) {
    if (loading) {
      sinceLoad.add(new Publication(csn, new HashMap<>(changes)));
    }
    CatalogSnapshot before = current;
    current = before.with(newVersion(), Math.max(before.committedAt(), csn), changes);
    current.succeeds(before);
  }

  /**
   * Makes committed statistics visible to all sessions; earlier plans are no longer used.
   *
   * @param csn of the commit
   */
  public synchronized void publishStatistics(Collection<CollectedStatistics> collected, long csn) {
    Map<Integer, CatalogObject> changes = new HashMap<>();
    for (CollectedStatistics statistics : collected) {
      TableDef table = current.table(statistics.tableOid());
      if (table != null) {
        changes.put(table.oid(), statistics.putInto(table));
      }
    }
    publish(changes, csn);
  }

  // ---- several nodes

  /** From now on other nodes change the catalog as well. To be called before the first session. */
  public void share(CatalogSharing with) {
    sharing = with;
  }

  /** Whether other nodes change the catalog as well. */
  public boolean isShared() {
    return sharing != CatalogSharing.ALONE;
  }

  /** The lowest oid above all that this node knows to be in use. */
  public int oidFloor() {
    return Math.max(FIRST_USER_OID, current.highestOid() + 1);
  }

  /** The other nodes. */
  public CatalogSharing sharing() {
    return sharing;
  }

  /**
   * Whether other nodes have made changes that are not loaded here. On the path of every statement.
   */
  public boolean isStale() {
    return sharing.heard() > loadedAt;
  }

  /**
   * Loads the changes of other nodes, if there are any. May wait.
   *
   * @param caller the caller's context
   */
  public void freshen(EngineContext caller) {
    if (isStale()) {
      sharing.load(caller);
    }
  }

  /**
   * Begins a load: commits from now on are kept separately for {@link #loaded}. One load at a time.
   */
  public synchronized void beginLoad() {
    loading = true;
    sinceLoad.clear();
  }

  /** Abandons a load that was begun. */
  public synchronized void abandonLoad() {
    loading = false;
    sinceLoad.clear();
  }

  /**
   * Installs the loaded objects.
   *
   * @param stored all objects as of a snapshot that was taken after {@link #beginLoad}
   * @param snapshot that snapshot (LSN)
   * @return the catalog before
   */
  public synchronized CatalogSnapshot loaded(Map<Integer, CatalogObject> stored, long snapshot) {
    CatalogSnapshot before = current;
    Map<Integer, CatalogObject> objects = withBuiltIn(stored);
    for (Publication publication : sinceLoad) {
      if (publication.csn() > snapshot) {
        publication
            .changes()
            .forEach(
                (oid, object) -> {
                  if (object == null) {
                    objects.remove(oid);
                  } else {
                    objects.put(oid, object);
                  }
                });
      }
    }
    abandonLoad();
    current = new CatalogSnapshot(newVersion(), before.committedAt(), objects);
    current.succeeds(before);
    oids.accumulateAndGet(current.highestOid(), Math::max);
    loadedAt = Math.max(loadedAt, snapshot);
    return before;
  }
}
