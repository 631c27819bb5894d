package io.gauss.storage.map.client;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.runtime.Environment;
import io.gauss.common.task.Later;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.map.command.MapResult.RenewalAnswer;
import io.gauss.storage.map.message.MapAnswer;
import io.gauss.storage.map.message.MapRequest;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cluster map for nodes and tools: the newest known version, and requests to the leader of its
 * group, tried on all storage nodes until one answers or the time is up. Repeated commands are
 * harmless, see {@link MapCommand}.
 *
 * <p>Thread-safe; nothing blocks. Listeners run on {@code gauss-map-client}, futures complete there
 * or on threads of the connections; these threads must not be blocked.
 */
public final class ClusterMapClient implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterMapClient.class);
  private static final int WATCH_MILLIS = 5_000;
  private static final long ATTEMPT_NANOS = 2_000_000_000L;
  private static final long PAUSE_MILLIS = 50;

  /** Classes of SQLSTATE. */
  private static final Set<String> OF_ONE_NODE = Set.of("08", "53", "57", "58", "XX");

  /**
   * How many storage nodes can be asked while a renewal is still useful. A node that hangs, and
   * those that still believe that it leads, must not cost the lease while a majority is up.
   */
  private static final int ATTEMPTS_PER_RENEWAL = 10;

  private final ScheduledExecutorService timer;
  private final List<Consumer<ClusterMap>> listeners = new CopyOnWriteArrayList<>();
  private final Object publishing = new Object();
  private volatile List<MapConnection> connections;
  private volatile int likelyLeader;
  private volatile ClusterMap map = ClusterMap.EMPTY;
  private volatile boolean closed;
  private boolean watching;

  /**
   * A client of these storage nodes.
   *
   * @param connections at least one; the caller closes them
   */
  public ClusterMapClient(List<? extends MapConnection> connections) {
    connections(connections);
    timer = Environment.scheduler("gauss-map-client");
  }

  /** From now on requests go to these storage nodes. */
  final void connections(List<? extends MapConnection> now) {
    if (now.isEmpty()) {
      throw new IllegalArgumentException("no storage node to ask for the cluster map");
    }
    connections = List.copyOf(now);
  }

  /** The newest map seen; {@link ClusterMap#EMPTY} before the first. */
  public ClusterMap map() {
    return map;
  }

  /** Adds a listener for new maps, which receives the present one first. Versions rise. */
  public void addListener(Consumer<ClusterMap> listener) {
    synchronized (publishing) {
      ClusterMap present = map;
      soon(
          () -> {
            listeners.add(listener);
            tell(listener, present);
          });
    }
  }

  void removeListener(Consumer<ClusterMap> listener) {
    soon(() -> listeners.remove(listener));
  }

  /** Starts following the map. */
  public synchronized void watch() {
    if (!watching) {
      watching = true;
      watch(0);
    }
  }

  private void watch(int attempt) {
    if (closed) {
      return;
    }
    List<MapConnection> all = connections;
    MapConnection to = all.get(attempt % all.size());
    MapRequest.Watch request = new MapRequest.Watch(map.version(), WATCH_MILLIS);
    long timeout = TimeUnit.MILLISECONDS.toNanos(WATCH_MILLIS) + ATTEMPT_NANOS;
    ask(to, request, timeout)
        .whenComplete(
            (answer, failure) -> {
              if (failure == null) {
                if (answer instanceof MapAnswer.NewMap newer) {
                  publish(newer.map());
                  watch(attempt);
                } else {
                  // The node may be cut off from the others.
                  watch(attempt + 1);
                }
              } else {
                LOG.debug("storage node {} does not tell the cluster map", to.node(), failure);
                later(() -> watch(attempt + 1));
              }
            });
  }

  /** Fetches the leader's map, since the watched replica may be behind. */
  private void fetch(MapConnection leader) {
    ask(leader, new MapRequest.Watch(map.version(), 0), ATTEMPT_NANOS)
        .whenComplete(
            (answer, failure) -> {
              if (answer instanceof MapAnswer.NewMap newer) {
                publish(newer.map());
              } else if (failure != null) {
                LOG.debug("storage node {} does not tell its map", leader.node(), failure);
              }
            });
  }

  private void publish(ClusterMap newer) {
    synchronized (publishing) {
      if (newer.version() <= map.version()) {
        return;
      }
      map = newer;
      soon(() -> listeners.forEach(listener -> tell(listener, newer)));
    }
  }

  private static void tell(Consumer<ClusterMap> listener, ClusterMap newer) {
    try {
      listener.accept(newer);
    } catch (RuntimeException e) {
      LOG.error("a listener to the cluster map failed", e);
    }
  }

  /**
   * Completes with the first map, now or later, that fulfils the condition. Needs {@link #watch}.
   */
  public CompletableFuture<ClusterMap> await(Predicate<ClusterMap> condition) {
    CompletableFuture<ClusterMap> found = new CompletableFuture<>();
    Consumer<ClusterMap> listener =
        newer -> {
          if (condition.test(newer)) {
            found.complete(newer);
          }
        };
    addListener(listener);
    found.whenComplete((any, failure) -> removeListener(listener));
    return found;
  }

  /**
   * Proposes a command and returns its result. Fails with 57P03 when no leader answered in time:
   * the command may still be carried out.
   */
  public CompletableFuture<MapResult> propose(MapCommand command, Duration timeout) {
    return toLeader(new MapRequest.Propose(command), timeout)
        .thenApply(answer -> ((MapAnswer.Result) answer).result());
  }

  /** Renews a lease, with retries while a renewal may be useful. */
  public CompletableFuture<RenewalAnswer> renew(MapCommand.Renewal renewal, Duration timeout) {
    long attempt = Math.min(ATTEMPT_NANOS, timeout.toNanos() / ATTEMPTS_PER_RENEWAL);
    return toLeader(new MapRequest.Renew(renewal), timeout, attempt)
        .thenApply(
            answer -> ((MapResult.Renewed) ((MapAnswer.Result) answer).result()).answers().get(0));
  }

  /** Reports that a supervisor saw this process end. */
  public CompletableFuture<Void> reportExit(int node, long incarnation, Duration timeout) {
    return toLeader(new MapRequest.ReportExit(node, incarnation), timeout).thenAccept(any -> {});
  }

  /** Reports that this node cannot reach another; to be repeated every second while that is so. */
  public CompletableFuture<Void> reportUnreachable(
      int reporter, int reporterEpoch, int target, int targetEpoch) {
    return toLeader(
            new MapRequest.ReportUnreachable(reporter, reporterEpoch, target, targetEpoch),
            Duration.ofNanos(ATTEMPT_NANOS))
        .thenAccept(any -> {});
  }

  /** The leader's map and its view of the leases. */
  public CompletableFuture<MapAnswer.Status> status(Duration timeout) {
    return toLeader(new MapRequest.Status(), timeout)
        .thenApply(answer -> (MapAnswer.Status) answer);
  }

  private CompletableFuture<MapAnswer> toLeader(MapRequest request, Duration timeout) {
    return toLeader(request, timeout, ATTEMPT_NANOS);
  }

  private CompletableFuture<MapAnswer> toLeader(
      MapRequest request, Duration timeout, long attemptNanos) {
    Question question =
        new Question(
            request,
            Environment.nanoTime() + timeout.toNanos(),
            attemptNanos,
            new CompletableFuture<>(),
            ConcurrentHashMap.newKeySet(),
            new AtomicReference<>());
    attempt(question, likelyLeader, 0);
    return question.answer;
  }

  /**
   * A request to the leader.
   *
   * @param attemptNanos how long one storage node may take to answer
   * @param silent storage nodes that have not answered: others may still believe that one of them
   *     leads
   * @param lastFailure why the last one has not
   */
  private record Question(
      MapRequest request,
      long deadline,
      long attemptNanos,
      CompletableFuture<MapAnswer> answer,
      Set<Integer> silent,
      AtomicReference<Throwable> lastFailure) {}

  private void attempt(Question question, int preferred, int attempt) {
    CompletableFuture<MapAnswer> to = question.answer;
    long left = question.deadline - Environment.nanoTime();
    if (closed || left <= 0) {
      to.completeExceptionally(
          new GaussException(
              SqlState.CANNOT_CONNECT_NOW,
              closed
                  ? "the cluster map's client is closed"
                  : "no leader of the cluster map answers",
              question.lastFailure.get()));
      return;
    }
    MapConnection connection = choose(preferred, attempt);
    ask(connection, question.request, Math.min(left, question.attemptNanos))
        .whenComplete(
            (answer, failure) -> {
              if (failure != null && isAnswer(failure)) {
                to.completeExceptionally(failure);
              } else if (failure != null) {
                LOG.debug("storage node {} does not answer", connection.node(), failure);
                question.silent.add(connection.node());
                question.lastFailure.set(failure);
                int next = after(connection);
                if (likelyLeader == connection.node()) {
                  likelyLeader = next; // saves other requests the search
                }
                later(() -> attempt(question, next, attempt + 1));
              } else if (answer instanceof MapAnswer.NotLeader other) {
                boolean told =
                    other.leader() != 0
                        && other.leader() != connection.node()
                        && !question.silent.contains(other.leader());
                if (told && attempt == 0) {
                  attempt(question, other.leader(), attempt + 1);
                } else {
                  int next = told ? other.leader() : after(connection);
                  later(() -> attempt(question, next, attempt + 1));
                }
              } else {
                likelyLeader = connection.node();
                if (answer instanceof MapAnswer.Result result && result.version() > map.version()) {
                  fetch(connection);
                }
                to.complete(answer);
              }
            });
  }

  /** The node after this one in the list, cyclically. */
  private int after(MapConnection connection) {
    List<MapConnection> all = connections;
    return all.get((all.indexOf(connection) + 1) % all.size()).node();
  }

  private MapConnection choose(int preferred, int attempt) {
    List<MapConnection> all = connections;
    for (MapConnection connection : all) {
      if (connection.node() == preferred) {
        return connection;
      }
    }
    return all.get(attempt % all.size());
  }

  private static CompletableFuture<MapAnswer> ask(
      MapConnection connection, MapRequest request, long timeoutNanos) {
    try {
      return Later.failAfter(
          connection.request(request, timeoutNanos), timeoutNanos, TimeUnit.NANOSECONDS);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * True for an error that another storage node would return as well. Errors of connections,
   * resources, startup and shutdown, disks, and internal errors concern one node only.
   */
  private static boolean isAnswer(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof GaussException e
        && !OF_ONE_NODE.contains(e.state().code().substring(0, 2));
  }

  /**
   * Runs an action later on this client's own thread, unless this is closed. The JVM's common pool
   * has one thread on a small machine, which other code may block.
   */
  void after(long millis, Runnable action) {
    try {
      timer.schedule(action, millis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("closed: {}", e.getMessage());
    }
  }

  private void later(Runnable action) {
    try {
      timer.schedule(action, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("closed: {}", e.getMessage());
      action.run(); // finds that this is closed
    }
  }

  /**
   * On the client's own thread: listeners may propose, and must not block the thread that delivers
   * maps.
   */
  private void soon(Runnable action) {
    try {
      timer.execute(action);
    } catch (RejectedExecutionException e) {
      LOG.debug("closed: {}", e.getMessage());
    }
  }

  @Override
  public void close() {
    closed = true;
    // Scheduled actions still run, and notice that this is closed.
    timer.shutdown();
  }
}
