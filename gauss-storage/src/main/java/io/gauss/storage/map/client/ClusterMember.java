package io.gauss.storage.map.client;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.runtime.Environment;
import io.gauss.common.runtime.InOrder;
import io.gauss.common.transport.Handlers;
import io.gauss.storage.map.api.BucketMap.Rebuild;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.Join;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.codec.MapMessageCodec;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.map.command.MapResult.Refusal;
import io.gauss.storage.map.command.MapResult.Registered;
import io.gauss.storage.map.message.MapAnswer;
import io.gauss.storage.map.message.MapMessages;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process as a member of the cluster, for one epoch: registers, holds the lease, takes part in
 * the joins and deaths of others, and finishes its own join.
 *
 * <p>The process listens at its PEER address, with {@link #register(Handlers)}, before it joins,
 * and closes that port only after it has stopped serving: a refused port counts as proof of its
 * end. A process that lost its epoch creates a new member. Thread-safe; hooks are called on threads
 * of the map's client and must not block.
 */
public final class ClusterMember implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterMember.class);
  private static final Duration PROPOSAL = Duration.ofSeconds(10);
  private static final long AGAIN_MILLIS = 100;

  /** The node's reactions to changes of the cluster. */
  public interface Hooks {
    /**
     * The cluster has registered the node, which does not serve yet. Called once, before all other
     * hooks.
     *
     * @param slot LSN node number and stream slot of a compute node, 0 for others
     */
    default void registered(int slot, int epoch) {}

    /** The node's clock (LSN). */
    long clock();

    /** Raises the node's clock at least to this LSN. */
    void raiseClock(long lsn);

    /** From the return of this call on, every broadcast is also sent to this node. */
    void installReceiver(MapNode joining);

    /**
     * Installs a death and drops everything that came from that epoch; completes when that is done.
     * Called for each death until it has succeeded once.
     */
    CompletableFuture<Void> installDeath(Death death);

    /**
     * Reports to the new homes of lost buckets which of their pages and locks this node has, and
     * accepts no further orders of the old homes (rule 16); completes when they have the report. A
     * node that has nothing need not do anything. Called on compute nodes, for each rebuild until
     * it has succeeded once.
     */
    default CompletableFuture<Void> reportTo(Rebuild rebuild, ClusterMap map) {
      return CompletableFuture.completedFuture(null);
    }

    /** The node must stop serving at once: its epoch is over. Called once. */
    void epochLost(String why);
  }

  /**
   * The identity of a node that wants to join.
   *
   * @param node its number, 0 = to be assigned
   */
  public record Identity(int node, Set<Role> roles, String zone) {
    public Identity {
      roles = InOrder.copyOf(roles);
    }
  }

  private final ClusterMapClient client;
  private final Identity identity;
  private final Hooks hooks;
  private final LongSupplier nanoTime;
  private final long incarnation = Environment.random().nextLong(1, Long.MAX_VALUE);
  private final CompletableFuture<ClusterMap> joined = new CompletableFuture<>();
  private final Consumer<ClusterMap> listener = this::react;

  private volatile Long firstSent;
  private volatile List<Endpoint> reachableAt = List.of();
  private volatile Registered registered;
  private volatile LeaseHolder lease;
  private volatile boolean over;

  // Guarded by this.
  private final Set<Integer> acknowledgedJoins = new HashSet<>();
  private final Set<Integer> installedDeaths = new HashSet<>();
  private final Set<Integer> acknowledging = new HashSet<>();
  private final Set<Integer> toldInstalled = new HashSet<>();
  private final Set<Integer> toldRaised = new HashSet<>();
  private final Set<Long> reported = new HashSet<>();
  private boolean finishing;

  /**
   * A member that has not registered yet.
   *
   * @param client follows the map
   */
  public ClusterMember(
      ClusterMapClient client, Identity identity, Hooks hooks, LongSupplier nanoTime) {
    this.client = client;
    this.identity = identity;
    this.hooks = hooks;
    this.nanoTime = nanoTime;
  }

  /** Answers queries for this node's incarnation; to be registered before the transport listens. */
  public void register(Handlers handlers) {
    handlers.on(
        MapMessages.NODE_INCARNATION,
        request ->
            request.reply(
                Unpooled.wrappedBuffer(
                    MapMessageCodec.encode(new MapAnswer.Incarnation(incarnation)))));
  }

  /**
   * Joins the cluster, at addresses where this process already listens. Completes with a map in
   * which this node serves: its receivers are those of that map. Fails with 55000 when the cluster
   * refuses the node. While no leader of the map answers, it retries until this is closed.
   */
  public CompletableFuture<ClusterMap> join(List<Endpoint> endpoints) {
    reachableAt = List.copyOf(endpoints);
    client.watch();
    client
        .await(ClusterMap::isInitialised)
        .whenComplete(
            (map, failure) -> {
              if (failure == null) {
                propose(map);
              } else {
                joined.completeExceptionally(failure);
              }
            });
    return joined;
  }

  private void propose(ClusterMap map) {
    if (over) {
      return;
    }
    int follows = map.node(identity.node()).map(MapNode::epoch).orElse(0);
    MapCommand command =
        new MapCommand.Register(
            map.cluster(),
            identity.node(),
            follows,
            identity.roles(),
            identity.zone(),
            reachableAt,
            incarnation,
            1,
            ClusterMap.FORMAT_VERSION);
    // An earlier attempt whose answer was lost may have registered the same incarnation: the lease
    // has to count from the first attempt.
    if (firstSent == null) {
      firstSent = nanoTime.getAsLong();
    }
    long sent = firstSent;
    client
        .propose(command, PROPOSAL)
        .whenComplete(
            (result, failure) -> {
              if (failure != null && isNobodyThere(failure)) {
                LOG.debug("not registered yet", failure);
                again(() -> propose(client.map()));
              } else if (failure != null) {
                joined.completeExceptionally(failure);
              } else if (result instanceof Registered answer) {
                begin(answer, map, sent);
              } else {
                refused((MapResult.Refused) result);
              }
            });
  }

  private static boolean isNobodyThere(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof GaussException e && e.state() == SqlState.CANNOT_CONNECT_NOW;
  }

  private void refused(MapResult.Refused refused) {
    if (refused.why() == Refusal.NOT_YET || refused.why() == Refusal.WRONG_EPOCH) {
      LOG.debug("not registered yet: {}", refused.message());
      again(() -> propose(client.map()));
      return;
    }
    joined.completeExceptionally(
        new GaussException(
            SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
            "the cluster refuses this node: " + refused.message()));
  }

  private void again(Runnable action) {
    client.after(AGAIN_MILLIS, action);
  }

  private void begin(Registered answer, ClusterMap map, long sent) {
    LOG.info(
        "registered as node {} with epoch {}{}",
        answer.node(),
        answer.epoch(),
        answer.slot() == 0 ? "" : ", slot " + answer.slot());
    hooks.registered(answer.slot(), answer.epoch());
    registered = answer;
    if (answer.leaseMillis() > 0) {
      long interval =
          Math.min(map.settings().get(ClusterSetting.LEASE_RENEWAL), answer.leaseMillis() / 3);
      Duration useful = Duration.ofMillis(answer.leaseMillis());
      LeaseHolder holder =
          new LeaseHolder(
              TimeUnit.MILLISECONDS.toNanos(answer.leaseMillis()),
              TimeUnit.MILLISECONDS.toNanos(interval),
              sent,
              nanoTime,
              number ->
                  client.renew(
                      new MapCommand.Renewal(answer.node(), answer.epoch(), number), useful),
              this::lost);
      lease = holder;
      holder.start("gauss-lease-" + answer.node());
    }
    client.addListener(listener);
  }

  private void lost(String why) {
    synchronized (this) {
      if (over) {
        return;
      }
      over = true;
    }
    LOG.warn("epoch {} of node {} is over: {}", epoch(), node(), why);
    client.removeListener(listener);
    hooks.epochLost(why);
    joined.completeExceptionally(
        new GaussException(SqlState.ADMIN_SHUTDOWN, "this node's epoch is over: " + why));
  }

  /** This node's number; 0 before it is registered. */
  public int node() {
    Registered answer = registered;
    return answer == null ? 0 : answer.node();
  }

  /** This node's epoch; 0 before it is registered and when the epoch is over. */
  public int epoch() {
    Registered answer = registered;
    return answer == null || over ? MapEpochGuard.UNREGISTERED : answer.epoch();
  }

  /** LSN node number and stream slot of a compute node; 0 for others and before registration. */
  public int slot() {
    Registered answer = registered;
    return answer == null ? 0 : answer.slot();
  }

  /** True while this node may answer and serve; always for a node without a lease. */
  public boolean isValid() {
    LeaseHolder holder = lease;
    return !over && registered != null && (holder == null || holder.isValid());
  }

  // ---- changes of other nodes

  private void react(ClusterMap map) {
    Registered self = registered;
    if (over || map.version() == 0 || !map.nodes().containsKey(self.node())) {
      return;
    }
    if (map.isDead(self.node(), self.epoch())) {
      LeaseHolder holder = lease;
      if (holder != null) {
        holder.revoke("the cluster map has declared this epoch dead");
      } else {
        lost("another process has taken this node's place");
      }
      return;
    }
    if (map.nodes().get(self.node()).epoch() != self.epoch()) {
      return; // a map from before the registration
    }
    for (Join join : map.joins().values()) {
      if (join.pending().contains(self.node())) {
        acknowledgeJoin(self, map, join);
      }
    }
    for (Death death : map.deaths().values()) {
      acknowledgeDeath(self, map, death);
    }
    for (Rebuild rebuild : map.buckets().rebuilds().values()) {
      if (rebuild.pending().contains(self.node())) {
        acknowledgeRebuild(self, map, rebuild);
      }
    }
    finishJoin(self, map);
  }

  private void acknowledgeRebuild(Registered self, ClusterMap map, Rebuild rebuild) {
    synchronized (this) {
      if (!reported.add(rebuild.number())) {
        return;
      }
    }
    CompletableFuture<Void> told;
    try {
      told = hooks.reportTo(rebuild, map);
    } catch (RuntimeException e) {
      told = CompletableFuture.failedFuture(e);
    }
    told.thenCompose(
            done ->
                client.propose(
                    new MapCommand.AcknowledgeRebuild(self.node(), self.epoch(), rebuild.number()),
                    PROPOSAL))
        .whenComplete(
            (result, failure) -> {
              if (failure != null) {
                LOG.warn(
                    "rebuild {} of buckets is not acknowledged yet", rebuild.number(), failure);
                synchronized (this) {
                  reported.remove(rebuild.number());
                }
                again(() -> react(client.map()));
              }
            });
  }

  private void acknowledgeJoin(Registered self, ClusterMap map, Join join) {
    synchronized (this) {
      if (!acknowledgedJoins.add(join.epoch())) {
        return;
      }
    }
    try {
      hooks.installReceiver(map.nodes().get(join.node()));
    } catch (RuntimeException e) {
      LOG.error("node {} cannot be made a receiver of broadcasts", join.node(), e);
      joinLater(join);
      return;
    }
    // The clock is read after that: commits that were not sent to the receiver are at or below it.
    long clock = hooks.clock();
    client
        .propose(
            new MapCommand.AcknowledgeJoin(self.node(), self.epoch(), join.epoch(), clock),
            PROPOSAL)
        .whenComplete(
            (result, failure) -> {
              if (failure != null) {
                LOG.warn("join of node {} is not acknowledged yet", join.node(), failure);
                joinLater(join);
              }
            });
  }

  private void joinLater(Join join) {
    synchronized (this) {
      acknowledgedJoins.remove(join.epoch());
    }
    again(() -> react(client.map()));
  }

  private void acknowledgeDeath(Registered self, ClusterMap map, Death death) {
    boolean isSealed = map.isSealed(death);
    boolean first;
    synchronized (this) {
      // This map may not contain earlier acknowledgements yet.
      boolean install =
          death.installPending().contains(self.node()) && !toldInstalled.contains(death.epoch());
      boolean raise =
          isSealed
              && death.raisePending().contains(self.node())
              && !toldRaised.contains(death.epoch());
      if (!(install || raise) || !acknowledging.add(death.epoch())) {
        return;
      }
      first = installedDeaths.add(death.epoch());
    }
    CompletableFuture<Void> installed =
        first ? install(death) : CompletableFuture.completedFuture(null);
    installed
        .thenCompose(
            done -> {
              if (isSealed && death.hasStream()) {
                hooks.raiseClock(map.streams().get(death.epoch()).lastLsn());
              }
              return client.propose(
                  new MapCommand.AcknowledgeDeath(
                      self.node(), self.epoch(), death.epoch(), hooks.clock()),
                  PROPOSAL);
            })
        .whenComplete(
            (result, failure) -> {
              synchronized (this) {
                acknowledging.remove(death.epoch());
                if (failure == null) {
                  toldInstalled.add(death.epoch());
                }
                if (failure == null && isSealed) {
                  toldRaised.add(death.epoch());
                }
              }
              if (failure != null) {
                LOG.warn("death of node {} is not acknowledged yet", death.node(), failure);
                again(() -> react(client.map()));
              } else {
                // The stream may have been sealed meanwhile.
                react(client.map());
              }
            });
  }

  private CompletableFuture<Void> install(Death death) {
    CompletableFuture<Void> installed;
    try {
      installed = hooks.installDeath(death);
    } catch (RuntimeException e) {
      installed = CompletableFuture.failedFuture(e);
    }
    return installed.whenComplete(
        (done, failure) -> {
          if (failure != null) {
            synchronized (this) {
              installedDeaths.remove(death.epoch());
            }
          }
        });
  }

  // ---- the own join

  private void finishJoin(Registered self, ClusterMap map) {
    Join join = map.joins().get(self.epoch());
    if (join == null) {
      if (map.nodes().get(self.node()).state().isServing()) {
        joined.complete(map);
      }
      return;
    }
    boolean computes = self.slot() != 0;
    if (computes && !(join.pending().isEmpty() && map.deadStreamsAreSealed())) {
      return;
    }
    synchronized (this) {
      if (finishing) {
        return;
      }
      finishing = true;
    }
    if (computes) {
      hooks.raiseClock(map.clockToServe(join));
    }
    client
        .propose(new MapCommand.FinishJoin(self.node(), self.epoch(), hooks.clock()), PROPOSAL)
        .whenComplete(
            (result, failure) -> {
              synchronized (this) {
                finishing = false;
              }
              if (failure != null || result instanceof MapResult.Refused) {
                LOG.debug("the join is not finished yet: {}", result, failure);
                again(() -> react(client.map()));
              }
            });
  }

  // ---- clients

  /**
   * Says where clients reach this node, which has joined and whose port for them is open. While no
   * leader of the map answers it continues trying, until this is closed or its epoch is over;
   * completes when the cluster knows, and not at all when it is never to know.
   */
  public CompletableFuture<Void> openToClients(Endpoint at) {
    CompletableFuture<Void> known = new CompletableFuture<>();
    tellOpen(at, known);
    return known;
  }

  private void tellOpen(Endpoint at, CompletableFuture<Void> known) {
    Registered self = registered;
    if (over || self == null) {
      return;
    }
    client
        .propose(new MapCommand.OpenToClients(self.node(), self.epoch(), at), PROPOSAL)
        .whenComplete(
            (result, failure) -> {
              if (failure == null && result instanceof MapResult.Refused refused) {
                LOG.warn("clients are not sent to {}: {}", at, refused.message());
              } else if (failure == null) {
                known.complete(null);
              } else {
                LOG.debug("the cluster does not know yet that clients can connect", failure);
                again(() -> tellOpen(at, known));
              }
            });
  }

  /**
   * Reports that this node has stopped serving for good; then its epoch is over. The lease is given
   * up first.
   */
  public CompletableFuture<Void> leave() {
    Registered self = registered;
    close();
    return self == null
        ? CompletableFuture.completedFuture(null)
        : client
            .propose(new MapCommand.Leave(self.node(), self.epoch()), PROPOSAL)
            .thenAccept(result -> LOG.info("node {} has left: {}", self.node(), result));
  }

  /** Gives up the lease on this side only; the cluster is not informed. */
  @Override
  public void close() {
    over = true;
    client.removeListener(listener);
    LeaseHolder holder = lease;
    if (holder != null) {
      holder.close();
    }
  }
}
