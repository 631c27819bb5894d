package io.gauss.storage.map.client;

import io.gauss.common.transport.EpochGuard;
import io.gauss.storage.map.api.ClusterMap;
import java.util.function.Supplier;

/**
 * Drops messages of epochs that the cluster map knows to be over (law 7, clocks travel).
 *
 * <p>Epoch 0 is a process that has not registered, or has lost its epoch: it must be able to reach
 * the cluster map, so it is admitted, and other services check for it.
 */
public final class MapEpochGuard implements EpochGuard {
  /** Epoch of a process that has none. */
  public static final int UNREGISTERED = 0;

  private final Supplier<ClusterMap> map;

  public MapEpochGuard(Supplier<ClusterMap> map) {
    this.map = map;
  }

  @Override
  public boolean alive(int node, int epoch) {
    return epoch == UNREGISTERED || !map.get().isDead(node, epoch);
  }
}
