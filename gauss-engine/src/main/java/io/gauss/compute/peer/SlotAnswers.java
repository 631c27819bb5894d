package io.gauss.compute.peer;

import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.MapNode;

/**
 * Determines from the cluster map which node answers for a slot's undo segments. Pure.
 *
 * <p>For a slot whose node died, no node answers until its recoverer has taken over; then the
 * recoverer does until the last transaction is rolled back, even if the node is back earlier. From
 * then until the node comes back nothing in the segments changes: every node can read them by
 * itself.
 */
final class SlotAnswers {
  private SlotAnswers() {}

  /**
   * @param self slot of the asking node
   * @return as {@link PeerNodes#answering}
   */
  static int answering(ClusterMap map, int slot, int self) {
    for (Death death : map.deaths().values()) {
      if (death.slot() == slot) {
        return death.takenOver() ? map.node(death.recoverer()).map(MapNode::slot).orElse(0) : 0;
      }
    }
    MapNode holder = map.holder(slot).orElse(null);
    if (holder != null) {
      return holder.state().isServing() ? slot : 0;
    }
    boolean known = map.nodes().values().stream().anyMatch(node -> node.slot() == slot);
    return known ? self : PeerNodes.NO_SUCH_SLOT;
  }
}
