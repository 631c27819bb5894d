package io.gauss.storage.raft.stream;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.runtime.Environment;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a request to a stream's storage nodes until one answers it: first to the presumed leader,
 * then to the node that it names, then to all in turn.
 *
 * <p>For requests that may be carried out more than once without harm. Thread-safe.
 */
final class LeaderCalls {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderCalls.class);

  /** A pause is this fraction of the search's duration so far... */
  private static final int PAUSE_PART = 8;

  /** ... and at most this many of the shortest pauses. */
  private static final int LONGEST_PAUSES = 25;

  private final StreamTransport transport;
  private final ClientSettings settings;
  private final ScheduledExecutorService timer;
  private final Map<Integer, String> complaints = new ConcurrentSkipListMap<>();
  private volatile List<Integer> nodes;
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

  /** From now on these are the stream's storage nodes. */
  void nodes(List<Integer> now) {
    // A replica that is to leave may lead until the others have caught up.
    nodes = List.copyOf(now);
  }

  /** The presumed leader. */
  int leader() {
    return leader;
  }

  /**
   * Repeats the request until there is an answer about the stream.
   *
   * @return completes exceptionally with 57P03 at the deadline
   */
  CompletableFuture<StreamAnswer> ask(StreamRequest request) {
    CompletableFuture<StreamAnswer> result = new CompletableFuture<>();
    new Attempt(request, result).send(leader);
    return result;
  }

  /**
   * As {@link #ask}, for a caller that already has this answer from a node, which is not asked
   * first: a node that does not answer costs a call's timeout each time.
   */
  CompletableFuture<StreamAnswer> askAfter(int node, StreamAnswer answer, StreamRequest request) {
    CompletableFuture<StreamAnswer> result = new CompletableFuture<>();
    new Attempt(request, result).answered(node, answer);
    return result;
  }

  /** The last answer of each node that did not carry out a request, or that it did not answer. */
  String complaints() {
    return String.join("; ", complaints.values());
  }

  private void note(int node, StreamAnswer answer) {
    String name = "storage node " + node;
    String said =
        switch (answer) {
          case StreamAnswer.NotLeader n -> name + " does not lead";
          case StreamAnswer.Busy busy -> busy.reason();
          case StreamAnswer.Unknown unknown -> unknown.reason();
          default -> null;
        };
    if (said == null) {
      complaints.remove(node);
    } else {
      complaints.put(node, said.startsWith(name) ? said : name + ": " + said);
    }
  }

  void close() {
    closed = true;
  }

  /** Whether an answer is about the stream, and not only about the leader or an unknown outcome. */
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
      case StreamAnswer.Subscribed s -> true;
      case StreamAnswer.Batches b -> true;
      case StreamAnswer.Located l -> true;
      case StreamAnswer.Entry e -> true;
      case StreamAnswer.Refused r -> true;
    };
  }

  private final class Attempt {
    private final StreamRequest request;
    private final CompletableFuture<StreamAnswer> result;
    private final long start = Environment.nanoTime();
    private final Set<Integer> silent = new HashSet<>();
    private int tries;
    private int damaged;

    Attempt(StreamRequest request, CompletableFuture<StreamAnswer> result) {
      this.request = request;
      this.result = result;
    }

    void send(int node) {
      long left = settings.deadline().toNanos() - (Environment.nanoTime() - start);
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
      note(node, answer);
      if (answer instanceof StreamAnswer.Unknown) {
        silent.add(node);
      } else {
        silent.remove(node);
      }
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
          && !silent.contains(other.leader().getAsInt())) {
        // Directly to the node that it names, but not for ever: that node may have died. Nodes that
        // have not answered are asked in the round. A replica that is to leave is not part of the
        // round: it leads until the others have caught up, and is asked when one of them names it.
        int named = other.leader().getAsInt();
        boolean isToGo = nodes.contains(node) && !nodes.contains(named);
        if (isToGo || tries % nodes.size() != 0) {
          send(named);
          return;
        }
      }
      int next = nodes.get((nodes.indexOf(node) + 1) % nodes.size());
      if (tries % nodes.size() == 0) {
        later(next);
      } else {
        send(next);
      }
    }

    /** The longer no node answers, the less often they are asked. */
    private void later(int node) {
      long shortest = settings.retryPause().toNanos();
      long pause =
          Math.clamp(
              (Environment.nanoTime() - start) / PAUSE_PART, shortest, LONGEST_PAUSES * shortest);
      try {
        timer.schedule(() -> send(node), pause, TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException e) {
        LOG.debug("closed meanwhile", e);
        result.completeExceptionally(unreachable());
      }
    }

    /** Another replica may have the data that is damaged on this one. */
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
        r ->
            r instanceof StreamRequest.Read
                || r instanceof StreamRequest.Locate
                || r instanceof StreamRequest.Entry;
    return !anyReplica.test(request);
  }
}
