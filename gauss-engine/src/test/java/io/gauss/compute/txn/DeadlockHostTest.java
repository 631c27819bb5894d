package io.gauss.compute.txn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.deadlock.WaitNumber;
import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.transport.MessageType;
import io.gauss.compute.engine.Seeds;
import io.gauss.compute.engine.TestEngine;
import io.gauss.compute.peer.PeerListener;
import io.gauss.compute.peer.PeerNodes;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.txn.wire.DeadlockLayout;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The deadlock detector while nodes die and come back, and while it moves. */
@Timeout(300)
class DeadlockHostTest {
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  private static Transaction holding(NodesFixture nodes, int slot, int row) {
    Transaction txn = nodes.node(slot).session();
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.startStatement();
    assertTrue(nodes.rows().update(nodes.node(slot), txn, row, WaitPolicy.WAIT, old -> old));
    return txn;
  }

  private Future<Boolean> update(NodesFixture nodes, int slot, Transaction txn, int row) {
    NodesFixture.Node node = nodes.node(slot);
    return threads.submit(
        () -> nodes.rows().update(node, txn, row, WaitPolicy.WAIT, old -> old + 1));
  }

  private static void eventually(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      assertFalse(Thread.interrupted(), "it did not happen in time");
      Thread.yield();
    }
  }

  private static DeadlockHost host(NodesFixture nodes, int slot) {
    return nodes.node(slot).transactions.links().deadlocks();
  }

  private static SqlState failure(Future<?> future) {
    ExecutionException e = assertThrows(ExecutionException.class, future::get);
    return ((GaussException) e.getCause()).state();
  }

  private static ByteBuf report(long waiter, long wait) {
    long holder = WaitNumber.next(WaitNumber.first(3, 1000));
    return DeadlockLayout.report(
        Unpooled.buffer(),
        new DeadlockLayout.Report(waiter, wait, 1, new long[] {holder}, "transaction", "row"));
  }

  /**
   * The detector's node is held up between a report and the table until the node that sent it has
   * died and is back. The next life numbers transactions and waits alike: its reports counted as
   * older than that one, and its deadlocks were not found.
   */
  @Test
  void aReportOfADeadLifeDoesNotHideTheDeadlocksOfTheNext() throws Exception {
    try (NodesFixture nodes = new NodesFixture(3, 3, Seeds.next(), 0)) {
      TestEngine before = nodes.kill(2, 3);
      nodes.takeOver(2, 3);
      nodes.recovered(2, 3, before);
      nodes.restart(2, 2, before);
      Transaction one = holding(nodes, 2, 0);
      host(nodes, 1).reported(2, 1, report(one.waitNumber(), 1_000));
      assertEquals(0, host(nodes, 1).size());
      Transaction other = holding(nodes, 3, 1);
      Future<Boolean> first = update(nodes, 2, one, 1);
      Future<Boolean> second = update(nodes, 3, other, 0);
      eventually(() -> first.isDone() || second.isDone());
      Future<Boolean> victim = first.isDone() ? first : second;
      assertEquals(SqlState.DEADLOCK_DETECTED, failure(victim));
      (victim == first ? one : other).rollback();
      assertTrue((victim == first ? second : first).get());
      (victim == first ? other : one).commit();
    }
  }

  @Test
  void aReportThatComesWhileItsNodeIsGoneIsNotKept() {
    try (NodesFixture nodes = new NodesFixture(2, 1, Seeds.next(), 0)) {
      nodes.kill(2, 1);
      host(nodes, 1).reported(2, 1, report(WaitNumber.next(WaitNumber.first(2, 1)), 1));
      assertEquals(0, host(nodes, 1).size());
    }
  }

  @Test
  void aReportIsNotKeptWhateverIsDoneFirstWhenItsNodeDies() throws Exception {
    try (NodesFixture nodes = new NodesFixture(2, 1, Seeds.next(), 0)) {
      DeadlockHost host = host(nodes, 1);
      for (int round = 0; round < 300; round++) {
        long waiter = WaitNumber.first(2, round);
        NodesFixture.Node node = nodes.node(2);
        Future<?> dies = threads.submit(() -> nodes.node(1).peers.leave(2, 1));
        host.reported(2, 1, report(waiter, 1));
        dies.get();
        assertEquals(0, host.size(), "round " + round);
        nodes.node(1).peers.join(2, 2, 1, node.address);
      }
    }
  }

  @Test
  void aWaitThatEndsAfterTheDetectorHasMovedIsNotKeptWhereItWasBefore() throws Exception {
    try (NodesFixture nodes = new NodesFixture(3, 1, Seeds.next(), 0)) {
      Transaction holder = holding(nodes, 3, 0);
      Transaction waiter = nodes.node(2).session();
      waiter.begin(IsolationLevel.READ_COMMITTED);
      waiter.startStatement();
      Future<Boolean> wait = update(nodes, 2, waiter, 0);
      eventually(() -> host(nodes, 1).size() == 1);
      nodes.deadlockHost(2);
      eventually(() -> host(nodes, 2).size() == 1);
      eventually(() -> host(nodes, 1).size() == 0);
      nodes.deadlockHost(3);
      holder.commit();
      assertTrue(wait.get());
      waiter.commit();
      for (int slot = 1; slot <= 3; slot++) {
        int at = slot;
        eventually(() -> host(nodes, at).size() == 0);
      }
    }
  }

  /**
   * The waiting thread gets no processor when the other node is lost. The next life's transaction
   * of the same number may wait for this one by now, which is no deadlock.
   */
  @Test
  void aWaitForATransactionOfALostNodeDoesNotStandEvenBeforeItsThreadHasNoticed() throws Exception {
    try (NodesFixture nodes = new NodesFixture(3, 1, Seeds.next(), 0)) {
      holding(nodes, 1, 0);
      Transaction waiter = nodes.node(2).session();
      waiter.begin(IsolationLevel.READ_COMMITTED);
      waiter.startStatement();
      AtomicReference<Thread> waits = new AtomicReference<>();
      Future<Boolean> wait =
          threads.submit(
              () -> {
                waits.set(Thread.currentThread());
                return nodes
                    .rows()
                    .update(nodes.node(2), waiter, 0, WaitPolicy.WAIT, old -> old + 1);
              });
      eventually(() -> host(nodes, 1).size() == 1);
      CountDownLatch held = new CountDownLatch(1);
      CountDownLatch gate = new CountDownLatch(1);
      nodes.atClock(
          () -> {
            if (Thread.currentThread() == waits.get()) {
              held.countDown();
              awaitUnchecked(gate);
            }
          });
      held.await();
      WaitMembers members = nodes.node(2).transactions.detector();
      long number = waiter.waiter().waitId();
      assertTrue(members.stands(waiter.waitNumber(), number));
      nodes.kill(1, 3);
      assertFalse(members.stands(waiter.waitNumber(), number));
      gate.countDown();
      nodes.takeOver(1, 3);
      assertTrue(wait.get());
      waiter.rollback();
    }
  }

  private static void awaitUnchecked(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The next life of the detector's node numbers its questions alike. */
  @Test
  void anAnswerGoesToTheLifeThatAsked() {
    List<String> sent = new ArrayList<>();
    WaitMembers members =
        new WaitMembers() {
          @Override
          public boolean stands(long waiter, long wait) {
            return true;
          }

          @Override
          public void choose(long waiter, long wait, String detail) {
            throw new AssertionError("nobody is chosen");
          }
        };
    PeerNodes peers = new Sent(sent);
    DeadlockHost here = new DeadlockHost(2, members, peers);
    new DeadlockReports(here, members, peers, () -> 1)
        .asked(1, 7, DeadlockLayout.ask(Unpooled.buffer(), 1, WaitNumber.first(2, 1), 5));
    assertEquals(List.of("to life 7 of node 1"), sent);
  }

  /** The next life of a node numbers its waits alike: another transaction would be the victim. */
  @Test
  void aQuestionAndAVictimAreOfTheLifeThatHasReported() {
    List<String> sent = new ArrayList<>();
    WaitMembers none = new NoMembers();
    DeadlockHost host = new DeadlockHost(2, none, new Sent(sent));
    long one = WaitNumber.first(1, 1);
    long other = WaitNumber.first(1, 2);
    host.reported(1, 7, waiting(one, other));
    host.reported(1, 7, waiting(other, one));
    host.choose(one, 5, "a deadlock");
    String to = "to life 7 of node 1";
    assertEquals(List.of(to, to, to), sent);
  }

  private static ByteBuf waiting(long waiter, long holder) {
    return DeadlockLayout.report(
        Unpooled.buffer(),
        new DeadlockLayout.Report(waiter, 5, 1, new long[] {holder}, "transaction", "row"));
  }

  private static final class NoMembers implements WaitMembers {
    @Override
    public boolean stands(long waiter, long wait) {
      throw new AssertionError("nobody is asked here");
    }

    @Override
    public void choose(long waiter, long wait, String detail) {
      throw new AssertionError("nobody is chosen here");
    }
  }

  /** Notes to whom messages go. */
  private record Sent(List<String> to) implements PeerNodes {
    @Override
    public int self() {
      return 2;
    }

    @Override
    public Answerer answerer(int slot) {
      return new Answerer(slot, 1);
    }

    @Override
    public boolean has(int node) {
      return true;
    }

    @Override
    public boolean has(int node, int epoch) {
      return true;
    }

    @Override
    public CompletableFuture<ByteBuf> call(
        int node, MessageType type, ByteBuf payload, long timeoutNanos) {
      throw new AssertionError("nothing is asked");
    }

    @Override
    public void send(int node, MessageType type, ByteBuf payload) {
      payload.release();
      to.add("to any life of node " + node);
    }

    @Override
    public void send(int node, int epoch, MessageType type, ByteBuf payload) {
      payload.release();
      to.add("to life " + epoch + " of node " + node);
    }

    @Override
    public ByteBufAllocator allocator() {
      return UnpooledByteBufAllocator.DEFAULT;
    }

    @Override
    public void addListener(PeerListener listener) {
      // nothing ever happens
    }
  }
}
