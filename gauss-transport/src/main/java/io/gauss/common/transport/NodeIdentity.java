package io.gauss.common.transport;

import io.gauss.common.id.LamportClock;
import java.util.function.IntSupplier;

/**
 * The identity of this process, for the stamp on every message that it sends (law 7, clocks
 * travel).
 *
 * @param node number in the cluster, unique over all roles, 1 to 65,535
 * @param role of the node
 * @param epoch the node's current epoch; read for every message, since it rises when the node
 *     rejoins. Thread-safe
 * @param clock the node's clock: read for every message sent, raised by every message received
 */
public record NodeIdentity(int node, NodeRole role, IntSupplier epoch, LamportClock clock) {
  public static final int MAX_NODE = 0xFFFF;

  public NodeIdentity {
    if (node < 1 || node > MAX_NODE) {
      throw new IllegalArgumentException("node number " + node);
    }
  }

  /** A node that keeps one epoch. */
  public static NodeIdentity of(int node, NodeRole role, int epoch, LamportClock clock) {
    return new NodeIdentity(node, role, () -> epoch, clock);
  }

  @Override
  public String toString() {
    return "node " + node + " (" + role.name().toLowerCase(java.util.Locale.ROOT) + ")";
  }
}
