package io.gauss.storage.remote;

import io.gauss.common.health.Problem;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.Transport;
import io.gauss.storage.api.DurableImages;
import io.gauss.storage.api.LogStream;
import io.gauss.storage.api.PageReader;
import io.gauss.storage.api.Storage;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.StreamGroup;
import io.gauss.storage.map.client.ClusterMapClient;
import io.gauss.storage.map.client.StorageConnections;
import io.gauss.storage.raft.stream.ClientSettings;
import io.gauss.storage.raft.stream.NetStreamTransport;
import io.gauss.storage.raft.stream.ReplicatedLogStream;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The storage tier of a cluster, from the view of one compute node: its stream, replicated on
 * storage nodes, and the pages that each of them keeps.
 *
 * <p>The pages count as applied up to the offset that a majority of the storage nodes has: one that
 * is down or slow delays nothing, and if a majority is behind, commits are slowed.
 *
 * <p>Invariant (rule 18): no page is read below the stream's end at the time when this was created,
 * since the compute node does not remember its earlier writes; a storage node that is not that far
 * yet makes the read wait. Thread-safe.
 */
public final class RemoteStorage implements Storage {
  private static final Logger LOG = LoggerFactory.getLogger(RemoteStorage.class);
  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final LogStream stream;
  private final int epoch;
  private final RemotePages pages;
  private final List<AutoCloseable> below;
  private final long openedAt;
  private final AtomicLong told = new AtomicLong();
  private volatile List<PagesWatch> watches = List.of();
  private volatile Listener listener;
  private volatile MeterRegistry meters;
  private volatile boolean closed;

  /**
   * Connects to the storage nodes that the cluster map names for a stream, follows them when they
   * are replaced, and takes the stream for this process: its previous writer is fenced.
   *
   * @param slot the compute node's, which is its stream's number
   * @param epoch the compute node's, as the cluster map gave it
   * @param cluster follows the map, which names the slot's storage nodes; owned by the caller
   * @param transport owned by the caller
   * @param below resources to close after this, last first
   * @throws io.gauss.common.error.GaussException 57P03 when no majority of them answers, 55000 when
   *     a later epoch has begun
   */
  public static RemoteStorage connect(
      int slot,
      int epoch,
      ClusterMapClient cluster,
      Transport transport,
      ClientSettings settings,
      RemotePages.Settings pageSettings,
      AutoCloseable... below) {
    StorageConnections forStreams = new StorageConnections(transport, Map.of());
    StorageConnections forPages = new StorageConnections(transport, Map.of());
    ClusterMap map = cluster.map();
    forStreams.follow(map);
    forPages.follow(map);
    NetStreamTransport calls = new NetStreamTransport(transport.allocator(), forStreams.peers());
    ReplicatedLogStream stream =
        ReplicatedLogStream.open(slot, replicas(map, slot), calls, settings);
    try {
      stream.openEpoch(epoch);
      RemotePages pages =
          new RemotePages(
              pageSettings, transport.allocator(), peers(forPages, replicas(map, slot)));
      List<AutoCloseable> all = new ArrayList<>();
      all.addAll(List.of(below));
      all.addAll(List.of(forStreams, forPages));
      RemoteStorage storage =
          new RemoteStorage(
              stream,
              epoch,
              pages,
              peers(forPages, replicas(map, slot)),
              all.toArray(AutoCloseable[]::new));
      cluster.addListener(
          now -> {
            List<Integer> replicas = replicas(now, slot);
            forStreams.follow(now);
            calls.nodes(forStreams.peers());
            stream.nodes(replicas);
            forPages.follow(now);
            storage.nodes(peers(forPages, replicas));
          });
      return storage;
    } catch (RuntimeException | Error e) {
      try (stream) {
        throw e;
      }
    }
  }

  /** The preferred leader comes first. */
  private static List<Integer> replicas(ClusterMap map, int slot) {
    StreamGroup group = map.streamGroups().get(slot);
    List<Integer> replicas = new ArrayList<>(group.replicas());
    replicas.remove((Integer) group.preferredLeader());
    replicas.addFirst(group.preferredLeader());
    return replicas;
  }

  private static List<Peer> peers(StorageConnections connections, List<Integer> nodes) {
    Map<Integer, Peer> known = connections.peers();
    return nodes.stream().map(known::get).filter(Objects::nonNull).toList();
  }

  /**
   * @param stream the node's stream; closed with this
   * @param epoch in which the stream was opened
   * @param nodes the storage nodes that keep it; the caller closes them
   * @param below other resources to close after these, last first
   */
  RemoteStorage(
      LogStream stream, int epoch, RemotePages pages, List<Peer> nodes, AutoCloseable... below) {
    this.stream = stream;
    this.epoch = epoch;
    this.pages = pages;
    this.openedAt = stream.endOffset();
    this.below = List.of(below);
    nodes(nodes);
  }

