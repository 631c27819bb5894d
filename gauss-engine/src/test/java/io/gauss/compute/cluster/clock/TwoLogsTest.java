package io.gauss.compute.cluster.clock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.LamportClock;
import io.gauss.common.id.PageId;
import io.gauss.common.transport.EpochGuard;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.TestNodes;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportSettings;
import io.gauss.common.transport.local.LocalNetwork;
import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.buffer.PoolSettings;
import io.gauss.compute.engine.MemoryLogStream;
import io.gauss.compute.engine.MemoryPageStore;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.log.LogSettings;
import io.gauss.compute.log.Pages;
import io.gauss.compute.mtr.EngineContext;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two nodes with real log buffers, threads and time. */
@Timeout(300)
class TwoLogsTest {
  private static final int COMMITS = 2_000;
  private static final int WRITERS = 3;

  /** A node's clock, log and broadcast. */
  private static final class Node implements AutoCloseable {
    final LamportClock clock;
    final LogBuffer log;
    final BufferPool pool;
    final Transport transport;
    final CommitBroadcast broadcast;
    final NodeAddress address;

    Node(LocalNetwork network, int number) {
      clock = new LamportClock(number, 0);
      log = new LogBuffer(LogSettings.defaults(), clock, new MemoryLogStream(number), number);
      pool = new BufferPool(PoolSettings.ofFrames(64), new MemoryPageStore(), log);
      transport =
          network.transport(
              new TransportConfig(
                  NodeIdentity.of(number, NodeRole.COMPUTE, number, clock),
                  TestNodes.KEY,
                  EpochGuard.NONE,
                  TransportSettings.DEFAULTS,
                  new SimpleMeterRegistry()));
      // Nobody is ever suspended: whoever waits for a silent node waits.
      broadcast =
          new CommitBroadcast(
              transport, clock, new NoArbiter(), ClockTimes.DEFAULTS, System::nanoTime);
      broadcast.attach(log::advanced, log::settledLsn);
      log.advance(broadcast);
      Handlers handlers = new Handlers();
      broadcast.register(handlers);
      address = transport.listen(new NodeAddress("local", 0), handlers);
    }

    long commit(EngineContext ctx, int page) {
      PageGuard guard = new PageGuard();
      long id = PageId.of(9, page);
      pool.pin(ctx, id);
      try {
        ctx.mtr().begin(200);
        pool.write(ctx, id, guard);
        Pages.format(ctx.mtr(), guard);
        return ctx.mtr().commit();
      } finally {
        ctx.mtr().abandon();
        guard.close();
        pool.unpin(id);
      }
    }

    @Override
    public void close() {
      broadcast.close();
      log.close();
      transport.close();
    }
  }

  private static final class NoArbiter implements Arbiter {
    @Override
    public void suspend(int node, int epoch, long known) {}

    @Override
    public void resume(long number, int newestEpoch) {}

    @Override
    public void unreachable(int node, int epoch) {}
  }

  @Test
  void whatOneNodeHasShownTheOtherHasInItsClock() throws InterruptedException {
    LocalNetwork network = new LocalNetwork();
    try (Node one = new Node(network, 1);
        Node two = new Node(network, 2)) {
      connect(one, two);
      connect(two, one);
      AtomicReference<Throwable> failure = new AtomicReference<>();
      List<Thread> writers = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        int page = 1 + i;
        writers.add(Thread.ofVirtual().start(() -> work(one, two, page, failure)));
        writers.add(Thread.ofVirtual().start(() -> work(two, one, page, failure)));
      }
      for (Thread writer : writers) {
        writer.join();
      }
      assertNull(failure.get());
      assertEquals(one.log.durableLsn(), one.log.reservedLsn());
      while (!one.broadcast.isValid() && one.broadcast.lapses() == 0) {
        Thread.onSpinWait(); // a lapse is counted at the next look
      }
    }
  }

  private static void connect(Node from, Node to) {
    from.broadcast.install(to.transport.self().node(), to.transport.self().node(), to.address);
    from.broadcast.begin();
    from.broadcast.start();
  }

  private static void work(Node self, Node other, int page, AtomicReference<Throwable> failure) {
    try {
      EngineContext ctx = new EngineContext(self.log);
      for (int i = 0; i < COMMITS / WRITERS; i++) {
        long csn = self.commit(ctx, page);
        self.log.awaitVisible(ctx, csn);
        long known = other.clock.now();
        assertTrue(known >= csn, () -> csn + " is shown, the other node is at " + known);
      }
    } catch (Throwable t) {
      failure.compareAndSet(null, t);
    }
  }
}
