package io.gauss.common.transport;

import io.micrometer.core.instrument.MeterRegistry;

/**
 * Configuration of any kind of transport.
 *
 * @param self this node
 * @param key by which the nodes of the cluster recognise each other
 * @param guard drops messages from dead epochs
 * @param settings limits and times
 * @param meters registry for metrics
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
