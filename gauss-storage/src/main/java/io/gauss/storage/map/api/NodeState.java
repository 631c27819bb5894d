package io.gauss.storage.map.api;

/**
 * The state of a node in its life cycle. The numbers are part of formats.
 *
 * <pre>
 *              FinishJoin         Suspect
 *   JOINING ---------------&gt; UP &lt;---------&gt; SUSPECT
 *      |                     |   a renewal     |
 *      |                     | Drain           | Drain
 *      |                     v                 v
 *      |                  DRAINING &lt;-----------+
 *      +--------+------------+-----------------+
 *               v lease ended, proof of exit, or it has left
 *             DEAD --- Register, with a new epoch ---&gt; JOINING
 *               |
 *               +--- RemoveNode ---&gt; REMOVED
 * </pre>
 */
public enum NodeState {
  /** Registered and receiving broadcasts, but not serving yet. */
  JOINING(1),
  UP(2),
  /** It has been silent for a while. It still counts as alive until it is declared dead. */
  SUSPECT(3),
  /** Gets no new work and is about to leave. */
  DRAINING(4),
  /** Its epoch is over for ever; the node may join again under a new one. */
  DEAD(5),
  /** Taken out of the cluster; its number is never used again. */
  REMOVED(6);

  private final int id;

  NodeState(int id) {
    this.id = id;
  }

  public int id() {
    return id;
  }

  /** True while the node's epoch may act: it has not been declared dead. */
  boolean isLive() {
    return this != DEAD && this != REMOVED;
  }

  /** True when the node serves: it has joined and has not been declared dead. */
  public boolean isServing() {
    return isLive() && this != JOINING;
  }

  /**
   * The state of this number.
   *
   * @throws IllegalArgumentException when there is none
   */
  public static NodeState of(int id) {
    for (NodeState state : values()) {
      if (state.id == id) {
        return state;
      }
    }
    throw new IllegalArgumentException("node state " + id);
  }
}
