package io.gauss.storage.map.api;

import java.util.List;

/**
 * Where one slice of the pages is. Immutable.
 *
 * @param tenures the storage nodes that the map names for the slice, in the order of their numbers:
 *     its replicas, and the one that arrives
 * @param from the replica that leaves when the move under way has ended; 0 = none
 * @param to the node that arrives, and is no replica yet; 0 = no move is under way
 */
public record Slice(List<Tenure> tenures, int from, int to) {
  /**
   * The time from one naming of a node for a slice to the end of it.
   *
   * @param since version of the map that named the node, which identifies the tenure; 0 for those
   *     who had all pages when the list was made
   */
  public record Tenure(int node, long since) {}

  /** What {@link #since} answers for a node that the map does not name. */
  public static final long NOT_NAMED = -1;

  /**
   * Checks what holds for every slice.
   *
   * @throws IllegalArgumentException when nodes are out of order, no replica is there, or the move
   *     is none
   */
  public Slice {
    tenures = List.copyOf(tenures);
    int before = 0;
    for (Tenure tenure : tenures) {
      if (tenure.node() <= before || tenure.since() < 0) {
        throw new IllegalArgumentException("tenures " + tenures);
      }
      before = tenure.node();
    }
    boolean isMove = to == 0 ? from == 0 : isIn(tenures, to) && from != to;
    if (!isMove || (from != 0 && !isIn(tenures, from))) {
      throw new IllegalArgumentException("move from " + from + " to " + to + " among " + tenures);
    }
    if (tenures.size() == (to == 0 ? 0 : 1)) {
      throw new IllegalArgumentException("a slice without replicas");
    }
  }

  private static boolean isIn(List<Tenure> tenures, int node) {
    for (Tenure tenure : tenures) {
      if (tenure.node() == node) {
        return true;
      }
    }
    return false;
  }

  /** True for the replicas and for the node that arrives. */
  public boolean names(int node) {
    return isIn(tenures, node);
  }

  /** True when the node has the whole slice, as the map knows it. */
  public boolean isReplica(int node) {
    return node != to && isIn(tenures, node);
  }

  /** The replicas, in the order of their numbers; at least one. */
  public List<Integer> replicas() {
    return tenures.stream().map(Tenure::node).filter(node -> node != to).toList();
  }

  public int replicaCount() {
    return tenures.size() - (to == 0 ? 0 : 1);
  }

  public boolean isMoving() {
    return to != 0;
  }

  /** The node's tenure; {@link #NOT_NAMED} when the map does not name it. */
  public long since(int node) {
    for (Tenure tenure : tenures) {
      if (tenure.node() == node) {
        return tenure.since();
      }
    }
    return NOT_NAMED;
  }
}