  /** From now on these are the stream's storage nodes. */
  private synchronized void nodes(List<Peer> now) {
    List<PagesWatch> before = watches;
    if (closed || now.isEmpty() || now.equals(before.stream().map(PagesWatch::peer).toList())) {
      return;
    }
    pages.replicas(now);
    List<PagesWatch> next = new ArrayList<>();
    for (Peer peer : now) {
      next.add(
          before.stream()
              .filter(watch -> watch.peer() == peer)
              .findAny()
              .orElseGet(() -> watch(peer)));
    }
    watches = List.copyOf(next);
    for (PagesWatch watch : before) {
      if (!next.contains(watch)) {
        watch.close();
        StorageMeters.remove(meters, watch);
      }
    }
  }

  private PagesWatch watch(Peer peer) {
    PagesWatch watch = new PagesWatch(peer, this::tell);
    if (listener != null) {
      watch.open();
    }
    if (meters != null) {
      StorageMeters.add(meters, watch, stream);
    }
    return watch;
  }

  @Override
  public LogStream stream() {
    return stream;
  }

  @Override
  public int epoch() {
    return epoch;
  }

  @Override
  public PageReader pages() {
    return (pageId, streamId, atLeastOffset, destination) ->
        pages.readPage(pageId, streamId, Math.max(atLeastOffset, openedAt), destination);
  }

  /** Pages of several streams; the caller passes the minimum versions. */
  public RemotePages remotePages() {
    return pages;
  }

  /** The end of this node's stream when this was created: older pages are of no use here. */
  public long openedAt() {
    return openedAt;
  }

  @Override
  public Map<String, PageReader> replicas() {
    Map<String, PageReader> all = new TreeMap<>();
    for (PagesWatch watch : watches) {
      PageReader one = pages.only(watch.peer());
      all.put(
          "the storage node at " + watch.peer().address(),
          (pageId, streamId, atLeastOffset, destination) ->
              one.readPage(pageId, streamId, Math.max(atLeastOffset, openedAt), destination));
    }
    return all;
  }

  /** The storage nodes recover by themselves; reads wait for the redo that they need. */
  @Override
  public long recover() {
    return 0;
  }

  @Override
  public synchronized void follow(Listener to) {
    listener = to;
    watches.forEach(PagesWatch::open);
  }

  private void tell() {
    Listener to = listener;
    long applied = appliedOffset();
    // Before a majority has reported, and after a node's restart, the value is too low.
    if (to != null && applied > told.getAndAccumulate(applied, Math::max)) {
      to.applied(applied);
    }
  }

  /** The storage nodes have no access to this process's pages. */
  @Override
  public void standIn(DurableImages images) {}

  @Override
  public long appliedOffset() {
    return appliedOffset(stream.streamId());
  }

  /** Offset of a stream, of any node, up to which a majority of the storage nodes has the pages. */
  public long appliedOffset(int streamId) {
    return ofMajority(watch -> watch.applied(streamId));
  }

  @Override
  public long checkpointOffset() {
    return ofMajority(watch -> watch.checkpointed(stream.streamId()));
  }

  /** The highest value that a majority has reached. */
  private long ofMajority(ToLongFunction<PagesWatch> value) {
    long[] values = watches.stream().mapToLong(value).sorted().toArray();
    return values[values.length - (values.length / 2 + 1)];
  }

  @Override
  public CheckpointStats checkpoints() {
    return CheckpointStats.NONE;
  }

  /** No effect: the storage nodes make their own checkpoints. */
  @Override
  public void checkpoint() {}

  /** No effect: the storage nodes continue. */
  @Override
  public boolean settle() {
    return true;
  }

  @Override
  public List<Problem> problems() {
    List<Problem> problems = new ArrayList<>(stream.problems());
    for (PagesWatch watch : watches) {
      if (listener != null && watch.silentNanos() > SILENT_NANOS) {
        problems.add(
            new Problem(
                "storage node at " + watch.peer().address() + " is silent",
                "nothing heard for " + TimeUnit.NANOSECONDS.toSeconds(watch.silentNanos()) + " s"));
      }
    }
    return problems;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    FunctionCounter.builder("gauss.pages.hedged", pages, RemotePages::hedged)
        .description("Page reads that asked a second storage node because the first was slow")
        .register(registry);
    FunctionCounter.builder("gauss.pages.failed.over", pages, RemotePages::failedOver)
        .description("Page reads that asked another storage node because one failed")
        .register(registry);
    synchronized (this) {
      meters = registry;
      watches.forEach(watch -> StorageMeters.add(registry, watch, stream));
    }
  }

  @Override
  public void close() {
    List<AutoCloseable> all = new ArrayList<>(below);
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      all.add(pages);
      all.add(stream);
      all.addAll(watches);
    }
    for (AutoCloseable resource : all.reversed()) {
      try {
        resource.close();
      } catch (Exception e) {
        LOG.warn("while closing the storage", e);
      }
    }
  }
}
