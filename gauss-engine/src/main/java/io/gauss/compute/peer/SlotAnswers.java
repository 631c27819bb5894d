package io.gauss.compute.peer;

import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.MapNode;

/**
 * Who answers for a slot's undo segments, as the cluster map has it. Pure.
 *
 * <p>A slot whose node died is answered for by nobody until its recoverer has taken over, and by
 * the recoverer until the last transaction is rolled back, also when the node is back before. From
 * then until it comes back nothing in the segments changes: every node that is asked for them can
 * read them for itself.
 */
final class SlotAnswers {
  private SlotAnswers() {}

  /**
   * @param self slot of the node that wants to know
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
