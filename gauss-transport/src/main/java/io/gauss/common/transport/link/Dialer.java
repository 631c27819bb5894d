package io.gauss.common.transport.link;

import io.gauss.common.transport.NodeAddress;

/** Makes wires to other nodes. */
public interface Dialer {
  /** Begins to connect. The outcome comes on the loop, later or at once. */
  void dial(Loop loop, NodeAddress address, Outcome outcome);

  /** What became of it. */
  interface Outcome {
    /** The wire is there; the result handles what it tells. */
    WireHandler opened(Wire wire);

    /**
     * @param reason for people
     */
    void failed(String reason);
  }
}
