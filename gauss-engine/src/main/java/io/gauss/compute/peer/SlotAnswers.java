package io.gauss.compute.peer;

import io.gauss.compute.peer.PeerNodes.Answerer;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.MapNode;
import java.util.Set;

/**
 * Determines from the cluster map which node answers for a slot's undo segments. Pure.
 *
 * <p>For a slot whose node died, no node answers until its recoverer has taken over; then the
 * recoverer does until the last transaction is rolled back, even if the node is back earlier. From
 * then until the node comes back nothing in the segments changes: every node can read them by
 * itself.
 */
final class SlotAnswers {
  private static final Answerer NOBODY_YET = new Answerer(PeerNodes.NO_SUCH_SLOT, 0);

  private SlotAnswers() {}

  /**
   * @param self slot of the asking node
   * @param resigned dead epochs for which this node does not answer any more, although the map does
   *     not say so yet (rule 34)
   */
  static Answerer answerer(ClusterMap map, int slot, int self, Set<Integer> resigned) {
    for (Death death : map.deaths().values()) {
      if (death.slot() == slot) {
        return new Answerer(resigned.contains(death.epoch()) ? 0 : by(map, death), death.epoch());
      }
    }
    MapNode holder = map.holder(slot).orElse(null);
    if (holder != null) {
      return new Answerer(holder.state().isServing() ? slot : 0, holder.epoch());
    }
    return map.nodes().values().stream()
        .filter(node -> node.slot() == slot)
        .mapToInt(MapNode::epoch)
        .max()
        .stream()
        .mapToObj(epoch -> new Answerer(self, epoch))
        .findFirst()
        .orElse(NOBODY_YET);
  }

  private static int by(ClusterMap map, Death death) {
    return death.takenOver() ? map.node(death.recoverer()).map(MapNode::slot).orElse(0) : 0;
  }
}
