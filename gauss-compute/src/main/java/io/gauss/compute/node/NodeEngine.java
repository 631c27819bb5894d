package io.gauss.compute.node;

import io.gauss.common.config.NodeSettingTable;
import io.gauss.common.id.LamportClock;
import io.gauss.common.task.CloseStack;
import io.gauss.compute.buffer.RightRetention;
import io.gauss.compute.catalog.Catalog;
import io.gauss.compute.cluster.clock.ClockMeters;
import io.gauss.compute.cluster.clock.CommitBroadcast;
import io.gauss.compute.cluster.memory.AppliedAnnouncer;
import io.gauss.compute.cluster.memory.StorageFetch;
import io.gauss.compute.ddl.CatalogLoader;
import io.gauss.compute.engine.Engine;
import io.gauss.compute.engine.EngineSettings;
import io.gauss.compute.log.LogSettings;
import io.gauss.compute.notify.Notifications;
import io.gauss.compute.peer.PeerNodes;
import io.gauss.compute.pgwire.AnswerGate;
import io.gauss.compute.routing.RoutingExchange;
import io.gauss.compute.session.ClusterSessions;
import io.gauss.compute.sql.state.NodeState;
import io.gauss.compute.txn.Transactions;
import io.gauss.storage.disk.DataDirectory;
import io.gauss.storage.raft.stream.ClientSettings;
import io.gauss.storage.remote.RemotePages;
import io.gauss.storage.remote.RemoteStorage;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * A node's engine over the storage tier that its settings name.
 *
 * @param membership the node's place in its cluster; null for a single node that keeps log and
 *     pages itself
 * @param memory where its pages come from; null when it owns all of them
 */
record NodeEngine(Engine engine, Membership membership, MemoryTier memory) {
  private static final int ALONE = 1;

  /** Shorter than it takes to write a quarter of a memory node's page directory. */
  private static final Duration APPLIED_INTERVAL = Duration.ofMillis(250);

  /**
   * Joins the cluster, if the settings name one, and opens the engine.
   *
   * @param opened gets the resources to close
   */
  static NodeEngine open(
      NodeSettings settings,
      MeterRegistry registry,
      Membership.Transports transports,
      CloseStack opened) {
    if (settings.storageNodes().isEmpty()) {
      Engine engine =
          Engine.openLocal(
              settings.data(), engineSettings(settings, ALONE, LogSettings.defaults()));
      return new NodeEngine(opened.add(engine), null, null);
    }
    opened.add(DataDirectory.take(settings.data()));
    LamportClock clock = LamportClock.unnumbered();
    Membership membership = opened.add(Membership.join(settings, clock, registry, transports));
    RemoteStorage storage = opened.add(connect(settings, membership));
    EngineSettings engineSettings =
        engineSettings(settings, membership.slot(), LogSettings.defaults().sentByWaiters());
    if (!MemoryTier.isPartOf(membership.cluster().map())) {
      membership.refuseHomes();
      Engine engine = opened.add(Engine.open(engineSettings, clock, storage));
      engine.health().add(membership::problems);
      return new NodeEngine(engine, membership, null);
    }
    MemoryTier memory =
        opened.add(
            new MemoryTier(
                membership,
                new StorageFetch(storage, membership.cluster()::map),
                settings.get(NodeSettingTable.STORAGE_TIMEOUT)));
    // Closing it also closes the storage; after that the pages end, which are no longer used.
    Engine engine = opened.add(Engine.open(engineSettings, clock, storage, memory));
    engine
        .tasks()
        .every(
            "applied",
            APPLIED_INTERVAL,
            new AppliedAnnouncer(
                membership.memory(), storage, engine.log(), membership.cluster()::map));
    engine.health().add(memory::problems);
    engine.health().add(membership::problems);
    return new NodeEngine(engine, membership, memory);
  }

  private static EngineSettings engineSettings(NodeSettings settings, int node, LogSettings log) {
    EngineSettings defaults = EngineSettings.ofPoolBytes(settings.get(NodeSettingTable.POOL_SIZE));
    return new EngineSettings(
        node,
        defaults.pool().keeping(rightsKept(settings)),
        log.withStallTimeout(settings.get(NodeSettingTable.STORAGE_TIMEOUT)),
        settings.get(NodeSettingTable.CHECKPOINT_BYTES),
        settings.get(NodeSettingTable.CHECKPOINT_SECONDS),
        defaults.applyLagBytes(),
        settings.get(NodeSettingTable.COMPUTE_REDO_MEMORY),
        settings.get(NodeSettingTable.PAGES_WRITE_RATE));
  }

  private static RightRetention rightsKept(NodeSettings settings) {
    return switch (settings.get(NodeSettingTable.PAGES_RIGHTS)) {
      case UNTIL_WANTED -> RightRetention.UNTIL_WANTED;
      case ALONE -> RightRetention.ALONE;
      case PER_TRANSACTION -> RightRetention.PER_TRANSACTION;
    };
  }

