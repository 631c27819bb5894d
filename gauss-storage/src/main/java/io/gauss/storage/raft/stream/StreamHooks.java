package io.gauss.storage.raft.stream;

import java.util.concurrent.CompletableFuture;

/**
 * What a stream's replica needs from the rest of its storage node.
 *
 * @param floor offset from which this node still needs the stream's log, whatever is trimmed
 * @param rebuild brings a replica back that fell too far behind
 */
public record StreamHooks(Floor floor, ReplicaRebuild rebuild) {

  /** Tells what a node still needs of a stream. */
  @FunctionalInterface
  public interface Floor {
    /**
     * The stream's offset from which the log has not been applied durably here; {@link
     * Long#MAX_VALUE} when the node does not apply it.
     */
    long neededFrom(int stream);
  }

  /** For a node that only keeps logs: what is trimmed can go, and nothing can be rebuilt. */
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
