package io.gauss.compute.node;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.health.Problem;
import io.gauss.common.runtime.Environment;
import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.buffer.CoherentPages;
import io.gauss.compute.buffer.PageFetch;
import io.gauss.compute.buffer.PoolSettings;
import io.gauss.compute.cluster.lock.LockHomeLink;
import io.gauss.compute.cluster.memory.MemoryLinks;
import io.gauss.compute.cluster.memory.PageReceiver;
import io.gauss.compute.engine.Engine;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.txn.NodeLocks;
import io.gauss.memory.wire.FromHolder;
import io.gauss.memory.wire.FromHome;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A buffer pool whose pages come from their homes on memory nodes, connected with those and with
 * the other compute nodes. Thread-safe once the pool is open.
 */
final class MemoryTier implements Engine.Pools, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MemoryTier.class);
  private static final int MOST_LANES = 4;

  private final Membership membership;
  private final PageFetch fetch;
  private final Duration patience;
  private volatile CoherentPages pages;
  private volatile NodeLocks locks;

  /**
   * @param fetch pages that no node has
   * @param patience how long to wait for a page
   */
  MemoryTier(Membership membership, PageFetch fetch, Duration patience) {
    this.membership = membership;
    this.fetch = fetch;
    this.patience = patience;
  }

  /** Whether the cluster has memory nodes, though none may be live now. */
  static boolean isPartOf(ClusterMap map) {
    return map.nodes().values().stream()
        .anyMatch(node -> node.has(Role.MEMORY) && node.state() != NodeState.REMOVED);
  }

  /**
   * Opens the pool once there is a memory node.
   *
   * @throws GaussException 57P03 when none comes
   */
  @Override
  public BufferPool open(PoolSettings settings, LogBuffer log) {
    awaitMemoryNode();
    MemoryLinks memory = membership.memory();
    int self = membership.slot();
    int lanes = Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 1, MOST_LANES);
    CoherentPages.Of made =
        CoherentPages.pool(
            settings,
            log,
            fetch,
            self,
            lanes,
            () -> memory.outbox(membership.peers()::send),
            membership.transport().allocator());
    pages = made.pages();
    pages.giveUpAfter(patience);
    // Other nodes do not answer a node that they consider dead: waits in it would keep it from
    // ending.
    membership.ended().thenAccept(why -> made.pages().end(lost(why)));
    locks = LockHomeLink.join(memory, membership.peers());
    locks.giveUpWithout(() -> memory.nodes() == 0 || membership.ended().isDone(), patience);
    // Members first: messages about an unknown member would be dropped.
    membership.members().attach(new Members(pages));
    memory.register(membership.sessions(), new Receiver(pages), membership.members()::slotOf);
    LOG.info("pages come from {} memory nodes, by {} lanes", memory.nodes(), lanes);
    return made.pool();
  }

  private static GaussException lost(String why) {
    return new GaussException(
            SqlState.ADMIN_SHUTDOWN,
            "terminating connection because this node has lost its place in the cluster")
        .detail(why);
  }

  private void awaitMemoryNode() {
    try {
      Environment.get(
          membership.cluster().await(map -> !map.live(Role.MEMORY).isEmpty()),
          patience.toNanos(),
          TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new GaussException(
              SqlState.CANNOT_CONNECT_NOW,
              "no memory node of this cluster is there, after " + patience.toSeconds() + " s",
              e)
          .hint("Start one: a cluster that was made with memory nodes does not do without them.");
    } catch (ExecutionException e) {
      throw new IllegalStateException("the cluster map is not followed any more", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new GaussException(SqlState.ADMIN_SHUTDOWN, "interrupted while starting", e);
    }
  }

  private record Members(CoherentPages pages) implements ComputeMembers.Listener {
    @Override
    public void joined(int slot, int epoch) {
      pages.joined(slot, epoch);
    }

    @Override
    public CompletableFuture<Void> died(int slot) {
      return pages.died(slot);
    }
  }

  private record Receiver(CoherentPages pages) implements PageReceiver {
    @Override
    public void fromHome(List<FromHome> messages) {
      pages.fromHome(messages);
    }

    @Override
    public void fromCompute(int slot, int epoch, List<FromHolder> messages) {
      pages.fromCompute(slot, epoch, messages);
    }
  }

  /** Once the pool is open. */
  CoherentPages pages() {
    return pages;
  }

  /** Table locks of all nodes, once the pool is open. */
  NodeLocks locks() {
    return locks;
  }

  MemoryLinks links() {
    return membership.memory();
  }

  /** The problems that keep pages from coming here; empty if there are none. */
  List<Problem> problems() {
    List<Problem> problems = new ArrayList<>(pages.problems());
    if (membership.cluster().map().live(Role.MEMORY).isEmpty()) {
      problems.add(
          new Problem(
              "no memory node is there",
              "pages that are not in this node's buffer pool cannot be had; they are waited for %d s"
                  .formatted(patience.toSeconds())));
    }
    return problems;
  }

  @Override
  public void close() {
    CoherentPages made = pages;
    if (made != null) {
      made.close();
    }
  }
}
