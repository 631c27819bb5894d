package io.gauss.compute.session;

import io.gauss.compute.catalog.Access;
import io.gauss.compute.catalog.CatalogSnapshot;
import io.gauss.compute.catalog.Privilege;
import io.gauss.compute.catalog.RoleDef;
import io.gauss.compute.catalog.SchemaDef;
import io.gauss.compute.catalog.SystemTables;
import io.gauss.compute.catalog.TableDef;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Which roles see anything of what is published for routing. For each role many tables may have to
 * be looked at. So it is remembered until the catalog changes, and while that changes all the time,
 * for so long that looking takes a small share of the time only. Thread-safe.
 */
public final class PublicationReaders implements IntPredicate {
  /** Members of this role see what is published of routing, of tables that they may read. */
  private static final String ROUTING_READERS = "gauss_routing";

  /** What is known is looked at again when so many times the time that it took has passed. */
  static final int LASTS_TIMES = 64;

  private final Supplier<CatalogSnapshot> catalog;
  private final LongSupplier nanos;
  private final Map<Integer, Boolean> known = new HashMap<>(); // by role; locked
  private long version = -1; // of the catalog when all were forgotten; locked
  private long forgottenNanos; // when that was; locked
  private long tookNanos; // all looks since; locked

  /**
   * @param catalog its present state
   * @param nanos monotonic clock
   */
  public PublicationReaders(Supplier<CatalogSnapshot> catalog, LongSupplier nanos) {
    this.catalog = catalog;
    this.nanos = nanos;
    this.forgottenNanos = nanos.getAsLong();
  }

  /** Whether a driver that connects as the role gets something by which it can choose nodes. */
  @Override
  public synchronized boolean test(int role) {
    CatalogSnapshot now = catalog.get();
    if (now.version() != version) {
      forget(now.version());
    }
    Boolean answer = known.get(role);
    if (answer == null) {
      long began = nanos.getAsLong();
      answer = choosesByIt(now, role);
      tookNanos += nanos.getAsLong() - began;
      known.put(role, answer);
    }
    return answer;
  }

  /** The catalog is another one. */
  private void forget(long newVersion) {
    long time = nanos.getAsLong();
    if (time - forgottenNanos >= LASTS_TIMES * tookNanos) {
      known.clear();
      version = newVersion;
      forgottenNanos = time;
      tookNanos = 0;
    }
  }

  /** Without values of any table, there is nothing to choose by. */
  private static boolean choosesByIt(CatalogSnapshot view, int role) {
    Access access = new Access(view);
    return access.isSuperuser(role)
        || contains(view, role)
            && view.tables().stream()
                .anyMatch(table -> isOfUsers(table) && reads(access, role, table));
  }

  /** Whether the content of publications is shown to the role, as far as it may read tables. */
  static boolean contains(CatalogSnapshot view, int role) {
    Access access = new Access(view);
    RoleDef readers = view.role(ROUTING_READERS);
    if (readers != null && access.hasPrivilegesOf(role, readers.oid())) {
      return true;
    }
    return view.tables().stream()
        .filter(PublicationReaders::isOfUsers)
        .allMatch(table -> reads(access, role, table));
  }

  private static boolean isOfUsers(TableDef table) {
    return !SystemTables.isSystem(table) && !SchemaDef.isTemporary(table.schema());
  }

  private static boolean reads(Access access, int role, TableDef table) {
    return (access.tablePrivileges(role, table) & Privilege.SELECT.bit()) != 0;
  }
}
