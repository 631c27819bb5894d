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
import java.util.function.Supplier;

/**
 * Which roles see anything of what is published for routing. Remembers it for a version of the
 * catalog, since many tables may have to be looked at for each role. Thread-safe.
 */
public final class PublicationReaders implements IntPredicate {
  /** Members of this role see what is published of routing, of tables that they may read. */
  private static final String ROUTING_READERS = "gauss_routing";

  private final Supplier<CatalogSnapshot> catalog;
  private final Map<Integer, Boolean> known = new HashMap<>(); // by role; locked
  private long version = -1; // of what is known; locked

  /**
   * @param catalog its present state
   */
  public PublicationReaders(Supplier<CatalogSnapshot> catalog) {
    this.catalog = catalog;
  }

  /** Whether a driver that connects as the role gets something by which it can choose nodes. */
  @Override
  public synchronized boolean test(int role) {
    CatalogSnapshot now = catalog.get();
    if (now.version() != version) {
      known.clear();
      version = now.version();
    }
    return known.computeIfAbsent(role, each -> choosesByIt(now, each));
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
