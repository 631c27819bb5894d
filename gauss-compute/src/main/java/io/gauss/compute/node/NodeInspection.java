package io.gauss.compute.node;

import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.buffer.PageTransfers;
import io.gauss.compute.buffer.SharedPages;
import io.gauss.compute.cluster.memory.PageOwners;
import io.gauss.compute.engine.Checker;
import io.gauss.compute.engine.Engine;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.sql.state.NodeState;
import io.gauss.compute.txn.Transactions;
import io.gauss.compute.txn.base.TransactionMetrics;
import io.gauss.compute.wait.WaitCounter;
import io.gauss.storage.api.LogStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** Reads the state of engine and transactions for the system tables. Thread-safe. */
final class NodeInspection implements NodeState {
  private static final String VERSION = "0.1.0";

  private final Engine engine;
  private final Transactions transactions;
  private final Supplier<ClientAddress> clients;
  private final Supplier<String> health;
  private final long startedMicros;
  private final Function<Node, List<Node>> cluster;
  private final MemoryTier memory;

  /**
   * @param clients where they connect; port 0 while the node starts
   * @param health UP or the problems
   * @param startedMicros µs since 2000-01-01 UTC
   * @param cluster all nodes, given this node's own entry
   * @param memory where pages come from; null when this node owns all of them
   */
  NodeInspection(
      Engine engine,
      Transactions transactions,
      Supplier<ClientAddress> clients,
      Supplier<String> health,
      long startedMicros,
      Function<Node, List<Node>> cluster,
      MemoryTier memory) {
    this.engine = engine;
    this.transactions = transactions;
    this.clients = clients;
    this.health = health;
    this.startedMicros = startedMicros;
    this.cluster = cluster;
    this.memory = memory;
  }

  @Override
  public List<Node> nodes() {
    ClientAddress at = clients.get();
    return cluster.apply(
        new Node(
            engine.clock().node(),
            "compute",
            at.host(),
            at.port(),
            new Own(ProcessHandle.current().pid(), VERSION, startedMicros),
            health.get(),
            engine.clock().node(),
            0,
            0));
  }

  @Override
  public List<Stream> streams() {
    LogStream stream = engine.storage().stream();
    LogBuffer log = engine.log();
    int id = stream.streamId();
    // First: what is durable was reserved before.
    long durable = log.durableOffset();
    return List.of(
        new Stream(
            id,
            stream.startOffset(),
            durable,
            log.reservedOffset(),
            engine.storage().appliedOffset(),
            engine.storage().checkpointOffset(),
            log.durableLsn(),
            log.hasFailed() ? "failed" : "ok"));
  }

  @Override
  public List<Wait> waits() {
    TransactionMetrics metrics = transactions.metrics();
    BufferPool pool = engine.pool();
    LogBuffer log = engine.log();
    return List.of(
        new Wait("row", metrics.rowWaits(), metrics.rowWaitNanos()),
        new Wait("table", metrics.tableWaits(), metrics.tableWaitNanos()),
        wait("latch", pool.latchWaits()),
        wait("frame", pool.frameWaits()),
        wait("page", pool.loadWaits()),
        wait("log", log.durableWaits()),
        wait("broadcast", log.advanceWaits()),
        wait("log space", log.creditWaits()));
  }

  private static Wait wait(String cause, WaitCounter counter) {
    return new Wait(cause, counter.count(), counter.totalNanos());
  }

  @Override
  public long[] residentPages() {
    return engine.pool().residentPages();
  }

  @Override
  public PageTransfers transfers() {
    return engine.pool().isShared() ? engine.pool().transfers() : null;
  }

  @Override
  public CompletableFuture<PageOwners.Answer> pageOwners() {
    return memory == null
        ? CompletableFuture.completedFuture(new PageOwners.Answer(Map.of(), List.of()))
        : new PageOwners(memory.links()).ask();
  }

  @Override
  public CompletableFuture<Map<SharedPages.Key, Long>> sharers() {
    return memory == null ? CompletableFuture.completedFuture(Map.of()) : memory.pages().sharers();
  }

  @Override
  public int frames() {
    return engine.pool().frameCount();
  }

  @Override
  public List<Checker> checkers() {
    return engine.checkers();
  }
}
