package io.gauss.compute.catalog;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.AccessDef.Grant;
import io.gauss.compute.catalog.Privilege.ObjectKind;
import io.gauss.compute.catalog.RoleDef.Membership;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Answers which role may do what, from one version of the catalog. Immutable, cheap to create,
 * thread-safe.
 *
 * <p>Statements with a plan are checked while they are planned, so running them costs nothing; the
 * others are checked when they run.
 */
public final class Access {
  /** System tables with passwords of roles, and of users of other servers. */
  private static final Set<String> WITH_PASSWORDS =
      Set.of("pg_authid", "pg_shadow", "pg_user_mapping");

  private final CatalogView catalog;

  public Access(CatalogView catalog) {
    this.catalog = catalog;
  }

  // ---------------------------------------------------------------- roles

  public boolean isSuperuser(int roleOid) {
    RoleDef role = catalog.role(roleOid);
    return role != null && role.superuser();
  }

  /** The role and all roles that it is a member of, directly or not. */
  public Set<Integer> membershipsOf(int roleOid) {
    Set<Integer> found = new HashSet<>();
    collect(roleOid, false, found);
    return found;
  }

  /** The role and all roles whose privileges it has without SET ROLE. */
  private Set<Integer> inheritedBy(int roleOid) {
    Set<Integer> found = new HashSet<>();
    collect(roleOid, true, found);
    return found;
  }

  private void collect(int roleOid, boolean inherited, Set<Integer> found) {
    RoleDef role = catalog.role(roleOid);
    if (!found.add(roleOid) || role == null || (inherited && !role.inherit())) {
      return;
    }
    for (Membership membership : role.memberOf()) {
      collect(membership.roleOid(), inherited, found);
    }
  }

  /** Whether SET ROLE from one to the other is allowed. */
  public boolean isMember(int roleOid, int of) {
    return isSuperuser(roleOid) || membershipsOf(roleOid).contains(of);
  }

  /** Whether the role acts for the other without SET ROLE: as an owner, for example. */
  public boolean hasPrivilegesOf(int roleOid, int of) {
    return roleOid == of || isSuperuser(roleOid) || inheritedBy(roleOid).contains(of);
  }

  /** Whether the role may make others members of {@code of}. */
  public boolean isAdminOf(int roleOid, int of) {
    if (isSuperuser(roleOid)) {
      return true;
    }
    for (int member : membershipsOf(roleOid)) {
      RoleDef role = catalog.role(member);
      if (role != null && role.memberOf().stream().anyMatch(m -> m.roleOid() == of && m.admin())) {
        return true;
      }
    }
    return false;
  }

  // ---------------------------------------------------------------- objects

  /** The object's owner and list; the owner is the first role where nothing is stored. */
  public AccessDef of(int objectOid) {
    AccessDef stored = catalog.access(objectOid);
    return stored != null ? stored : AccessDef.ownedBy(objectOid, SystemOids.OWNER);
  }

  /** The list with the default written out. */
  public static List<Grant> grants(AccessDef access, ObjectKind kind) {
    if (access.grants() != null) {
      return access.grants();
    }
    int all = kind.all();
    // An owner has its grant options by being the owner, so the list does not show them.
    Grant own = new Grant(access.ownerOid(), access.ownerOid(), all, 0);
    return kind == ObjectKind.TYPE
        ? List.of(new Grant(AccessDef.PUBLIC, access.ownerOid(), all, 0), own)
        : List.of(own);
  }

  /** Bits of the privileges that a role has on an object. */
  public int privileges(int roleOid, ObjectKind kind, int objectOid) {
    if (isSuperuser(roleOid)) {
      return kind.all();
    }
    Set<Integer> acts = inheritedBy(roleOid);
    int bits = 0;
    for (Grant grant : grants(of(objectOid), kind)) {
      if (grant.granteeOid() == AccessDef.PUBLIC || acts.contains(grant.granteeOid())) {
        bits |= grant.privileges();
      }
    }
    return bits;
  }

  /** Bits of the privileges that a role may grant on without being the owner. */
  public int grantable(int roleOid, ObjectKind kind, int objectOid) {
    AccessDef access = of(objectOid);
    if (hasPrivilegesOf(roleOid, access.ownerOid())) {
      return kind.all();
    }
    Set<Integer> acts = inheritedBy(roleOid);
    int bits = 0;
    for (Grant grant : grants(access, kind)) {
      if (acts.contains(grant.granteeOid())) {
        bits |= grant.grantable();
      }
    }
    return bits;
  }

