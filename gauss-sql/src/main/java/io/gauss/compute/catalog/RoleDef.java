package io.gauss.compute.catalog;

import java.util.List;

/**
 * A role: a user that connects, owns objects and has privileges, or a group of such users.
 *
 * @param inherit whether it has the privileges of the roles that it is a member of without SET ROLE
 * @param connectionLimit most sessions of the role at a time, -1 = any number
 * @param verifier of the password, in PostgreSQL's SCRAM-SHA-256 form; null = no password
 * @param validUntil µs since 2000-01-01 UTC until which the password is valid; null = for ever
 * @param memberOf roles that this one is a direct member of
 */
public record RoleDef(
    int oid,
    String name,
    boolean superuser,
    boolean inherit,
    boolean createRole,
    boolean createDb,
    boolean login,
    boolean replication,
    boolean bypassRls,
    int connectionLimit,
    String verifier,
    Long validUntil,
    List<Membership> memberOf)
    implements CatalogObject {

  /** The role that owns everything at the beginning; it cannot be dropped. */
  public static final RoleDef BOOTSTRAP =
      new RoleDef(
          SystemOids.OWNER,
          "gauss",
          true,
          true,
          true,
          true,
          true,
          true,
          true,
          -1,
          null,
          null,
          List.of());

  /**
   * @param admin whether the member may grant the role on
   */
  public record Membership(int roleOid, int grantorOid, boolean admin) {}

  /** The same role with another password. */
  public RoleDef withVerifier(String newVerifier) {
    return new RoleDef(
        oid,
        name,
        superuser,
        inherit,
        createRole,
        createDb,
        login,
        replication,
        bypassRls,
        connectionLimit,
        newVerifier,
        validUntil,
        memberOf);
  }

  /** The same role with other memberships. */
  public RoleDef withMemberOf(List<Membership> memberships) {
    return new RoleDef(
        oid,
        name,
        superuser,
        inherit,
        createRole,
        createDb,
        login,
        replication,
        bypassRls,
        connectionLimit,
        verifier,
        validUntil,
        List.copyOf(memberships));
  }
}
