package io.gauss.storage.map.service;

import io.gauss.storage.map.message.MapSnapshot;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/**
 * The map's Raft group as seen on one storage node. Commands that it commits are applied to this
 * node's {@link ClusterMapState}, in the same order on all. Thread-safe.
 */
public interface ReplicatedLog {
  /** Proposes a command; never completes exceptionally. Does not block for long. */
  CompletableFuture<Proposed> propose(byte[] command);

  /** Whether this node leads and may propose. */
  boolean leads();

  /**
   * Whether it leads, and a majority has answered it lately: what is proposed now is committed
   * soon, and what was not proposed before could have been.
   */
  boolean leadsMajority();

  /** The storage node that leads, as far as this node knows. */
  OptionalInt leader();

  /** This node's replica of the map, and its place in the log. */
  MapSnapshot snapshot();

  /** Outcome of a proposal. */
  sealed interface Proposed {
    /** Committed and applied here. */
    record Applied(byte[] result) implements Proposed {}

    /** Certainly not accepted. */
    record NotTaken(String why) implements Proposed {}

    /** Unknown; it may still be committed later. */
    record Unknown(Throwable cause) implements Proposed {}
  }
}
