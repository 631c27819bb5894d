package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.AccessDef;
import io.gauss.compute.catalog.CatalogSnapshot;
import io.gauss.compute.catalog.RoleDef;
import io.gauss.compute.sql.parse.AccessStatement.RoleName;

/** Finds the roles that statements name. */
final class RoleNames {
  private RoleNames() {}

  /**
   * @throws GaussException 42704 when there is no such role, or for PUBLIC
   */
  static RoleDef find(DdlContext ddl, RoleName name) {
    CatalogSnapshot view = ddl.view();
    RoleDef role =
        switch (name.kind()) {
          case NAMED -> view.role(name.name());
          case CURRENT_USER -> view.role(ddl.session.identity().current());
          case SESSION_USER -> view.role(ddl.session.identity().session());
          case PUBLIC -> null;
        };
    if (role == null) {
      throw missing(name.name());
    }
    return role;
  }

  /** The oid of a grantee, which may be PUBLIC. */
  static int grantee(DdlContext ddl, RoleName name) {
    return name.kind() == RoleName.Kind.PUBLIC ? AccessDef.PUBLIC : find(ddl, name).oid();
  }

  static GaussException missing(String name) {
    return new GaussException(
        SqlState.UNDEFINED_OBJECT, "role \"%s\" does not exist".formatted(name));
  }

  static GaussException denied(String message) {
    return new GaussException(SqlState.INSUFFICIENT_PRIVILEGE, message);
  }
}