  private static RemoteStorage connect(NodeSettings settings, Membership membership) {
    return RemoteStorage.connect(
        membership.slot(),
        membership.epoch(),
        membership.cluster(),
        membership.transport(),
        ClientSettings.defaults(),
        RemotePages.Settings.DEFAULTS.withTimeout(settings.get(NodeSettingTable.STORAGE_TIMEOUT)));
  }

  /** Before the first transaction: commits and snapshots depend on the other compute nodes. */
  void join(Transactions transactions, MeterRegistry registry) {
    if (membership == null) {
      return;
    }
    CommitBroadcast broadcast = membership.broadcast();
    transactions.snapshotGate(membership.snapshotLease());
    transactions.horizon().others(broadcast::othersBound);
    broadcast.attach(engine.log()::advanced, transactions.horizon()::localBound);
    engine.log().advance(broadcast);
    new ClockMeters(broadcast).bindTo(registry);
    if (memory != null) {
      transactions.leases(memory.locks());
      new MemoryTierMeters(memory).bindTo(registry);
      new TransferMeters(engine.pool().transfers()).bindTo(registry);
    }
  }

  /**
   * Shares the catalog with the other compute nodes, if there are any.
   *
   * @param loader loads the changes of others
   */
  void share(Catalog catalog, CatalogLoader loader) {
    if (membership != null) {
      SharedCatalog.share(catalog, membership.broadcast(), loader, engine.newContext());
    }
  }

  /** Whether there may be other compute nodes. */
  boolean isInCluster() {
    return membership != null;
  }

  /** The other compute nodes. */
  PeerNodes peers() {
    return membership == null ? PeerNodes.NONE : membership.peers();
  }

  /**
   * Notifications between the sessions of all nodes.
   *
   * @param queueBytes of a node without a cluster
   */
  Notifications notifications(long queueBytes) {
    return membership == null
        ? new Notifications(PeerNodes.NONE, engine.clock()::now, queueBytes)
        : membership.notifications();
  }

  /** All nodes of the cluster, given this node's own entry. */
  List<NodeState.Node> nodes(NodeState.Node self) {
    return membership == null ? List.of(self) : ClusterNodes.of(membership.cluster().map(), self);
  }

  /** By slot, the numbers of the compute nodes that were not asked to leave: {@link Departures}. */
  Map<Integer, Integer> notLeft() {
    return membership == null ? Map.of() : membership.notLeft();
  }

  /** How long the cluster takes at most to find out that a node is dead, ns; 0 = there is none. */
  long deathNanos() {
    return membership == null ? 0 : ClusterNodes.deathNanos(membership.cluster().map().settings());
  }

  /**
   * Whether the node that was last in a slot is dead, and not all of its transactions are rolled
   * back yet, so that they may have locks.
   */
  boolean isUnrecovered(int slot) {
    return membership != null
        && membership.cluster().map().deaths().values().stream()
            .anyMatch(death -> death.slot() == slot);
  }

  /** Slot of the node that runs the deadlock detector and learns routing. */
  int deadlockHost() {
    return membership == null ? ALONE : membership.deadlockHost();
  }

  /**
   * Before undo segments are read: another node may hold those of this node's earlier lives for a
   * time.
   */
  void awaitOwnSlot() {
    if (membership != null) {
      membership.awaitOwnSlot();
    }
  }

  /** Undo segments are read: others may ask about this node's transactions. */
  void answer(Transactions transactions) {
    if (membership != null) {
      membership.answer(transactions);
    }
  }

  /** Others may ask about this node's sessions. */
  void answer(ClusterSessions sessions) {
    if (membership != null) {
      sessions.register(membership.handlers());
    }
  }

  /** Others may send their samples to this node. */
  void answer(RoutingExchange routing) {
    if (membership != null) {
      routing.register(membership.handlers());
    }
  }

  /** Whether no other compute node serves, as far as this node knows. */
  boolean isOnlyComputeNode() {
    return membership == null || membership.isOnlyComputeNode();
  }

  /**
   * Undo segments are read and answered for: those of nodes that are gone may be recovered next.
   */
  void recover(Transactions transactions) {
    if (membership != null) {
      membership.recover(transactions, engine::newContext);
    }
  }

  /**
   * The node serves.
   *
   * @param leftovers removes what other nodes have left
   */
  void serves(Leftovers leftovers) {
    if (membership != null) {
      membership.serves(leftovers);
    }
  }

  /** Clients can connect here: the cluster sends them there from now on. */
  void openToClients(ClientAddress at) {
    if (membership != null) {
      membership.openToClients(at);
    }
  }

  /** Ends background work for other nodes, before transactions end. */
  void stopServingOthers() {
    if (membership != null) {
      membership.stopRecovering();
    }
  }

  /** Completes when the cluster asks the node to leave. */
  CompletableFuture<Void> draining() {
    return membership == null ? new CompletableFuture<>() : membership.draining();
  }

  /** Completes with the reason when the cluster has given the node up. */
  CompletableFuture<String> lost() {
    return membership == null ? new CompletableFuture<>() : membership.ended();
  }

  /**
   * Whether the node may answer clients (law 10, no lease, no answer); always open on a single
   * node.
   */
  AnswerGate gate() {
    return membership == null ? AnswerGate.ALWAYS_OPEN : membership;
  }
}
