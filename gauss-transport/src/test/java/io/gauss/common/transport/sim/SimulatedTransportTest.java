package io.gauss.common.transport.sim;

import io.gauss.common.transport.TransportContract;
import io.gauss.common.transport.TransportHarness;

/** The transport within a JVM, in simulated time. */
class SimulatedTransportTest extends TransportContract {
  @Override
  protected TransportHarness harness() {
    return new SimulatedHarness(1);
  }
}
