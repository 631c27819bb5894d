package io.gauss.common.transport.link;

import io.gauss.common.transport.NodeAddress;

/** Creates wires to other nodes. */
public interface Dialer {
  /** Begins to connect. The outcome is reported on the loop, later or at once. */
  void dial(Loop loop, NodeAddress address, Outcome outcome);

  /** The outcome of an attempt. */
  interface Outcome {
    /** The wire is open; the result handles its events. */
    WireHandler opened(Wire wire);

    /**
     * @param reason display text
     */
    void failed(String reason);
  }
}
