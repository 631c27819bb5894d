package io.gauss.common.transport.sim;

import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportHarness;
import java.util.concurrent.CompletableFuture;

/** Nodes in simulated time. */
public final class SimulatedHarness implements TransportHarness {
  private final SimulatedTime time = new SimulatedTime();
  private final SimulatedNetwork network;

  public SimulatedHarness(long seed) {
    this.network = new SimulatedNetwork(time, seed);
  }

  public SimulatedTime time() {
    return time;
  }

  public SimulatedNetwork network() {
    return network;
  }

  @Override
  public Transport open(TransportConfig config) {
    return network.transport(config);
  }

  @Override
  public NodeAddress anyAddress() {
    return new NodeAddress("simulated", 0);
  }

  @Override
  public <T> T await(CompletableFuture<T> future) {
    return time.await(future);
  }

  @Override
  public void close() {
    network.healAll();
    time.finish();
  }
}
