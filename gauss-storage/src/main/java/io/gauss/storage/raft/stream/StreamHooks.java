package io.gauss.storage.raft.stream;

import java.util.concurrent.CompletableFuture;

/**
 * The functions that a stream's replica needs from the rest of its storage node.
 *
 * @param floor offset from which this node still needs the stream's log, regardless of trims
 * @param rebuild rebuilds a replica that fell too far behind
 */
public record StreamHooks(Floor floor, ReplicaRebuild rebuild) {

  /** Returns which part of a stream a node still needs. */
  @FunctionalInterface
  public interface Floor {
    /**
     * The stream's offset from which the log has not been applied durably here; {@link
     * Long#MAX_VALUE} when the node does not apply it.
     */
    long neededFrom(int stream);
  }

  /** For a node that only keeps logs: trimmed log can be purged, and nothing can be rebuilt. */
  public static StreamHooks logOnly() {
    return new StreamHooks(
        stream -> Long.MAX_VALUE,
        (stream, leader, firstAvailable) ->
            CompletableFuture.failedFuture(
                new IllegalStateException(
                    "the log of stream "
                        + stream
                        + " before Raft index "
                        + firstAvailable
                        + " is gone, and this node cannot be rebuilt without it")));
  }
}
