package io.gauss.compute.sql.plan;

import io.gauss.common.error.GaussException;
import io.gauss.compute.catalog.Access;
import io.gauss.compute.catalog.CatalogView;
import io.gauss.compute.catalog.Privilege;
import io.gauss.compute.catalog.SystemTables;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.sql.bind.BindContext;
import java.util.Map;
import java.util.Set;

/**
 * Result of a plan's privilege check: determined in planning, reported when the plan is run, as in
 * PostgreSQL. Immutable.
 *
 * @param role the role that it was planned for; {@link #ANY_SUPERUSER} for all superusers together
 * @param deniedKind table or view
 * @param deniedTable name of the first relation that the role may not use in this way; null = the
 *     plan may run
 */
public record PlanAccess(int role, String deniedKind, String deniedTable) {
  public static final int ANY_SUPERUSER = 0;

  static PlanAccess of(
      int role, Map<BindContext.Need, Set<Privilege>> requirements, CatalogView catalog) {
    Access access = new Access(catalog);
    for (Map.Entry<BindContext.Need, Set<Privilege>> requirement : requirements.entrySet()) {
      int needed = Privilege.mask(requirement.getValue());
      TableDef table = requirement.getKey().table();
      if ((access.tablePrivileges(requirement.getKey().role(), table) & needed) != needed) {
        boolean isView = table.space() == ViewDef.SPACE || SystemTables.isView(table);
        String kind = isView ? "view" : "table";
        return new PlanAccess(role, kind, table.name());
      }
    }
    return new PlanAccess(role, null, null);
  }

  /**
   * @throws GaussException 42501 when the role may not run the plan
   */
  void check() {
    if (deniedTable != null) {
      throw Access.denied(deniedKind, deniedTable);
    }
  }
}
