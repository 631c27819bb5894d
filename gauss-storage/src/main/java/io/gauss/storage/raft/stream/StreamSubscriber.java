package io.gauss.storage.raft.stream;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Changes the subscriptions of a stream ({@link Subscriptions}) from a storage node that need not
 * have a replica of it.
 *
 * <p>Requests are repeated until the stream's leader answers; that does no harm. Futures fail with
 * 57P03 when no majority of the stream's storage nodes answers before the deadline, and complete on
 * threads that must not be blocked. Thread-safe.
 */
final class StreamSubscriber implements AutoCloseable {
  private final int stream;
  private final LeaderCalls leader;

  /**
   * @param nodes the stream's storage nodes
   * @param timer for repeated requests; closed by the caller, after this
   */
  StreamSubscriber(
      int stream,
      List<Integer> nodes,
      StreamTransport transport,
      ClientSettings settings,
      ScheduledExecutorService timer) {
    this.stream = stream;
    this.leader = new LeaderCalls(transport, nodes, settings, timer);
  }

  /**
   * From now on the stream keeps its log for a node, from an offset on or from where it begins if
   * that is higher.
   *
   * @param tenure see {@link Subscriptions}
   * @return what the stream has for the node now; of a later tenure if it has subscribed for one
   */
  CompletableFuture<StreamAnswer.Subscribed> subscribe(int node, long tenure, long offset) {
    return ask(new StreamRequest.Subscribe(stream, node, tenure, offset));
  }

  /** The node has as durable pages what is before an offset. */
  CompletableFuture<StreamAnswer.Subscribed> raise(int node, long tenure, long offset) {
    return ask(new StreamRequest.Raise(stream, node, tenure, offset));
  }

  /** All tenures of a node up to this one are over. */
  CompletableFuture<StreamAnswer.Subscribed> unsubscribe(int node, long tenure) {
    return ask(new StreamRequest.Unsubscribe(stream, node, tenure));
  }

  private CompletableFuture<StreamAnswer.Subscribed> ask(StreamRequest request) {
    return leader
        .ask(request)
        .thenApply(
            answer -> {
              if (answer instanceof StreamAnswer.Subscribed subscribed) {
                return subscribed;
              }
              throw new GaussException(SqlState.INTERNAL_ERROR, "unexpected answer: " + answer);
            });
  }

  /** Requests that are not answered fail. */
  @Override
  public void close() {
    leader.close();
  }
}
