package io.gauss.memory.node;

import io.gauss.common.config.NodeSettingTable;
import io.gauss.common.error.GaussException;
import io.gauss.common.health.Problem;
import io.gauss.common.id.LamportClock;
import io.gauss.common.runtime.Environment;
import io.gauss.common.task.CloseStack;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportSettings;
import io.gauss.memory.directory.PageDirectory;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.client.JoinWait;
import io.gauss.storage.map.client.MapEpochGuard;
import io.gauss.storage.map.client.MemberView;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A memory node: the home of some buckets' pages and locks, while it is a member of the cluster. It
 * persists nothing: a node that takes its place learns everything from other nodes (law 9, the
 * memory tier forgets safely).
 *
 * <p>It is put together in {@linkplain Phase phases}. Each gets the results of those before it.
 * Resources are closed in reverse order, also when a later phase fails.
 *
 * <p>Start and close are for one thread; the rest is thread-safe.
 */
public final class MemoryNode implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MemoryNode.class);
  private static final int NEARLY_FULL_PERCENT = 95;

  private final MemoryBuckets buckets;
  private final MemoryMembership membership;
  private final NodeAddress address;
  private final CloseStack opened;

  /** The phases of a start, in their order. */
  enum Phase {
    /** {@link MemoryBuckets}: the transport, and servers of buckets. */
    BUCKETS,
    /** {@link MemoryMembership}: the node's place in the cluster. */
    MEMBERSHIP,
    /** The cluster has accepted the node, which now answers requests. */
    SERVING
  }

  /**
   * Starts a node and waits until the cluster has accepted it.
   *
   * @param transports makes the transport of a node
   * @throws GaussException 57P03 when the cluster does not answer, 55000 when it refuses this node,
   *     58030 when the port cannot be bound
   */
  public static MemoryNode start(
      MemoryNodeSettings settings,
      Function<TransportConfig, Transport> transports,
      MeterRegistry registry) {
    return start(settings, transports, registry, phase -> LOG.debug("{} is complete", phase));
  }

  /**
   * The same, observable by tests.
   *
   * @param completed called with each completed phase; the start fails if the call fails
   */
  static MemoryNode start(
      MemoryNodeSettings settings,
      Function<TransportConfig, Transport> transports,
      MeterRegistry registry,
      Consumer<Phase> completed) {
    long start = Environment.nanoTime();
    CloseStack opened = new CloseStack("memory node " + settings.node());
    try {
      LamportClock clock = LamportClock.unnumbered();
      MemberView view = new MemberView();
      NodeIdentity self = new NodeIdentity(settings.node(), NodeRole.MEMORY, view::epoch, clock);
      Transport transport =
          transports.apply(
              new TransportConfig(
                  self,
                  settings.key(),
                  new MapEpochGuard(view::map),
                  TransportSettings.DEFAULTS,
                  registry));
      MemoryBuckets buckets = MemoryBuckets.open(settings, transport, self, opened);
      completed.accept(Phase.BUCKETS);
      MemoryMembership membership = MemoryMembership.open(settings, buckets, view, clock, opened);
      completed.accept(Phase.MEMBERSHIP);
      NodeAddress address = serve(settings, buckets, membership);
      MemoryMeters.bind(registry, buckets.servers());
      completed.accept(Phase.SERVING);
      MemoryNode node = new MemoryNode(buckets, membership, address, opened);
      node.tell(Environment.nanoTime() - start);
      return node;
    } catch (RuntimeException | Error e) {
      opened.closeAfter(e);
      throw e;
    }
  }

  private MemoryNode(
      MemoryBuckets buckets, MemoryMembership membership, NodeAddress address, CloseStack opened) {
    this.buckets = buckets;
    this.membership = membership;
    this.address = address;
    this.opened = opened;
  }

  /** Listens, joins the cluster, and begins to serve. */
  private static NodeAddress serve(
      MemoryNodeSettings settings, MemoryBuckets buckets, MemoryMembership membership) {
    Handlers handlers = new Handlers();
    membership.member().register(handlers);
    new MemoryAnswers(buckets).register(handlers);
    NodeAddress bound =
        buckets
            .transport()
            .listen(
                new NodeAddress(settings.peerListen(), settings.get(NodeSettingTable.PEER_PORT)),
                handlers);
    NodeAddress address =
        new NodeAddress(settings.get(NodeSettingTable.PEER_ADDRESS), bound.port());
    JoinWait.await(
        membership
            .member()
            .join(List.of(new Endpoint(Endpoint.Purpose.PEER, address.host(), address.port()))),
        membership.map());
    membership.begin();
    return address;
  }

  private void tell(long nanos) {
    LOG.info(
        "memory node {} is up at {} in epoch {} after {} ms: {} event loops, room for {} pages in"
            + " the directory ({} MB) and {} in the cache ({} MB)",
        buckets.self().node(),
        address,
        membership.member().epoch(),
        nanos / 1_000_000,
        buckets.servers().size(),
        buckets.sum(s -> s.pages().directory().capacity()),
        buckets.sum(s -> s.pages().directory().bytes()) >> 20,
        buckets.sum(s -> s.pages().cache().slots()),
        buckets.sum(s -> s.pages().cache().bytes()) >> 20);
  }

  /** The address at which other nodes reach it. */
  public NodeAddress address() {
    return address;
  }

  /** Buckets that it serves now. */
  public int buckets() {
    return (int) buckets.sum(BucketServer::served);
  }

  /** Completes with the reason when the node has lost its place: a new process may take it. */
  public CompletableFuture<String> lost() {
    return membership.lost();
  }

  /** Completes when the cluster has asked this node to leave and others serve all its buckets. */
  public CompletableFuture<Void> drained() {
    return membership.drained();
  }

  /** Whether this node has a place in the cluster now, and a lease. */
  public boolean isMember() {
    return membership.member().isValid();
  }

  /** The problems that keep this node from working now; empty when there are none. */
  public List<Problem> problems() {
    List<Problem> problems = new ArrayList<>();
    if (!membership.member().isValid()) {
      problems.add(
          new Problem("this node's lease has run out", "no majority of the storage nodes answers"));
    }
    for (BucketServer server : buckets.servers()) {
      problems.addAll(server.loop().problems());
      PageDirectory directory = server.pages().directory();
      if (directory.size() * 100 >= directory.capacity() * NEARLY_FULL_PERCENT) {
        problems.add(
            new Problem(
                "the page directory is nearly full",
                "more than %d%% of directory.entries; when it is full, pages that it does not know"
                        .formatted(NEARLY_FULL_PERCENT)
                    + " are refused with 53200"));
        break;
      }
    }
    long shut = buckets.sum(BucketServer::shut);
    if (shut > 0) {
      problems.add(
          new Problem(
              "buckets cannot be served",
              shut
                  + " of them have more pages than directory.entries leaves room for, or nodes'"
                  + " reports contradict each other: see the log"));
    }
    return problems;
  }

  /** Leaves the cluster, so that its buckets get other homes at once, and ends. */
  @Override
  public void close() {
    opened.close();
    LOG.info("memory node {} is closed", buckets.self().node());
  }
}
