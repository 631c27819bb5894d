package io.gauss.memory.node;

import io.gauss.common.error.SqlState;
import io.gauss.common.runtime.Environment;
import io.gauss.memory.bucket.AppliedMarks;
import io.gauss.memory.bucket.BucketLoop;
import io.gauss.memory.directory.PageDirectory;
import io.gauss.memory.home.BucketHomes;
import io.gauss.memory.home.LockHomes;
import io.gauss.memory.home.OwnerCount;
import io.gauss.memory.home.PageHomes;
import io.gauss.memory.lock.LockName;
import io.gauss.memory.lock.NodeLockTransitions.Message;
import io.gauss.memory.wire.PageOwnersLayout;
import io.gauss.memory.wire.ToHome;
import io.gauss.storage.map.api.PageBuckets;
import io.netty.buffer.ByteBufAllocator;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One event loop with the buckets that it serves: their pages, bytes and locks. All work is done by
 * tasks of the loop, one at a time, which any thread submits. Counters and sizes may be read by any
 * thread.
 */
final class BucketServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BucketServer.class);

  /** Rounds of background work between retries of buckets that had no room. */
  private static final int ROUNDS_BEFORE_RETRY = Environment.size(100, 1);

  private final BucketLoop loop;
  private final Orders orders;
  private final BucketHomes buckets;
  private final LockHomes locks;
  private final BitSet own = new BitSet(PageBuckets.BUCKETS);

  /** Epochs whose deaths are installed here and that are not recovered. */
  private final Set<Integer> ended = new HashSet<>();

  private final LongAdder messages = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private volatile int served; // written by the loop only
  private volatile int shut; // likewise
  private volatile int closed; // likewise
  private volatile long rebuilt; // likewise
  private volatile long rebuildNanos; // likewise

  /** When buckets that are not served yet moved here, by a monotonic clock. */
  private final Map<Integer, Long> opening = new HashMap<>();

  private final Map<Integer, CompletableFuture<Void>> waitForOpen = new HashMap<>();
  private int rounds;

  /** A compute node's message about a lock. */
  record LockMessage(LockName name, Message what) {}

  BucketServer(
      String name,
      int queueCapacity,
      PageDirectory directory,
      long cacheBytes,
      int maxLocks,
      ComputeLinks links,
      ByteBufAllocator allocator) {
    this.orders = new Orders(links, allocator, Environment::nanoTime);
    this.buckets = new BucketHomes(directory, cacheBytes, new AppliedMarks(), orders, allocator);
    this.buckets.onOpen(this::opened);
    this.locks = new LockHomes(maxLocks, orders);
    this.loop = new BucketLoop(name, queueCapacity, this::background);
  }

  BucketServer start() {
    loop.start();
    return this;
  }

  BucketLoop loop() {
    return loop;
  }

  PageHomes pages() {
    return buckets.pages();
  }

  LockHomes locks() {
    return locks;
  }

  /** Messages of compute nodes since the start. */
  long messages() {
    return messages.sum();
  }

  /** Requests refused because of overload, or because another node is the home. */
  long refused() {
    return refused.sum();
  }

  /** Buckets whose home is here. */
  int served() {
    return served;
  }

  /** Buckets that cannot be served although all nodes have reported, mostly for want of room. */
  int shut() {
    return shut;
  }

  /** Buckets that moved here and are not served yet, since not all nodes have reported. */
  int closed() {
    return closed;
  }

  /** Buckets that moved here and have been opened. */
  long rebuilt() {
    return rebuilt;
  }

  /** Total time during which those were not served. */
  long rebuildNanos() {
    return rebuildNanos;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // the loop's thread alone writes them
  private void opened(int bucket) {
    Long since = opening.remove(bucket);
    if (since != null) {
      rebuildNanos += Environment.nanoTime() - since;
      rebuilt++;
      closed = opening.size();
    }
    CompletableFuture<Void> waiting = waitForOpen.remove(bucket);
    if (waiting != null) {
      waiting.complete(null);
    }
  }

  /** Completes when all tasks submitted to this loop before are done. */
  CompletableFuture<Void> done() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    run(() -> done.complete(null));
    return done;
  }

  /** Completes when the bucket is served here; never if it goes elsewhere before. */
  CompletableFuture<Void> open(int bucket) {
    CompletableFuture<Void> open = new CompletableFuture<>();
    run(
        () -> {
          if (buckets.isOpen(bucket)) {
            open.complete(null);
          } else {
            waitForOpen
                .computeIfAbsent(bucket, b -> new CompletableFuture<>())
                .thenRun(() -> open.complete(null));
          }
        });
    return open;
  }

  /**
   * Counts the pages by holder, for those of the buckets that this loop serves; other tasks run in
   * between.
   */
  CompletableFuture<Map<PageOwnersLayout.Key, Long>> owners(int[] of) {
    CompletableFuture<Map<PageOwnersLayout.Key, Long>> done = new CompletableFuture<>();
    OwnerCount count = new OwnerCount(buckets.pages().directory(), buckets::isOpen, of);
    run(() -> countOn(count, done));
    return done;
  }

  private void countOn(OwnerCount count, CompletableFuture<Map<PageOwnersLayout.Key, Long>> done) {
    if (count.step()) {
      run(() -> countOn(count, done));
    } else {
      done.complete(count.counts());
    }
  }

  private boolean background() {
    orders.flushLate();
    if (++rounds >= ROUNDS_BEFORE_RETRY) {
      rounds = 0;
      shut = buckets.shut();
      if (shut > 0) {
        buckets.retry();
        orders.flush();
      }
    }
    return buckets.pages().sweep();
  }

  // ---- what compute nodes say

  /** Processes messages about pages of this loop's buckets, and takes over their bytes. */
  void pages(int slot, int epoch, List<ToHome.OfBucket> all) {
    messages.add(all.size());
    runSoon(
        () -> {
          for (ToHome.OfBucket message : all) {
            loop.step(() -> page(slot, epoch, message));
          }
        });
  }

  private void page(int slot, int epoch, ToHome.OfBucket message) {
    if (message instanceof ToHome.Want want && mustRefuse(want)) {
      refused.increment();
      buckets.refuse(want.page(), slot, SqlState.INSUFFICIENT_RESOURCES, "too much to do");
    } else {
      buckets.receive(slot, epoch, message);
    }
  }

  /** See {@link PageHomes#applied}. */
  void applied(int stream, long offset, long lsn) {
    run(() -> buckets.pages().applied(stream, offset, lsn));
  }

  /**
   * Requests are refused before the queue grows without bound; messages that end an operation never
   * are.
   */
  private boolean mustRefuse(ToHome.Want want) {
    return loop.isOverloaded() && buckets.isOpen(want.bucket());
  }

  /**
   * Processes messages about locks of one of this loop's buckets. A node reports its leases before
   * it reports the bucket (to {@link BucketHomes}), so all leases are known when the bucket opens.
   */
  void locks(int epoch, int bucket, List<LockMessage> all) {
    messages.add(all.size());
    runSoon(
        () -> {
          if (!buckets.isMember(epoch) || ended.contains(epoch)) {
            // Nothing would ever end its leases and requests: its death has been installed. Before
            // a node is known here, no home has spoken to it, so it has nothing to say.
            LOG.debug("{} messages about locks of epoch {}, which is gone", all.size(), epoch);
            return;
          }
          for (LockMessage message : all) {
            loop.step(() -> lock(epoch, bucket, message));
          }
        });
  }

  private void lock(int epoch, int bucket, LockMessage message) {
    LockName name = message.name();
    boolean isHome = own.get(bucket);
    boolean isRequest = message.what() instanceof Message.Request;
    if (isRequest && (!isHome || loop.isOverloaded())) {
      refuse(epoch, name, (Message.Request) message.what(), isHome);
    } else if (isRequest && !buckets.isOpen(bucket)) {
      LOG.trace("{} of epoch {} is asked for again when all have reported", name, epoch);
    } else if (isHome) {
      switch (message.what()) {
        case Message.Request r ->
            locks.request(name, epoch, r.request(), r.mode(), r.ahead(), r.now());
        case Message.Withdraw w -> locks.withdraw(name, epoch, w.request());
        case Message.Release r -> locks.release(name, epoch, r.modes(), r.upTo());
        case Message.Report r -> locks.reported(name, epoch, r.mode(), r.number());
        case Message.Probed p -> locks.probed(name, epoch, p.asker(), p.request());
      }
    }
  }

  private void refuse(int epoch, LockName name, Message.Request request, boolean isHome) {
    refused.increment();
    orders.refuse(
        name,
        epoch,
        request.request(),
        isHome ? SqlState.INSUFFICIENT_RESOURCES : SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
        isHome
            ? "the memory node has too much to do"
            : "the lock on " + name + " is kept by another memory node");
  }

  // ---- from the cluster map

  /**
   * From now on this loop is the home of the taken buckets, and no longer of the given ones. One
   * that is both starts over.
   *
   * @param epoch of this home: above those of all earlier homes of the taken buckets
   * @param dead epochs of compute nodes that are not recovered, with the epochs of their recoverers
   */
  void assign(BitSet taken, BitSet given, long epoch, Map<Integer, Integer> dead) {
    run(
        () -> {
          given.stream()
              .forEach(
                  bucket -> {
                    buckets.give(bucket);
                    locks.forget(bucket);
                    opening.remove(bucket);
                    if (!taken.get(bucket)) {
                      waitForOpen.remove(bucket);
                    }
                  });
          taken.stream()
              .forEach(
                  bucket -> {
                    locks.begin(bucket, dead);
                    opening.put(bucket, Environment.nanoTime());
                    buckets.take(bucket, epoch);
                  });
          own.andNot(given);
          own.or(taken);
          served = own.cardinality();
          closed = opening.size();
        });
  }

  /** See {@link BucketHomes#joined}. */
  void joined(int slot, int epoch) {
    run(() -> buckets.joined(slot, epoch));
  }

  /** See {@link BucketHomes#died}. */
  void died(int slot, int stream, long end) {
    run(() -> buckets.died(slot, stream, end));
  }

  /**
   * An epoch has ended: its lock requests are dropped, those still to arrive included. Completes
   * when that is done.
   *
   * @param heir the epoch that recovers it; 0 = not known yet
   */
  CompletableFuture<Void> installDeath(int epoch, int heir) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    run(
        () -> {
          // It can no longer report its leases in buckets that have just moved here.
          buckets.unreported(epoch).forEach(bucket -> locks.begin(bucket, Map.of(epoch, heir)));
          ended.add(epoch);
          locks.died(epoch);
          if (heir != 0) {
            locks.inherit(epoch, heir); // who it is may have been heard before
          }
          done.complete(null);
        });
    return done;
  }

  /** A dead epoch is recovered by this one. */
  void inherit(int dead, int heir) {
    run(() -> locks.inherit(dead, heir));
  }

  /** The unfinished work of the dead epoch is rolled back. */
  void recovered(int dead) {
    run(
        () -> {
          ended.remove(dead); // it is not a member any more
          locks.recovered(dead);
        });
  }

  private void run(Runnable action) {
    loop.enqueue(withOrders(action));
  }

  /** For what compute nodes say, which takes little time: at once if possible. */
  private void runSoon(Runnable action) {
    loop.runOrEnqueue(withOrders(action));
  }

  private Runnable withOrders(Runnable action) {
    return () -> {
      try {
        action.run();
      } finally {
        orders.flush();
      }
    };
  }

  @Override
  public void close() {
    loop.close();
    buckets.pages().directory().close();
  }
}
