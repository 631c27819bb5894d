package io.gauss.compute.catalog;

/**
 * Roles that a session acts as.
 *
 * @param session {@code session_user}
 * @param current {@code current_user}: whose privileges count
 */
public record RoleIdentity(int session, int current) {
  /** What the node does by itself. */
  public static final RoleIdentity SYSTEM = new RoleIdentity(SystemOids.OWNER, SystemOids.OWNER);
}