  public boolean owns(int roleOid, int objectOid) {
    return hasPrivilegesOf(roleOid, of(objectOid).ownerOid());
  }

  /** All roles can read system tables, except those with passwords. */
  public int tablePrivileges(int roleOid, TableDef table) {
    if (isSuperuser(roleOid)) {
      return ObjectKind.TABLE.all();
    }
    if (SystemTables.isSystem(table)) {
      return WITH_PASSWORDS.contains(table.name()) ? 0 : Privilege.SELECT.bit();
    }
    return privileges(roleOid, ObjectKind.TABLE, table.oid());
  }

  // ---------------------------------------------------------------- checks

  /**
   * @throws GaussException 42501 when the role lacks the privilege
   */
  public void requireTable(int roleOid, TableDef table, Privilege privilege) {
    if ((tablePrivileges(roleOid, table) & privilege.bit()) == 0) {
      throw denied("table", table.name());
    }
  }

  /**
   * @throws GaussException 42501 when the role may not make objects that have values of the type
   */
  public void requireType(int roleOid, PgType type) {
    int oid = type.definitionOid();
    if (oid != 0 && (privileges(roleOid, ObjectKind.TYPE, oid) & Privilege.USAGE.bit()) == 0) {
      throw denied("type", (type.isPlainArray() ? type.element() : type).displayName());
    }
  }

  /**
   * @throws GaussException 42501 when the role lacks the privilege; not thrown when there is no
   *     such schema
   */
  public void requireSchema(int roleOid, String schema, Privilege privilege) {
    if (!hasSchema(roleOid, schema, privilege)) {
      throw denied("schema", schema);
    }
  }

  public boolean hasSchema(int roleOid, String name, Privilege privilege) {
    boolean isOfSession = SchemaDef.isTemporary(name) && privilege == Privilege.USAGE;
    if (isOfSession || isSuperuser(roleOid)) {
      return true; // what is in a session's schema has owners of its own
    }
    SchemaDef schema = catalog.schema(name);
    return schema == null
        || (privileges(roleOid, ObjectKind.SCHEMA, schema.oid()) & privilege.bit()) != 0;
  }

  /**
   * @param kind table, sequence, schema, ...
   * @throws GaussException 42501 when the role is not the object's owner
   */
  public void requireOwner(int roleOid, int objectOid, String kind, String name) {
    if (!owns(roleOid, objectOid)) {
      throw notOwner(kind, name);
    }
  }

  static GaussException notOwner(String kind, String name) {
    return new GaussException(
        SqlState.INSUFFICIENT_PRIVILEGE, "must be owner of %s %s".formatted(kind, name));
  }

  public static GaussException denied(String kind, String name) {
    return new GaussException(
        SqlState.INSUFFICIENT_PRIVILEGE, "permission denied for %s %s".formatted(kind, name));
  }

  /** The list as PostgreSQL writes it, {@code grantee=privileges/grantor}; null for none. */
  public List<String> texts(int objectOid) {
    AccessDef access = catalog.access(objectOid);
    if (access == null || access.grants() == null) {
      return null;
    }
    List<String> texts = new ArrayList<>();
    for (Grant grant : access.grants()) {
      StringBuilder text = new StringBuilder();
      if (grant.granteeOid() != AccessDef.PUBLIC) {
        text.append(quoted(grant.granteeOid()));
      }
      text.append('=');
      for (Privilege privilege : Privilege.values()) {
        if ((grant.privileges() & privilege.bit()) != 0) {
          text.append(privilege.letter());
          if ((grant.grantable() & privilege.bit()) != 0) {
            text.append('*');
          }
        }
      }
      texts.add(text.append('/').append(quoted(grant.grantorOid())).toString());
    }
    return texts;
  }

  /** Names with other than word characters are quoted in access lists. */
  private String quoted(int roleOid) {
    RoleDef role = catalog.role(roleOid);
    String name = role == null ? Integer.toUnsignedString(roleOid) : role.name();
    return name.chars().allMatch(c -> Character.isLetterOrDigit(c) || c == '_')
        ? name
        : '"' + name.replace("\"", "\"\"") + '"';
  }
}
