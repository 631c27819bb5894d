package io.gauss.storage.map.service;

import io.gauss.storage.map.api.MapNode;
import java.util.concurrent.CompletableFuture;

/** Looks whether a node's process is still there, when its connection broke. */
@FunctionalInterface
public interface Prober {
  /** Must not block. A failure counts as SILENT. */
  CompletableFuture<Found> probe(MapNode node);

  /** What a probe found. */
  enum Found {
    /** The process is there. */
    ANSWERS,
    /** Another process, or another incarnation of it, has the port: this one has ended. */
    OTHER,
    /** The host is there and refuses the port: the process has ended. */
    REFUSED,
    /** Nothing can be told. */
    SILENT;

    boolean isProofOfExit() {
      return this == OTHER || this == REFUSED;
    }
  }
}
