package io.gauss.storage.raft.stream;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/**
 * Access to other storage nodes' replicas of a stream, for a node on whose own replica a batch is
 * damaged. Thread-safe.
 */
public final class OtherReplicas {
  private final StreamTransport transport;
  private final Supplier<List<Integer>> nodes;
  private final Duration timeout;

  /**
   * @param nodes the other storage nodes as they are now
   * @param timeout for each of them
   */
  public OtherReplicas(StreamTransport transport, Supplier<List<Integer>> nodes, Duration timeout) {
    this.transport = transport;
    this.nodes = nodes;
    this.timeout = timeout;
  }

  /** For a node that knows no others. */
  static OtherReplicas none() {
    return new OtherReplicas(
        (node, request, timeout) ->
            CompletableFuture.completedFuture(new StreamAnswer.Busy("not connected")),
        List::of,
        Duration.ZERO);
  }

  /**
   * Batches from an offset on, which is known to be durable. Blocks while it asks one node after
   * another.
   *
   * @return at least one batch
   * @throws GaussException 58030 when none of them has it at present
   */
  List<StreamAnswer.Batch> read(int stream, long from, int maxBytes) {
    StringBuilder answers = new StringBuilder();
    StreamRequest request = new StreamRequest.Read(stream, from, from + 1, maxBytes, 0);
    for (int node : nodes.get()) {
      StreamAnswer answer = ask(node, request);
      if (answer instanceof StreamAnswer.Batches found && !found.batches().isEmpty()) {
        return found.batches();
      }
      answers.append("; storage node ").append(node).append(": ").append(answer);
    }
    throw new GaussException(
        SqlState.IO_ERROR,
        "offset "
            + from
            + " of stream "
            + stream
            + " is damaged here, and no other node gives it"
            + answers);
  }

  /**
   * A committed entry of the stream's Raft log. Blocks while it asks one node after another.
   *
   * @throws GaussException 58030 when none of them has it at present
   */
  byte[] entry(int stream, long raftIndex) {
    StringBuilder answers = new StringBuilder();
    StreamRequest request = new StreamRequest.Entry(stream, raftIndex);
    for (int node : nodes.get()) {
      StreamAnswer answer = ask(node, request);
      if (answer instanceof StreamAnswer.Entry found) {
        return found.bytes();
      }
      answers.append("; storage node ").append(node).append(": ").append(answer);
    }
    throw new GaussException(
        SqlState.IO_ERROR,
        "Raft index "
            + raftIndex
            + " of stream "
            + stream
            + " is damaged here, and no other node gives it"
            + answers);
  }

  private StreamAnswer ask(int node, StreamRequest request) {
    try {
      return transport.call(node, request, timeout).join();
    } catch (CompletionException e) {
      return new StreamAnswer.Unknown(String.valueOf(e.getCause()));
    }
  }
}
