package io.gauss.common.transport;

import io.micrometer.core.instrument.MeterRegistry;

/**
 * What a transport is made of, whichever kind it is.
 *
 * @param self this node
 * @param key by which the nodes of the cluster recognise each other
 * @param guard drops what comes from dead epochs
 * @param settings limits and times
 * @param meters where metrics go
 */
public record TransportConfig(
    NodeIdentity self,
    ClusterKey key,
    EpochGuard guard,
    TransportSettings settings,
    MeterRegistry meters) {
  public TransportConfig withSettings(TransportSettings other) {
    return new TransportConfig(self, key, guard, other, meters);
  }
}
