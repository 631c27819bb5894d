package io.gauss.compute.catalog;

import java.util.List;

/**
 * The owner of an object (table, view, sequence, schema or type) and the privileges of other roles
 * on it. An object without one belongs to {@link RoleDef#BOOTSTRAP}. It has a catalog row of its
 * own, so that a GRANT does not touch the object's definition.
 *
 * @param oid {@link SystemOids#access} of the object
 * @param ownerOid the owner
 * @param grants null until the first GRANT or REVOKE: then the owner has all privileges and no
 *     other role has any, except that all may use a type
 */
public record AccessDef(int oid, int ownerOid, List<Grant> grants) implements CatalogObject {
  /** Stands for all roles as a grantee. */
  public static final int PUBLIC = 0;

  /**
   * @param privileges bits of {@link Privilege}
   * @param grantable those of them that the grantee may grant on
   */
  public record Grant(int granteeOid, int grantorOid, int privileges, int grantable) {}

  /** The owner and privileges of an object for which nothing is stored. */
  public static AccessDef ownedBy(int objectOid, int ownerOid) {
    return new AccessDef(SystemOids.access(objectOid), ownerOid, null);
  }

  public int objectOid() {
    return SystemOids.plain(oid);
  }

  public AccessDef withGrants(List<Grant> newGrants) {
    return new AccessDef(oid, ownerOid, List.copyOf(newGrants));
  }
}
