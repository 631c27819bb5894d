package io.gauss.simulation.storage;

import io.gauss.storage.api.LogStream;
import io.gauss.storage.api.LogStreamContract;
import org.junit.jupiter.api.AfterEach;

/** A stream in a simulated group, all of whose nodes restart where it is reopened. */
class SimulatedLogStreamContract extends LogStreamContract {
  private static final int STREAM = 1;

  private SimulatedStreams nodes;

  @Override
  protected LogStream open() {
    if (nodes == null) {
      nodes = new SimulatedStreams(faults());
      nodes.addStream(STREAM);
    } else {
      nodes.restartAll();
    }
    return nodes.open(STREAM);
  }

  protected LogFaults faults() {
    return LogFaults.none();
  }

  @AfterEach
  void stop() {
    nodes.close();
  }
}
