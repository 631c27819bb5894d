package io.gauss.storage.map.client;

import io.gauss.storage.map.api.ClusterMap;

/**
 * A node's view of the cluster, for its transport. The transport is created before the node knows
 * the cluster, and reads the map and the node's epoch for each connection. Thread-safe.
 */
public final class MemberView {
  private volatile ClusterMapClient client;
  private volatile ClusterMember member;

  /** The map; an empty one until there is one. */
  public ClusterMap map() {
    ClusterMapClient known = client;
    return known == null ? ClusterMap.EMPTY : known.map();
  }

  /** The node's epoch; {@link MapEpochGuard#UNREGISTERED} while it has none. */
  public int epoch() {
    ClusterMember known = member;
    return known == null ? MapEpochGuard.UNREGISTERED : known.epoch();
  }

  /** From now on the map is that of this client. */
  public void follow(ClusterMapClient now) {
    client = now;
  }

  /** From now on the epoch is that of this member. */
  public void become(ClusterMember now) {
    member = now;
  }
}
