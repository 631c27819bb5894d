package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.Access;
import io.gauss.compute.catalog.CatalogSnapshot;
import io.gauss.compute.catalog.RoleDef;
import io.gauss.compute.catalog.RoleIdentity;
import io.gauss.compute.catalog.SystemOids;
import io.gauss.compute.session.setting.SettingDefinitions;
import io.gauss.compute.sql.plan.PlanAccess;

/**
 * The roles of a session: the role that connected, the one of SET SESSION AUTHORIZATION, and the
 * one of SET ROLE. The two settings {@code session_authorization} and {@code role} contain the
 * names, so that rollbacks restore them. Belongs to the session.
 */
final class SessionRoles {

  /** A role that was dropped, or that this node does not know yet: no privileges and no name. */
  private static final int UNKNOWN = -1;

  private final SessionState state;
  private int authenticated = SystemOids.OWNER;
  private String authenticatedName = "";
  private boolean authenticatedAsSuperuser = true;
  private volatile RoleIdentity identity = RoleIdentity.SYSTEM;
  private String sessionName = "";
  private String roleName = SettingDefinitions.NO_ROLE;

  /** Catalog version for which {@link #planRole} was computed. */
  private long version = -1;

  private int planRole;

  SessionRoles(SessionState state) {
    this.state = state;
  }

  /** The session's user is known. */
  void authenticated(RoleDef role) {
    authenticated = role.oid();
    authenticatedName = role.name();
    authenticatedAsSuperuser = role.superuser();
    identity = new RoleIdentity(role.oid(), role.oid());
    sessionName = role.name();
    roleName = SettingDefinitions.NO_ROLE;
    version = -1;
    state.sampler().role(role.oid());
    state.settings().setOwn(SettingDefinitions.SESSION_AUTHORIZATION, role.name());
    reportSuperuser();
  }

  RoleIdentity identity() {
    if (identity.session() == UNKNOWN || identity.current() == UNKNOWN) {
      lookAgain();
    }
    return identity;
  }

  /**
   * The settings of a session that was on another node are taken over before a statement loads the
   * changes of this node's catalog: the role may just have been created there.
   */
  private void lookAgain() {
    int session = identity.session() == UNKNOWN ? oid(sessionName) : identity.session();
    int current = identity.current();
    if (current == UNKNOWN) {
      current = roleName.equals(SettingDefinitions.NO_ROLE) ? session : oid(roleName);
    }
    if (session != identity.session() || current != identity.current()) {
      identity = new RoleIdentity(session, current);
      version = -1;
      reportSuperuser();
    }
  }

  /**
   * The session's user. For any thread: the session's own view of the catalog, which has the name,
   * is for its thread only.
   */
  int sessionOid() {
    return identity.session();
  }

  int authenticatedOid() {
    return authenticated;
  }

  /**
   * The representation of the current role in a plan's key. Costs one comparison while the catalog
   * is unchanged.
   */
  int planRole() {
    CatalogSnapshot view = state.catalog().view();
    if (view.version() != version) {
      int current = identity().current();
      RoleDef role = view.role(current);
      planRole = role != null && role.superuser() ? PlanAccess.ANY_SUPERUSER : current;
      version = view.version();
    }
    return planRole;
  }

  boolean isSuperuser() {
    return planRole() == PlanAccess.ANY_SUPERUSER;
  }

  private CatalogSnapshot view() {
    return state.catalog().view();
  }

  String currentUser() {
    return name(identity().current());
  }

  String sessionUser() {
    return name(identity().session());
  }

  private String name(int oid) {
    RoleDef role = view().role(oid);
    if (role == null) {
      throw new GaussException(
          SqlState.UNDEFINED_OBJECT, "role with OID %d does not exist".formatted(oid));
    }
    return role.name();
  }

  /**
   * Checks a value that a client gives one of the two settings.
   *
   * @throws GaussException 22023 no such role, 42501 not allowed
   */
  void check(String setting, String value) {
    boolean ofSession = setting.equals(SettingDefinitions.SESSION_AUTHORIZATION);
    if (!ofSession && value.equals(SettingDefinitions.NO_ROLE)) {
      return;
    }
    RoleDef role = view().role(value);
    if (role == null) {
      throw new GaussException(
          SqlState.INVALID_PARAMETER_VALUE, "role \"%s\" does not exist".formatted(value));
    }
    if (ofSession) {
      if (role.oid() != authenticated && !authenticatedAsSuperuser) {
        throw new GaussException(
            SqlState.INSUFFICIENT_PRIVILEGE, "permission denied to set session authorization");
      }
    } else if (!new Access(view()).isMember(identity().session(), role.oid())) {
      throw new GaussException(
          SqlState.INSUFFICIENT_PRIVILEGE, "permission denied to set role \"%s\"".formatted(value));
    }
  }

  /** One of the two settings has changed. */
  void changed(String setting, String value) {
    version = -1;
    if (setting.equals(SettingDefinitions.SESSION_AUTHORIZATION)) {
      int oid = oid(value);
      sessionName = value;
      roleName = SettingDefinitions.NO_ROLE;
      identity = new RoleIdentity(oid, oid);
    } else {
      int session = identity().session();
      roleName = value;
      identity =
          new RoleIdentity(
              session, value.equals(SettingDefinitions.NO_ROLE) ? session : oid(value));
    }
    reportSuperuser();
  }

  private int oid(String name) {
    if (name.equals(authenticatedName)) {
      return authenticated;
    }
    RoleDef role = view().role(name);
    return role == null ? UNKNOWN : role.oid();
  }

  private void reportSuperuser() {
    state.settings().setOwn(SettingDefinitions.IS_SUPERUSER, isSuperuser() ? "on" : "off");
  }
}
