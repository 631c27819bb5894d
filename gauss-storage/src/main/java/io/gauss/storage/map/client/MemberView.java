package io.gauss.storage.map.client;

import io.gauss.storage.map.api.ClusterMap;

/**
 * The cluster as a node knows it, for its transport: that is made before the node can know
 * anything, and asks for the map and the node's epoch at each connection. Thread-safe.
 */
public final class MemberView {
  private volatile ClusterMapClient client;
  private volatile ClusterMember member;

  /** The map; an empty one as long as there is none. */
  public ClusterMap map() {
    ClusterMapClient known = client;
    return known == null ? ClusterMap.EMPTY : known.map();
  }

  /** The node's epoch; {@link MapEpochGuard#UNREGISTERED} as long as it has none. */
  public int epoch() {
    ClusterMember known = member;
    return known == null ? MapEpochGuard.UNREGISTERED : known.epoch();
  }

  /** From now on this client has the map. */
  public void follow(ClusterMapClient now) {
    client = now;
  }

  /** From now on this member has the epoch. */
  public void become(ClusterMember now) {
    member = now;
  }
}
