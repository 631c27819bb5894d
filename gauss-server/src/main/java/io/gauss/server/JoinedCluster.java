package io.gauss.server;

import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.remote.ClusterStatus;
import io.gauss.storage.remote.StatusClient;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A cluster as a storage node that joins it sees and changes it. For one thread. */
interface JoinedCluster {
  /** The map as it is known now, which may be an older one. */
  ClusterMap known();

  /** The map of the storage node that leads it; empty when none answers. */
  Optional<ClusterMap> ofLeader();

  /** All storage nodes that {@link #ofLeader} has told of, as they answer now. */
  ClusterStatus status();

  /** The storage nodes that keep the map; empty when that changes, or is not known. */
  Set<Integer> keepersOfMap();

  /** Waits a little for the map to be as wanted; false when it is not. */
  boolean await(Predicate<ClusterMap> condition) throws InterruptedException;

  /**
   * Has the map changed.
   *
   * @throws RefusedException when the storage nodes refuse
   * @throws IllegalStateException when they do not answer
   */
  void propose(MapCommand change) throws InterruptedException;

  /** Waits for others to get on. */
  void pause() throws InterruptedException;

  /** A cluster that is reached by the network. */
  static JoinedCluster of(MapAccess cluster, StatusClient status) {
    Duration answer = Duration.ofSeconds(2);
    return new JoinedCluster() {
      @Override
      public ClusterMap known() {
        return cluster.known();
      }

      @Override
      public Optional<ClusterMap> ofLeader() {
        return status.map(answer).map(told -> told.map());
      }

      @Override
      public ClusterStatus status() {
        return status.status(answer);
      }

      @Override
      public Set<Integer> keepersOfMap() {
        return status.members(GroupId.clusterMap().uuid(), answer);
      }

      @Override
      public boolean await(Predicate<ClusterMap> condition) throws InterruptedException {
        return cluster.await(condition, answer.toSeconds());
      }

      @Override
      public void propose(MapCommand change) throws InterruptedException {
        cluster.propose(change);
      }

      @Override
      public void pause() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(50);
      }
    };
  }
}
