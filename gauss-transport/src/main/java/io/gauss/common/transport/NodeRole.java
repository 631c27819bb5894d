package io.gauss.common.transport;

/** The role of a process in the cluster. The numbers are part of the hello message. */
public enum NodeRole {
  COMPUTE(1),
  MEMORY(2),
  STORAGE(3),
  /** A command line tool: it has no node number of its own and accepts no connections. */
  TOOL(4);

  private final int id;

  NodeRole(int id) {
    this.id = id;
  }

  public int id() {
    return id;
  }

  /** Null when no role has this number. */
  public static NodeRole of(int id) {
    for (NodeRole role : values()) {
      if (role.id == id) {
        return role;
      }
    }
    return null;
  }
}
