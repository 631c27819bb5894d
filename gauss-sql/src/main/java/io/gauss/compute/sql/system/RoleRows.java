package io.gauss.compute.sql.system;

import io.gauss.compute.catalog.Access;
import io.gauss.compute.catalog.RoleDef;
import io.gauss.compute.catalog.RoleDef.Membership;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.sql.state.SystemState;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Roles: pg_authid and pg_shadow, which only superusers may read, the views over it for all users,
 * and memberships.
 */
final class RoleRows {
  private static final String HIDDEN = "********";

  private RoleRows() {}

  static void register(Map<String, SystemTableRows.Source> sources) {
    sources.put("pg_catalog.pg_authid", RoleRows::authids);
    sources.put("pg_catalog.pg_roles", RoleRows::roles);
    sources.put("pg_catalog.pg_user", (state, rows) -> users(state, rows, role -> HIDDEN));
    sources.put("pg_catalog.pg_shadow", (state, rows) -> users(state, rows, RoleDef::verifier));
    sources.put("pg_catalog.pg_auth_members", RoleRows::members);
  }

  /** Name of a role as an owner. */
  static String name(SystemState state, int oid) {
    RoleDef role = state.catalog().role(oid);
    return role == null ? "unknown (OID=%d)".formatted(oid) : role.name();
  }

  /** The role that a table, index or sequence belongs to. */
  static int owner(SystemState state, int relationOid) {
    TableDef indexed = state.catalog().tableOfIndex(relationOid);
    return new Access(state.catalog()).of(indexed == null ? relationOid : indexed.oid()).ownerOid();
  }

  static String ownerName(SystemState state, int relationOid) {
    return name(state, owner(state, relationOid));
  }

  /** The access list as texts; null when there is none. */
  static String[] accessList(SystemState state, int objectOid) {
    List<String> texts = new Access(state.catalog()).texts(objectOid);
    return texts == null ? null : texts.toArray(String[]::new);
  }

  private static void authids(SystemState state, Consumer<Object[]> rows) {
    for (RoleDef role : state.catalog().roles()) {
      rows.accept(
          new Object[] {
            role.oid(),
            role.name(),
            role.superuser(),
            role.inherit(),
            role.createRole(),
            role.createDb(),
            role.login(),
            role.replication(),
            role.bypassRls(),
            role.connectionLimit(),
            role.verifier(),
            role.validUntil()
          });
    }
  }

  private static void roles(SystemState state, Consumer<Object[]> rows) {
    for (RoleDef role : state.catalog().roles()) {
      rows.accept(
          new Object[] {
            role.name(),
            role.superuser(),
            role.inherit(),
            role.createRole(),
            role.createDb(),
            role.login(),
            role.replication(),
            role.connectionLimit(),
            HIDDEN,
            role.validUntil(),
            role.bypassRls(),
            null,
            role.oid()
          });
    }
  }

  /** Roles that may log in. */
  private static void users(
      SystemState state, Consumer<Object[]> rows, Function<RoleDef, String> password) {
    for (RoleDef role : state.catalog().roles()) {
      if (role.login()) {
        rows.accept(
            new Object[] {
              role.name(),
              role.oid(),
              role.createDb(),
              role.superuser(),
              role.replication(),
              role.bypassRls(),
              password.apply(role),
              role.validUntil(),
              null
            });
      }
    }
  }

  private static void members(SystemState state, Consumer<Object[]> rows) {
    for (RoleDef role : state.catalog().roles()) {
      for (Membership membership : role.memberOf()) {
        rows.accept(
            new Object[] {
              membership.roleOid(), role.oid(), membership.grantorOid(), membership.admin()
            });
      }
    }
  }
}
