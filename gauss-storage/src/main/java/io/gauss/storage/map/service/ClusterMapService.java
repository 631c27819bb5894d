package io.gauss.storage.map.service;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.runtime.Environment;
import io.gauss.storage.map.BucketPlanner;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.codec.MapCommandCodec;
import io.gauss.storage.map.codec.MapResultCodec;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.map.message.MapAnswer;
import io.gauss.storage.map.message.MapRequest;
import io.gauss.storage.map.service.ReplicatedLog.Proposed;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cluster map on a storage node: answers nodes and tools, and does the leader's duties while
 * this node leads. Thread-safe; {@link #handle} does not block.
 *
 * <p>Threads: {@code gauss-map} runs {@link #look} every 50 ms; the completions of proposals run on
 * threads of the log.
 */
public final class ClusterMapService implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterMapService.class);
  private static final long LOOK_NANOS = 50_000_000L;

  /** After a longer time between two calls, the process or the machine must have been paused. */
  private static final long USUAL_NANOS = 4 * LOOK_NANOS;

  private static final int MAX_WAIT_MILLIS = 60_000;

  private final ClusterMapState state;
  private final ReplicatedLog log;
  private final LongSupplier nanoTime;
  private final LeaderDuties duties;
  private final RenewalBatch renewals;
  private final MapWatchers watchers = new MapWatchers();
  private final Periods periods = new Periods();
  private final ScheduledExecutorService timer;
  private volatile boolean started;

  public ClusterMapService(
      ClusterMapState state,
      ReplicatedLog log,
      StreamSealer sealer,
      Prober prober,
      LongSupplier nanoTime) {
    this.state = state;
    this.log = log;
    this.nanoTime = nanoTime;
    this.duties = new LeaderDuties(state, log, sealer, prober);
    this.renewals = new RenewalBatch(log, () -> state.map().version(), periods);
    this.timer = Environment.scheduler("gauss-map");
    state.addListener(this::changed);
  }

  private final class Periods implements RenewalBatch.Periods {
    @Override
    public long nowNanos() {
      return nanoTime.getAsLong();
    }

    @Override
    public long lengthNanos() {
      return TimeUnit.MILLISECONDS.toNanos(
          state.map().settings().get(ClusterSetting.LEASE_RENEWAL));
    }

    @Override
    public boolean later(Runnable task, long nanos) {
      try {
        timer.schedule(task, nanos, TimeUnit.NANOSECONDS);
        return true;
      } catch (RejectedExecutionException e) {
        LOG.debug("closed: {}", e.getMessage());
        return false;
      }
    }
  }

  /** Starts the periodic {@link #look}. */
  public void start() {
    started = true;
    periods.later(this::lookOn, 0);
  }

  /** Only the leader has duties. Others look whether they lead, and who has waited long enough. */
  private void lookOn() {
    lookSafely();
    periods.later(this::lookOn, log.leads() ? LOOK_NANOS : USUAL_NANOS);
  }

  private void lookSafely() {
    try {
      look();
    } catch (RuntimeException e) {
      LOG.error("the cluster map's leader could not do its duties", e);
    }
  }

  /** Performs the duties that are due. */
  void look() {
    long now = nanoTime.getAsLong();
    duties.look(now, USUAL_NANOS);
    watchers.tell(state.map(), now);
  }

  private void changed(ClusterMap map) {
    long now = nanoTime.getAsLong();
    duties.observe(map, now);
    watchers.tell(map, now);
    if (started && log.leads() && !BucketPlanner.next(map).isEmpty()) {
      lookSoon(); // a batch of buckets moves as soon as the one before has moved
    }
  }

  private void lookSoon() {
    try {
      timer.execute(this::lookSafely);
    } catch (RejectedExecutionException e) {
      LOG.debug("closed: {}", e.getMessage());
    }
  }

  /** The connection to this node broke: probe it at once. To be called for every such event. */
  void connectionLost(int node) {
    // This node's connections to itself, made for probing, end as well.
    if (log.leads() && log.leader().orElse(0) != node) {
      duties.probe(state.map(), node);
    }
  }

  /**
   * A node that was not heard from in time is about to be declared dead, and one whose lease is
   * shorter than those of nodes that join now cannot wait as long as they.
   */
  private CompletableFuture<MapAnswer> renew(MapCommand.Renewal renewal) {
    MapNode node = state.map().nodes().get(renewal.node());
    boolean isUrgent = node == null || node.state() == NodeState.SUSPECT || !node.holdsLease();
    long most = isUrgent ? 0 : node.lease().durationMillis() / RenewalBatch.LEASE_PART;
    return renewals.add(renewal, TimeUnit.MILLISECONDS.toNanos(most));
  }

  /** Serves a request. The future completes exceptionally only for refused commands (22023). */
  CompletableFuture<MapAnswer> handle(MapRequest request) {
    return switch (request) {
      case MapRequest.Watch r -> watch(r);
      case MapRequest.Propose r -> propose(r.command());
      case MapRequest.Renew r -> log.leads() ? renew(r.renewal()) : notLeader();
      case MapRequest.ReportExit r -> {
        duties.exited(r.node(), r.incarnation());
        yield noted();
      }
      case MapRequest.ReportUnreachable r -> {
        duties.unreachable(r, nanoTime.getAsLong());
        yield noted();
      }
      case MapRequest.WhoAreYou r ->
          CompletableFuture.failedFuture(
              new GaussException(
                  SqlState.PROTOCOL_VIOLATION, "a node's incarnation is asked by another message"));
      case MapRequest.Snapshot r ->
          CompletableFuture.completedFuture(new MapAnswer.Snapshot(log.snapshot()));
      case MapRequest.Status r ->
          log.leads()
              ? CompletableFuture.completedFuture(
                  new MapAnswer.Status(
                      state.map(),
                      log.leader().orElse(0),
                      duties.leaseMillis(nanoTime.getAsLong())))
              : notLeader();
    };
  }

  private CompletableFuture<MapAnswer> watch(MapRequest.Watch request) {
    int wait = Math.clamp(request.waitMillis(), 0, MAX_WAIT_MILLIS);
    long now = nanoTime.getAsLong();
    CompletableFuture<MapAnswer> answer = watchers.add(request.version(), now + wait * 1_000_000L);
    // After the watch was added, so that no change in between is missed.
    watchers.tell(state.map(), now);
    return answer;
  }

  private CompletableFuture<MapAnswer> noted() {
    return log.leads() ? CompletableFuture.completedFuture(new MapAnswer.Noted()) : notLeader();
  }

  private CompletableFuture<MapAnswer> notLeader() {
    return CompletableFuture.completedFuture(new MapAnswer.NotLeader(log.leader().orElse(0)));
  }

  private CompletableFuture<MapAnswer> propose(MapCommand command) {
    if (leadersOwn(command)) {
      return CompletableFuture.failedFuture(
          new GaussException(
              SqlState.INVALID_PARAMETER_VALUE,
              "only the leader of the cluster map proposes " + command.getClass().getSimpleName()));
    }
    if (!log.leads()) {
      return notLeader();
    }
    return log.propose(MapCommandCodec.encode(command))
        .thenApply(outcome -> answer(command, outcome));
  }

  private MapAnswer answer(MapCommand command, Proposed outcome) {
    if (!(outcome instanceof Proposed.Applied applied)) {
      return new MapAnswer.NotLeader(log.leader().orElse(0));
    }
    MapResult result = MapResultCodec.decode(applied.result());
    if (command instanceof MapCommand.Register register
        && result instanceof MapResult.Refused refused
        && refused.why() == MapResult.Refusal.NOT_YET) {
      // The node may have been restarted; then there is no need to wait for its last process.
      duties.probeForSuccessor(state.map(), register.node(), nanoTime.getAsLong());
    }
    return new MapAnswer.Result(result, state.map().version());
  }

  /**
   * True for commands that only {@link LeaderDuties} may propose, since no node acts on its own
   * view of another (rule 9).
   */
  private static boolean leadersOwn(MapCommand command) {
    return command instanceof MapCommand.ExpireLease
        || command instanceof MapCommand.DeclareExited
        || command instanceof MapCommand.Suspect
        || command instanceof MapCommand.Evict
        || command instanceof MapCommand.StreamSealed
        || command instanceof MapCommand.RenewLeases;
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
