package io.gauss.storage.raft.stream;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Puts a request to a stream's storage nodes until one answers it: first to the one that is
 * believed to lead, then to whom it names, then to all in turn.
 *
 * <p>For requests that may be carried out more than once without harm. Thread-safe.
 */
final class LeaderCalls {
  private final StreamTransport transport;
  private final List<Integer> nodes;
  private final ClientSettings settings;
  private final ScheduledExecutorService timer;
  private volatile int leader;
  private volatile boolean closed;

  LeaderCalls(
      StreamTransport transport,
      List<Integer> nodes,
      ClientSettings settings,
      ScheduledExecutorService timer) {
    this.transport = transport;
    this.nodes = List.copyOf(nodes);
    this.settings = settings;
    this.timer = timer;
    this.leader = nodes.getFirst();
  }

  /** The node that is believed to lead. */
  int leader() {
    return leader;
  }

  /** Somebody was told who leads. */
  void believe(OptionalInt node) {
    node.ifPresent(
        named -> {
          if (nodes.contains(named)) {
            leader = named;
          }
        });
  }

  /**
   * Asks until there is an answer about the stream.
   *
   * @return completes exceptionally with 57P03 at the deadline
   */
  CompletableFuture<StreamAnswer> ask(StreamRequest request) {
    CompletableFuture<StreamAnswer> result = new CompletableFuture<>();
    new Attempt(request, result, System.nanoTime() + settings.deadline().toNanos()).send(leader);
    return result;
  }

  void close() {
    closed = true;
  }

  /** Whether an answer is about the stream, and not about who leads or that nobody knows. */
  static boolean isFinal(StreamAnswer answer) {
    return switch (answer) {
      case StreamAnswer.NotLeader n -> false;
      case StreamAnswer.Busy b -> false;
      case StreamAnswer.Unknown u -> false;
      case StreamAnswer.DiskFull f -> true;
      case StreamAnswer.Appended a -> true;
      case StreamAnswer.WrongOffset w -> true;
      case StreamAnswer.Fenced f -> true;
      case StreamAnswer.State s -> true;
      case StreamAnswer.Batches b -> true;
      case StreamAnswer.Located l -> true;
      case StreamAnswer.Refused r -> true;
    };
  }

  private final class Attempt {
    private final StreamRequest request;
    private final CompletableFuture<StreamAnswer> result;
    private final long deadline;
    private int tries;
    private int damaged;

    Attempt(StreamRequest request, CompletableFuture<StreamAnswer> result, long deadline) {
      this.request = request;
      this.result = result;
      this.deadline = deadline;
    }

    void send(int node) {
      long left = deadline - System.nanoTime();
      if (left <= 0 || closed) {
        result.completeExceptionally(unreachable());
        return;
      }
      Duration time = Duration.ofNanos(Math.min(left, settings.callTimeout().toNanos()));
      transport
          .call(node, request, time)
          .exceptionally(failure -> new StreamAnswer.Unknown(String.valueOf(failure)))
          .thenAccept(answer -> answered(node, answer));
    }

    private void answered(int node, StreamAnswer answer) {
      if (isFinal(answer) && !isDamageOfOneReplica(answer)) {
        if (isTheLeaders(request)) {
          leader = node;
        }
        result.complete(answer);
        return;
      }
      tries++;
      if (answer instanceof StreamAnswer.NotLeader other
          && other.leader().isPresent()
          && other.leader().getAsInt() != node
          && nodes.contains(other.leader().getAsInt())) {
        // Straight to whom it names, but not for ever: it may be the one that has died.
        if (tries % nodes.size() != 0) {
          send(other.leader().getAsInt());
          return;
        }
      }
      int next = nodes.get((nodes.indexOf(node) + 1) % nodes.size());
      if (tries % nodes.size() == 0) {
        timer.schedule(() -> send(next), settings.retryPause().toMillis(), TimeUnit.MILLISECONDS);
      } else {
        send(next);
      }
    }

    /** Another replica may have what is damaged on this one. */
    private boolean isDamageOfOneReplica(StreamAnswer answer) {
      return !isTheLeaders(request)
          && answer instanceof StreamAnswer.Refused refused
          && refused.sqlState().equals(SqlState.DATA_CORRUPTED.code())
          && ++damaged < nodes.size();
    }

    private GaussException unreachable() {
      return closed
          ? new GaussException(SqlState.ADMIN_SHUTDOWN, "the log stream is closed")
          : new GaussException(
              SqlState.CANNOT_CONNECT_NOW,
              "no majority of the storage nodes of stream " + request.stream() + " answers");
    }
  }

  private static boolean isTheLeaders(StreamRequest request) {
    Predicate<StreamRequest> anyReplica =
        r -> r instanceof StreamRequest.Read || r instanceof StreamRequest.Locate;
    return !anyReplica.test(request);
  }
}
