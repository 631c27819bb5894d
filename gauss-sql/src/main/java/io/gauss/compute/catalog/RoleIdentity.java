package io.gauss.compute.catalog;

/**
 * Roles that a session acts as.
 *
 * @param session {@code session_user}
 * @param current {@code current_user}: the role whose privileges apply
 */
public record RoleIdentity(int session, int current) {
  /** For the node's own work. */
  public static final RoleIdentity SYSTEM = new RoleIdentity(SystemOids.OWNER, SystemOids.OWNER);
}
