package io.gauss.storage.map.service;

import io.gauss.storage.map.api.MapNode;
import java.util.concurrent.CompletableFuture;

/** Checks whether a node's process still exists, after its connection broke. */
@FunctionalInterface
public interface Prober {
  /** Must not block. A failure counts as SILENT. */
  CompletableFuture<Found> probe(MapNode node);

  /**
   * Probes a node's port by TCP, without asking who has it.
   *
   * @param timeoutMillis to wait for the host's answer
   */
  static Prober ofPorts(int timeoutMillis) {
    return new TcpProber(timeoutMillis);
  }

  /** Result of a probe. */
  enum Found {
    /** The process exists. */
    ANSWERS,
    /** Another process, or another incarnation, has the port: the probed one has ended. */
    OTHER,
    /** The host answers and refuses the port: the process has ended. */
    REFUSED,
    /** No conclusion is possible. */
    SILENT;

    boolean isProofOfExit() {
      return this == OTHER || this == REFUSED;
    }
  }
}
