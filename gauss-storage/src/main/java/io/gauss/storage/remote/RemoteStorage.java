package io.gauss.storage.remote;

import io.gauss.common.health.Problem;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.Transport;
import io.gauss.storage.api.DurableImages;
import io.gauss.storage.api.LogStream;
import io.gauss.storage.api.PageReader;
import io.gauss.storage.api.Storage;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.raft.stream.ClientSettings;
import io.gauss.storage.raft.stream.NetStreamTransport;
import io.gauss.storage.raft.stream.ReplicatedLogStream;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The storage tier of a cluster, as one compute node sees it: its stream, replicated on storage
 * nodes, and the pages that each of them keeps.
 *
 * <p>The pages count as applied up to the offset that a majority of the storage nodes has: one that
 * is down or slow holds nobody up, and with a majority behind, commits are slowed.
 *
 * <p>Invariant (rule 18): no page is read below where the stream ended when this was made, since
 * the compute node remembers nothing of what it wrote before; a storage node that is not that far
 * yet makes the read wait. Thread-safe.
 */
public final class RemoteStorage implements Storage {
  private static final Logger LOG = LoggerFactory.getLogger(RemoteStorage.class);
  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final LogStream stream;
  private final int epoch;
  private final RemotePages pages;
  private final List<PagesWatch> watches;
  private final List<AutoCloseable> below;
  private final long openedAt;
  private final AtomicLong told = new AtomicLong();
  private volatile Listener listener;

  /**
   * Connects to storage nodes and takes a stream for this process: whoever wrote it before is
   * fenced.
   *
   * @param nodes where they are, the one that should lead the stream first
   * @param transport stays the caller's until this has returned; then it is closed with this
   * @param below what else to close, last first
   * @throws io.gauss.common.error.GaussException 57P03 when no majority of them answers
   */
  public static RemoteStorage connect(
      int streamId,
      List<StorageAddress> nodes,
      Transport transport,
      ClientSettings settings,
      AutoCloseable... below) {
    Map<Integer, Peer> forStreams = new TreeMap<>();
    List<Peer> forPages = new ArrayList<>();
    for (StorageAddress node : nodes) {
      forStreams.put(node.node(), transport.connect(node.address(), node.node()));
      forPages.add(transport.connect(node.address(), node.node()));
    }
    ReplicatedLogStream stream =
        ReplicatedLogStream.open(
            streamId,
            nodes.stream().map(StorageAddress::node).toList(),
            new NetStreamTransport(transport.allocator(), forStreams),
            settings);
    int epoch = stream.info().epoch() + 1;
    stream.openEpoch(epoch);
    RemotePages pages =
        new RemotePages(RemotePages.Settings.DEFAULTS, transport.allocator(), forPages);
    List<AutoCloseable> all = new ArrayList<>(List.of(below));
    all.add(transport);
    all.addAll(forStreams.values());
    return new RemoteStorage(stream, epoch, pages, forPages, all.toArray(AutoCloseable[]::new));
  }

  /**
   * @param stream the node's stream; closed with this
   * @param epoch in which the stream was opened
   * @param nodes the storage nodes; closed with this
   * @param below what else to close after these, last first
   */
  public RemoteStorage(
      LogStream stream, int epoch, RemotePages pages, List<Peer> nodes, AutoCloseable... below) {
    this.stream = stream;
    this.epoch = epoch;
    this.pages = pages;
    this.openedAt = stream.endOffset();
    this.watches = nodes.stream().map(node -> new PagesWatch(node, this::tell)).toList();
    this.below = List.of(below);
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

  /** The storage nodes do that by themselves; reads wait for what they need. */
  @Override
  public long recover() {
    return 0;
  }

  @Override
  public void follow(Listener to) {
    listener = to;
    watches.forEach(PagesWatch::open);
  }

  private void tell() {
    Listener to = listener;
    long applied = appliedOffset();
    // Before a majority has been heard of, and after one was started again, it says less than is
    // so.
    if (to != null && applied > told.getAndAccumulate(applied, Math::max)) {
      to.applied(applied);
    }
  }

  /** The storage nodes have no access to this process's pages. */
  @Override
  public void standIn(DurableImages images) {}

  @Override
  public long appliedOffset() {
    return ofMajority(watch -> watch.applied(stream.streamId()));
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

  /** The storage nodes make their own when it is time. */
  @Override
  public void checkpoint() {}

  /** There is nothing to do here: the storage nodes go on. */
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
    for (PagesWatch watch : watches) {
      Gauge.builder("gauss.storage.applied", watch, w -> w.applied(stream.streamId()))
          .description("Log offset up to which a storage node's pages have this node's redo")
          .tag("node", watch.peer().address().toString())
          .register(registry);
      Gauge.builder("gauss.storage.pending", watch, w -> w.progress().pendingBytes())
          .description("Redo bytes in a storage node's memory that are not folded yet")
          .baseUnit("bytes")
          .tag("node", watch.peer().address().toString())
          .register(registry);
    }
  }

  @Override
  public void close() {
    List<AutoCloseable> all = new ArrayList<>(below);
    watches.forEach(watch -> all.add(watch.peer()));
    all.add(pages);
    all.add(stream);
    all.addAll(watches);
    for (AutoCloseable resource : all.reversed()) {
      try {
        resource.close();
      } catch (Exception e) {
        LOG.warn("while closing the storage", e);
      }
    }
  }
}
