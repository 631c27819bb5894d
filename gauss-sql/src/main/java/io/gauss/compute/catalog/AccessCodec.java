package io.gauss.compute.catalog;

import io.gauss.compute.catalog.AccessDef.Grant;
import io.gauss.compute.catalog.RoleDef.Membership;
import io.gauss.compute.type.ByteSink;
import java.util.ArrayList;
import java.util.List;

/**
 * Bytes of roles and access lists in catalog rows, behind version and kind: see {@link
 * CatalogCodec}.
 *
 * <pre>
 * role   = oid name flags:1 connectionLimit verifier hasEnd:1 [validUntil:8] memberships
 * access = oid ownerOid count(-1 = no list) { grantee grantor privileges grantable }
 * </pre>
 */
final class AccessCodec {
  private static final int SUPERUSER = 1;
  private static final int INHERIT = 2;
  private static final int CREATE_ROLE = 4;
  private static final int CREATE_DB = 8;
  private static final int LOGIN = 16;
  private static final int REPLICATION = 32;
  private static final int BYPASS_RLS = 64;

  private AccessCodec() {}

  static void putRole(ByteSink out, RoleDef role) {
    out.putInt(role.oid());
    CatalogCodec.putString(out, role.name());
    out.putByte(
        (role.superuser() ? SUPERUSER : 0)
            | (role.inherit() ? INHERIT : 0)
            | (role.createRole() ? CREATE_ROLE : 0)
            | (role.createDb() ? CREATE_DB : 0)
            | (role.login() ? LOGIN : 0)
            | (role.replication() ? REPLICATION : 0)
            | (role.bypassRls() ? BYPASS_RLS : 0));
    out.putInt(role.connectionLimit());
    CatalogCodec.putString(out, role.verifier());
    out.putByte(role.validUntil() == null ? 0 : 1);
    if (role.validUntil() != null) {
      out.putLong(role.validUntil());
    }
    out.putInt(role.memberOf().size());
    for (Membership membership : role.memberOf()) {
      out.putInt(membership.roleOid());
      out.putInt(membership.grantorOid());
      out.putByte(membership.admin() ? 1 : 0);
    }
  }

  static RoleDef readRole(CatalogCodec.Reader in) {
    int oid = in.readInt();
    String name = in.readString();
    int flags = in.readByte();
    int limit = in.readInt();
    String verifier = in.readString();
    Long until = in.readBoolean() ? in.readLong() : null;
    List<Membership> memberOf = new ArrayList<>();
    for (int i = in.readInt(); i > 0; i--) {
      memberOf.add(new Membership(in.readInt(), in.readInt(), in.readBoolean()));
    }
    return new RoleDef(
        oid,
        name,
        (flags & SUPERUSER) != 0,
        (flags & INHERIT) != 0,
        (flags & CREATE_ROLE) != 0,
        (flags & CREATE_DB) != 0,
        (flags & LOGIN) != 0,
        (flags & REPLICATION) != 0,
        (flags & BYPASS_RLS) != 0,
        limit,
        verifier,
        until,
        List.copyOf(memberOf));
  }

  static void putAccess(ByteSink out, AccessDef access) {
    out.putInt(access.oid());
    out.putInt(access.ownerOid());
    if (access.grants() == null) {
      out.putInt(-1);
      return;
    }
    out.putInt(access.grants().size());
    for (Grant grant : access.grants()) {
      out.putInt(grant.granteeOid());
      out.putInt(grant.grantorOid());
      out.putInt(grant.privileges());
      out.putInt(grant.grantable());
    }
  }

  static AccessDef readAccess(CatalogCodec.Reader in) {
    int oid = in.readInt();
    int owner = in.readInt();
    int count = in.readInt();
    if (count < 0) {
      return new AccessDef(oid, owner, null);
    }
    List<Grant> grants = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      grants.add(new Grant(in.readInt(), in.readInt(), in.readInt(), in.readInt()));
    }
    return new AccessDef(oid, owner, List.copyOf(grants));
  }
}
