package io.gauss.storage.map.api;

import java.util.Collection;
import java.util.EnumSet;
import java.util.Set;

/** The role of a node. A process may have several roles. The bits are part of formats. */
public enum Role {
  COMPUTE(1),
  MEMORY(2),
  STORAGE(4);

  private final int bit;

  Role(int bit) {
    this.bit = bit;
  }

  public static int bits(Collection<Role> roles) {
    int bits = 0;
    for (Role role : roles) {
      bits |= role.bit;
    }
    return bits;
  }

  /**
   * The roles of these bits.
   *
   * @throws IllegalArgumentException when a bit has no role, or no bit is set
   */
  public static Set<Role> of(int bits) {
    EnumSet<Role> roles = EnumSet.noneOf(Role.class);
    for (Role role : values()) {
      if ((bits & role.bit) != 0) {
        roles.add(role);
      }
    }
    if (roles.isEmpty() || bits(roles) != bits) {
      throw new IllegalArgumentException("role bits " + bits);
    }
    return roles;
  }
}
