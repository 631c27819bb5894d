package io.gauss.compute.sql.plan;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.gauss.compute.catalog.CatalogView;
import io.gauss.compute.sql.parse.PgStatement;
import java.util.Arrays;
import java.util.List;

/**
 * Plans by statement text, given parameter types, search path and schema version. Shared by all
 * sessions; bounded by the weight of its entries. Plans of an old schema version are never found
 * again and get evicted. Thread-safe.
 */
public final class PlanCache {
  /** Rough size of a plan for each byte of statement text, and minimum size. */
  private static final int BYTES_PER_CHARACTER = 40;

  private static final int BYTES_MIN = 4096;

  private final Planner planner;
  private final Cache<Key, PreparedPlan> plans;

  /**
   * @param bytesMax estimated heap that plans may take
   */
  public PlanCache(Planner planner, long bytesMax) {
    this.planner = planner;
    this.plans =
        Caffeine.newBuilder()
            .maximumWeight(bytesMax)
            .weigher((Key key, PreparedPlan plan) -> weight(key.text.length()))
            .executor(Runnable::run)
            .build();
  }

  /** Rough bytes that a plan takes. */
  static int weight(int characters) {
    return (int) Math.min(Integer.MAX_VALUE, BYTES_MIN + (long) characters * BYTES_PER_CHARACTER);
  }

  /** The plan, or null when the statement must be planned first. */
  PreparedPlan get(String text, int[] parameterOids, List<String> searchPath, CatalogView catalog) {
    return get(text, parameterOids, searchPath, catalog, PlanAccess.ANY_SUPERUSER);
  }

  /**
   * The plan of a role, or null when the statement must be planned first.
   *
   * @param role oid of the role whose privileges count, or {@link PlanAccess#ANY_SUPERUSER}
   */
  public PreparedPlan get(
      String text, int[] parameterOids, List<String> searchPath, CatalogView catalog, int role) {
    return plans.getIfPresent(new Key(text, parameterOids, searchPath, catalog.version(), role));
  }

  /** Plans a statement and caches the plan, except for EXPLAIN, which depends on the moment. */
  PreparedPlan prepare(
      String text,
      PgStatement statement,
      int[] parameterOids,
      List<String> searchPath,
      CatalogView catalog) {
    return prepare(
        text, statement, parameterOids, searchPath, catalog, PlanAccess.ANY_SUPERUSER, () -> {});
  }

  /**
   * Plans a statement for a role and caches the plan, except for EXPLAIN, which depends on the
   * moment.
   *
   * @param interrupts called again and again; throws to end the planning
   */
  public PreparedPlan prepare(
      String text,
      PgStatement statement,
      int[] parameterOids,
      List<String> searchPath,
      CatalogView catalog,
      int role,
      Runnable interrupts) {
    PreparedPlan plan =
        planner.plan(statement, parameterOids, searchPath, catalog, role, interrupts);
    if (plan.statementKind() != PreparedPlan.Kind.EXPLAIN) {
      plans.put(new Key(text, parameterOids, searchPath, catalog.version(), role), plan);
    }
    return plan;
  }

  /**
   * Plans a statement for a role without caching the plan.
   *
   * @param interrupts called again and again; throws to end the planning
   */
  public PreparedPlan planOnce(
      PgStatement statement,
      int[] parameterOids,
      List<String> searchPath,
      CatalogView catalog,
      int role,
      Runnable interrupts) {
    return planner.plan(statement, parameterOids, searchPath, catalog, role, interrupts);
  }

  /** Everything that determines a plan, except the current statistics. */
  private static final class Key {
    final String text;
    private final int[] oids;
    private final List<String> searchPath;
    private final long version;
    private final int role;
    private final int hash;

    Key(String text, int[] oids, List<String> searchPath, long version, int role) {
      this.role = role;
      this.text = text;
      this.oids = oids;
      this.searchPath = searchPath;
      this.version = version;
      this.hash =
          31 * (31 * (31 * text.hashCode() + Arrays.hashCode(oids)) + role)
              + Long.hashCode(version);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Key that
          && that.version == version
          && that.hash == hash
          && that.role == role
          && that.text.equals(text)
          && Arrays.equals(that.oids, oids)
          && that.searchPath.equals(searchPath);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }
}
