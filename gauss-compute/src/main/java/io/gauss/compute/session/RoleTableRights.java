package io.gauss.compute.session;

import io.gauss.compute.catalog.Access;
import io.gauss.compute.catalog.CatalogSnapshot;
import io.gauss.compute.catalog.Privilege;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.routing.TableRights;

/** Which tables a role may read, by one version of the catalog. */
final class RoleTableRights implements TableRights {
  private final CatalogSnapshot view;
  private final Access access;
  private final int role;

  RoleTableRights(CatalogSnapshot view, int role) {
    this.view = view;
    this.access = new Access(view);
    this.role = role;
  }

  @Override
  public boolean mayRead(int tableOid) {
    TableDef table = view.table(tableOid);
    return table != null && mayRead(table);
  }

  private boolean mayRead(TableDef table) {
    return (access.tablePrivileges(role, table) & Privilege.SELECT.bit()) != 0
        && access.hasSchema(role, table.schema(), Privilege.USAGE);
  }

  @Override
  public boolean mayReadAll(String name) {
    return view.tables().stream()
        .filter(table -> table.name().equals(name))
        .allMatch(this::mayRead);
  }
}
