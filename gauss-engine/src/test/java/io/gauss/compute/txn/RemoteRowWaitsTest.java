package io.gauss.compute.txn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Xid;
import io.gauss.compute.engine.Seeds;
import io.gauss.compute.engine.TestEngine;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.txn.base.TransactionSettings;
import io.gauss.compute.txn.undo.UndoProbe;
import io.gauss.compute.txn.undo.UndoSegment;
import io.gauss.compute.txn.wire.RowWaitLayout;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waits of transactions for rows that transactions of other nodes wrote. */
@Timeout(300)
class RemoteRowWaitsTest {
  /** Where the order matters: nobody goes ahead of others since a machine stands still. */
  private static final TransactionSettings PATIENT = TransactionFixture.settings(400_000_000);

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  private static Transaction begin(NodesFixture.Node node) {
    Transaction txn = node.session();
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.startStatement();
    return txn;
  }

  private static Transaction holding(NodesFixture nodes, int slot, int row) {
    Transaction txn = begin(nodes.node(slot));
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

  private static void assertNothingIsLeft(NodesFixture nodes) {
    for (NodesFixture.Node node : nodes.all()) {
      assertEquals(0, node.waitsElsewhere(), "waits of node " + node.slot);
      eventually(() -> node.waitersFromElsewhere() == 0);
      eventually(() -> node.transactions.links().deadlocks().size() == 0);
      assertEquals(0, node.transactions.waiting());
    }
  }

  @Test
  void waitersOfOtherNodesGetARowInTheOrderInWhichTheyCame() throws Exception {
    try (NodesFixture nodes = new NodesFixture(4, 1, Seeds.next(), PATIENT)) {
      List<Integer> order = Collections.synchronizedList(new ArrayList<>());
      Transaction holder = holding(nodes, 1, 0);
      List<Future<?>> waits = new ArrayList<>();
      for (int slot = 2; slot <= 4; slot++) {
        waits.add(updateAndCommit(nodes, slot, order));
        int queued = slot - 1;
        eventually(() -> nodes.node(1).waitersFromElsewhere() == queued);
      }
      holder.commit();
      for (Future<?> wait : waits) {
        wait.get();
      }
      assertEquals(List.of(2, 3, 4), order);
      assertNothingIsLeft(nodes);
    }
  }

  @Test
  void aWaitThatTheOtherNodeDoesNotAnswerIsNotForEver() throws Exception {
    try (NodesFixture nodes = new NodesFixture(2, 1, Seeds.next(), 0)) {
      Transaction holder = holding(nodes, 1, 0);
      // Node 1 takes node 2 for gone, and forgets its waits; node 2 has not heard of that.
      nodes.node(1).peers.leave(2, nodes.node(2).epoch);
      Transaction waiter = begin(nodes.node(2));
      Future<Boolean> updated = update(nodes, 2, waiter, 0);
      eventually(() -> nodes.node(2).waitsElsewhere() == 1);
      holder.commit();
      assertTrue(updated.get());
      waiter.rollback();
    }
  }

  @Test
  void aWaitThatTheOtherNodeForgetsIsNotForEver() throws Exception {
    try (NodesFixture nodes = new NodesFixture(2, 1, Seeds.next(), 0)) {
      Transaction holder = holding(nodes, 1, 0);
      Transaction waiter = begin(nodes.node(2));
      Future<Boolean> updated = update(nodes, 2, waiter, 0);
      eventually(() -> nodes.node(1).waitersFromElsewhere() == 1);
      nodes.node(1).peers.leave(2, nodes.node(2).epoch);
      eventually(() -> nodes.node(1).waitersFromElsewhere() == 0);
      holder.commit();
      assertTrue(updated.get());
      waiter.rollback();
    }
  }

  @Test
  void theLockTimeoutOfAWaitThatIsNotAnsweredCountsFromItsBeginning() throws Exception {
    try (NodesFixture nodes = new NodesFixture(2, 1, Seeds.next(), 0)) {
      Transaction holder = holding(nodes, 1, 0);
      nodes.node(1).peers.leave(2, nodes.node(2).epoch);
      Transaction waiter = begin(nodes.node(2));
      // Longer than it takes until such a wait is begun again.
      waiter.lockTimeoutNanos(TimeUnit.MILLISECONDS.toNanos(3_100));
      Future<Boolean> updated = update(nodes, 2, waiter, 0);
      ExecutionException e = assertThrows(ExecutionException.class, updated::get);
      assertEquals(SqlState.LOCK_NOT_AVAILABLE, ((GaussException) e.getCause()).state());
      waiter.rollback();
      holder.rollback();
    }
  }

  @Test
  void thoseOfANodeThatHasARowGoBeforeWhoWaitsElsewhere() throws Exception {
    try (NodesFixture nodes = new NodesFixture(2, 1, Seeds.next(), PATIENT)) {
      List<Integer> order = Collections.synchronizedList(new ArrayList<>());
      Transaction holder = holding(nodes, 1, 0);
      List<Future<?>> waits = new ArrayList<>();
      waits.add(updateAndCommit(nodes, 2, order));
      eventually(() -> nodes.node(1).waitersFromElsewhere() == 1);
      for (int i = 1; i <= 3; i++) {
        waits.add(updateAndCommit(nodes, 1, order));
        int queued = i;
        eventually(() -> nodes.node(1).transactions.waiting() == queued);
      }
      holder.commit();
      for (Future<?> wait : waits) {
        wait.get();
      }
      assertEquals(List.of(1, 1, 1, 2), order);
      assertNothingIsLeft(nodes);
    }
  }

  @Test
  void whoWaitsElsewhereForARowThatIsWrittenHereWaitsHereAndGoesFirst() throws Exception {
    try (NodesFixture nodes = new NodesFixture(3, 1, Seeds.next(), PATIENT)) {
      List<Integer> order = Collections.synchronizedList(new ArrayList<>());
      Transaction holder = holding(nodes, 1, 0);
      Transaction first = begin(nodes.node(2));
      Future<Boolean> had = update(nodes, 2, first, 0);
      eventually(() -> nodes.node(1).waitersFromElsewhere() == 1);
      Future<?> third = updateAndCommit(nodes, 3, order);
      eventually(() -> nodes.node(1).waitersFromElsewhere() == 2);
      Future<?> second = updateAndCommit(nodes, 2, order);
      eventually(() -> nodes.node(1).waitersFromElsewhere() == 3);
      holder.commit();
      assertTrue(had.get());
      eventually(
          () ->
              nodes.node(2).transactions.waiting() == 1
                  && nodes.node(2).waitsElsewhere() == 0
                  && nodes.node(2).waitersFromElsewhere() == 1);
      first.commit();
      second.get();
      third.get();
      assertEquals(List.of(2, 3), order);
      assertNothingIsLeft(nodes);
    }
  }

  /** Adds the slot to the list when it has the row. */
  private Future<?> updateAndCommit(NodesFixture nodes, int slot, List<Integer> order) {
    NodesFixture.Node node = nodes.node(slot);
    Transaction txn = begin(node);
    return threads.submit(
        () -> {
          nodes
              .rows()
              .update(
                  node,
                  txn,
                  0,
                  WaitPolicy.WAIT,
                  old -> {
                    order.add(slot);
                    return old + 1;
                  });
          txn.commit();
        });
  }

  @Test
  void whoRollsBackLetsTheWaiterOnWithTheOldRow() throws Exception {
    try (NodesFixture nodes = new NodesFixture(2, 1, Seeds.next(), 0)) {
      Transaction holder = begin(nodes.node(1));
      nodes.rows().update(nodes.node(1), holder, 0, WaitPolicy.WAIT, old -> 100);
      Transaction waiter = begin(nodes.node(2));
      Future<Boolean> wait = update(nodes, 2, waiter, 0);
      eventually(() -> nodes.node(1).waitersFromElsewhere() == 1);
      holder.rollback();
      assertTrue(wait.get());
      waiter.commit();
      Transaction reader = begin(nodes.node(2));
      assertEquals(1, nodes.rows().read(nodes.node(2), reader, 0));
      assertNothingIsLeft(nodes);
    }
  }

  /** Before that a crash could make it active again, with its row. */
  @Test
  void aWaiterHearsOfARollbackWhenItIsDurable() throws Exception {
    try (NodesFixture nodes = new NodesFixture(2, 2, Seeds.next(), 0)) {
      NodesFixture.Node one = nodes.node(1);
      Transaction holder = begin(one);
      nodes.rows().update(one, holder, 0, WaitPolicy.WAIT, old -> 100);
      long xid = holder.xid();
      Transaction waiter = begin(nodes.node(2));
      Future<Boolean> wait = update(nodes, 2, waiter, 0);
      eventually(() -> one.waitersFromElsewhere() == 1);
      Transaction beside = holding(nodes, 1, 1);
      one.engine.quiesce();
      one.engine.stream().hold();
      holder.rollback();
      Transaction asks = begin(nodes.node(2));
      asksBehind(nodes, asks);
      assertTrue(
          nodes.node(2).transactions.states().mayBeActive(asks, xid),
          "the waiter was told of what a crash takes back");
      assertFalse(wait.isDone());
      assertEquals(1, one.waitersFromElsewhere(), "it keeps its place");
      one.engine.stream().release();
      assertTrue(wait.get());
      waiter.commit();
      asks.rollback();
      beside.rollback();
      one.engine.quiesce();
      Transaction reader = begin(nodes.node(2));
      assertEquals(1, nodes.rows().read(nodes.node(2), reader, 0));
      assertNothingIsLeft(nodes);
    }
  }

  /** Questions that are answered behind what a waiter would be told by then, and learn. */
  private static void asksBehind(NodesFixture nodes, Transaction asks) {
    for (int i = 0; i < 20; i++) {
      assertFalse(nodes.rows().update(nodes.node(2), asks, 1, WaitPolicy.NO_WAIT, old -> 1));
    }
  }

  /** The node that dies takes it back: the row has its change again, until that is undone. */
  @Test
  void aWaiterForARollbackThatIsLostGetsTheRowOnceItIsRolledBackAgain() throws Exception {
    try (NodesFixture nodes = new NodesFixture(3, 2, Seeds.next(), 0)) {
      NodesFixture.Node one = nodes.node(1);
      Transaction holder = begin(one);
      nodes.rows().update(one, holder, 0, WaitPolicy.WAIT, old -> 100);
      Transaction waiter = begin(nodes.node(2));
      Future<Boolean> wait = update(nodes, 2, waiter, 0);
      eventually(() -> one.waitersFromElsewhere() == 1);
      holding(nodes, 1, 1);
      one.engine.quiesce();
      one.engine.stream().hold();
      holder.rollback();
      Transaction asks = begin(nodes.node(2));
      asksBehind(nodes, asks);
      nodes.kill(1, 3);
      assertEquals(2, nodes.takeOver(1, 3));
      assertTrue(wait.get());
      asks.rollback();
      waiter.commit();
      nodes.node(2).engine.quiesce();
      assertEquals(1, nodes.rows().read(nodes.node(2), begin(nodes.node(2)), 0));
      assertNothingIsLeft(nodes);
    }
  }

  /** It is not told to look again either: it would do nothing else. */
  @Test
  void aWaiterForARollbackForWhichTheDiskHasNoRoomGoesOnWaiting() throws Exception {
    try (NodesFixture nodes = new NodesFixture(2, 1, Seeds.next(), 0)) {
      NodesFixture.Node one = nodes.node(1);
      Transaction holder = begin(one);
      nodes.rows().update(one, holder, 0, WaitPolicy.WAIT, old -> 100);
      long xid = holder.xid();
      Transaction waiter = begin(nodes.node(2));
      Future<Boolean> wait = update(nodes, 2, waiter, 0);
      eventually(() -> one.waitersFromElsewhere() == 1);
      one.engine.quiesce();
      one.engine.stream().full(true);
      holder.rollback();
      for (int i = 0; i < 2; i++) {
        // The second one is refused when all are that came with the first.
        assertThrows(GaussException.class, one.engine::quiesce);
      }
      Transaction asks = begin(nodes.node(2));
      nodes.node(2).transactions.remote().resolve(asks, asks.snapshot().lsn(), xid);
      assertTrue(
          nodes.node(2).transactions.states().mayBeActive(asks, xid),
          "the waiter was told of what a crash takes back");
      assertFalse(wait.isDone());
      assertEquals(1, one.waitersFromElsewhere(), "it keeps its place");
      assertEquals(1, nodes.node(2).waitsElsewhere(), "it waits there");
      one.engine.stream().full(false);
      assertTrue(wait.get());
      waiter.commit();
      asks.rollback();
      nodes.node(2).engine.quiesce();
      assertEquals(1, nodes.rows().read(nodes.node(2), begin(nodes.node(2)), 0));
      assertNothingIsLeft(nodes);
    }
  }

  @Test
  void whoDoesNotWaitIsToldThatTheRowIsLocked() {
    try (NodesFixture nodes = new NodesFixture(2, 1, Seeds.next(), 0)) {
      Transaction holder = holding(nodes, 1, 0);
      Transaction other = begin(nodes.node(2));
      assertFalse(nodes.rows().update(nodes.node(2), other, 0, WaitPolicy.NO_WAIT, old -> old + 1));
      holder.commit();
      nodes.node(1).engine.quiesce();
      assertTrue(nodes.rows().update(nodes.node(2), other, 0, WaitPolicy.NO_WAIT, old -> old + 1));
      other.commit();
      assertNothingIsLeft(nodes);
    }
  }

  @Test
  void aWaitThatTakesTooLongIsGivenUpAndLeavesNothingBehind() {
    try (NodesFixture nodes = new NodesFixture(2, 1, Seeds.next(), 0)) {
      Transaction holder = holding(nodes, 1, 0);
      Transaction waiter = begin(nodes.node(2));
      waiter.lockTimeoutNanos(TimeUnit.MILLISECONDS.toNanos(40));
      GaussException e =
          assertThrows(
              GaussException.class,
              () -> nodes.rows().update(nodes.node(2), waiter, 0, WaitPolicy.WAIT, old -> old + 1));
      assertEquals(SqlState.LOCK_NOT_AVAILABLE, e.state());
      waiter.rollback();
      assertNothingIsLeft(nodes);
      holder.commit();
    }
  }

  @Test
  void aWaitThatIsCancelledLetsTheNextOneHaveTheRow() throws Exception {
    try (NodesFixture nodes = new NodesFixture(3, 1, Seeds.next(), 0)) {
      Transaction holder = holding(nodes, 1, 0);
      Transaction cancelled = begin(nodes.node(2));
      Future<Boolean> first = update(nodes, 2, cancelled, 0);
      eventually(() -> nodes.node(1).waitersFromElsewhere() == 1);
      Transaction waiter = begin(nodes.node(3));
      Future<Boolean> second = update(nodes, 3, waiter, 0);
      eventually(() -> nodes.node(1).waitersFromElsewhere() == 2);
      cancelled.context().interrupts().request(SqlState.QUERY_CANCELED, "canceling statement");
      assertEquals(SqlState.QUERY_CANCELED, failure(first));
      cancelled.rollback();
      holder.commit();
      assertTrue(second.get());
      waiter.commit();
      assertNothingIsLeft(nodes);
    }
  }

  private static SqlState failure(Future<?> future) throws InterruptedException {
    try {
      future.get();
      return null;
    } catch (ExecutionException e) {
      return ((GaussException) e.getCause()).state();
    }
  }

  @Test
  void ofTwoNodesThatWaitForEachOtherTheYoungerTransactionDies() throws Exception {
    try (NodesFixture nodes = new NodesFixture(2, 2, Seeds.next(), 0)) {
      Transaction older = holding(nodes, 2, 0);
      nodes.node(1).engine.clock().observe(nodes.node(2).engine.clock().now());
      Transaction younger = holding(nodes, 1, 1);
      Future<Boolean> first = update(nodes, 2, older, 1);
      Future<Boolean> second = update(nodes, 1, younger, 0);
      assertEquals(SqlState.DEADLOCK_DETECTED, failure(second));
      younger.rollback();
      assertTrue(first.get());
      older.commit();
      assertNothingIsLeft(nodes);
    }
  }

  @Test
  void ofThreeNodesInACircleExactlyOneDies() throws Exception {
    long seed = Seeds.next();
    for (int round = 0; round < 5; round++) {
      try (NodesFixture nodes = new NodesFixture(3, 3, seed + round, 200)) {
        List<Transaction> members = new ArrayList<>();
        List<Future<Boolean>> waits = new ArrayList<>();
        for (int slot = 1; slot <= 3; slot++) {
          members.add(holding(nodes, slot, slot - 1));
        }
        for (int slot = 1; slot <= 3; slot++) {
          waits.add(update(nodes, slot, members.get(slot - 1), slot % 3));
        }
        int dead = 0;
        int left = 3;
        while (left > 0) {
          for (int i = 0; i < 3; i++) {
            if (waits.get(i) != null && waits.get(i).isDone()) {
              SqlState failure = failure(waits.get(i));
              if (failure == null) {
                members.get(i).commit();
              } else {
                assertEquals(SqlState.DEADLOCK_DETECTED, failure);
                members.get(i).rollback();
                dead++;
              }
              waits.set(i, null);
              left--;
            }
          }
          assertFalse(Thread.interrupted(), "it was not resolved in time");
          Thread.yield();
        }
        assertEquals(1, dead);
        assertNothingIsLeft(nodes);
      }
    }
  }

  @Test
  void whoWaitsForATransactionOfANodeThatDiesGoesOnWhenItsRecovererHasRolledItBack()
      throws Exception {
    try (NodesFixture nodes = new NodesFixture(3, 2, Seeds.next(), 0)) {
      Transaction early = nodes.node(2).session();
      early.begin(IsolationLevel.REPEATABLE_READ);
      early.startStatement();
      nodes.node(1).engine.clock().observe(early.snapshot().lsn());
      Transaction committed = begin(nodes.node(1));
      nodes.rows().update(nodes.node(1), committed, 1, WaitPolicy.WAIT, before -> 5);
      long committedXid = committed.xid();
      committed.commit();
      Transaction lost = begin(nodes.node(1));
      nodes.rows().update(nodes.node(1), lost, 0, WaitPolicy.WAIT, old -> 100);
      long lostXid = lost.xid();
      Transaction waiter = begin(nodes.node(2));
      Future<Boolean> wait = update(nodes, 2, waiter, 0);
      eventually(() -> nodes.node(1).waitersFromElsewhere() == 1);

      long busy = begin(nodes.node(3)).ensureXid();
      nodes.node(1).engine.quiesce();
      TestEngine before = nodes.kill(1, 3);
      assertFalse(wait.isDone());
      assertEquals(1, nodes.takeOver(1, 3));
      assertTrue(wait.get());
      waiter.commit();
      assertStatuses(nodes, committedXid, lostXid);
      Transaction reader = begin(nodes.node(2));
      assertEquals(1, nodes.rows().read(nodes.node(2), reader, 0));
      assertEquals(5, nodes.rows().read(nodes.node(2), reader, 1));
      nodes.refreshHorizon();
      assertEquals(0, nodes.rows().read(nodes.node(2), early, 1), "committed after that snapshot");
      Set<Integer> segments = new HashSet<>(Set.of(Xid.segment(busy)));
      for (int i = 0; i < 4; i++) {
        segments.add(Xid.segment(begin(nodes.node(3)).ensureXid()));
      }
      assertEquals(5, segments.size(), "the recoverer's own segments stay its own");

      nodes.recovered(1, 3, before);
      assertStatuses(nodes, committedXid, lostXid);
      Transaction reads = begin(nodes.node(2));
      assertEquals(5, nodes.rows().read(nodes.node(2), reads, 1));
      assertEquals(List.of(2, 3), nodes.holding(1), "each for itself");

      nodes.restart(1, 2, before);
      assertEquals(List.of(1), nodes.holding(1));
      nodes.refreshHorizon();
      assertEquals(0, nodes.rows().read(nodes.node(2), early, 1), "still");
      assertStatuses(nodes, committedXid, lostXid);
      Transaction late = begin(nodes.node(3));
      assertEquals(1, nodes.rows().read(nodes.node(3), late, 0));
      assertEquals(5, nodes.rows().read(nodes.node(3), late, 1));
      Transaction again = begin(nodes.node(1));
      assertTrue(nodes.rows().update(nodes.node(1), again, 0, WaitPolicy.WAIT, old -> 9));
      assertTrue(again.xid() != lostXid && again.xid() != committedXid);
      again.commit();
    }
  }

  private static void assertStatuses(NodesFixture nodes, long committed, long lost) {
    for (NodesFixture.Node node : nodes.all()) {
      Transaction asker = begin(node);
      assertEquals(XidStates.Outcome.COMMITTED, node.transactions.outcome(committed, asker));
      assertEquals(XidStates.Outcome.ABORTED, node.transactions.outcome(lost, asker));
    }
  }

  /**
   * Node 1 is held up between a message of node 2 and the queue until node 2 has died and is back.
   * The next life numbers its waits alike, and was told what became of the first one's: it took an
   * active transaction for committed, and overwrote its row.
   */
  @Test
  void aWaitOfADeadLifeIsNotTakenForOneOfTheNext() throws Exception {
    try (NodesFixture nodes = new NodesFixture(3, 2, Seeds.next(), 0)) {
      Transaction first = holding(nodes, 1, 0);
      Transaction second = holding(nodes, 1, 1);
      TestEngine before = nodes.kill(2, 3);
      nodes.takeOver(2, 3);
      nodes.recovered(2, 3, before);
      nodes.restart(2, 2, before);
      nodes
          .node(1)
          .transactions
          .links()
          .rowWaits()
          .began(2, 1, RowWaitLayout.wait(Unpooled.buffer(), -1, 1, first.xid(), 0));
      assertEquals(0, nodes.node(1).waitersFromElsewhere());
      Transaction waiter = begin(nodes.node(2));
      Future<Boolean> wait = update(nodes, 2, waiter, 1);
      eventually(() -> nodes.node(1).waitersFromElsewhere() == 1);
      first.commit();
      second.rollback();
      assertTrue(wait.get());
      waiter.commit();
      assertNothingIsLeft(nodes);
    }
  }

  /** Also when it dies while its wait is about to get a place. */
  @Test
  void aNodeThatDiesWhileItsWaitIsQueuedLeavesNoPlace() throws Exception {
    try (NodesFixture nodes = new NodesFixture(2, 1, Seeds.next(), 0)) {
      Transaction holder = holding(nodes, 1, 0);
      RowWaitService service = nodes.node(1).transactions.links().rowWaits();
      UndoSegment holders = nodes.node(1).transactions.slots().segment(holder.xid());
      int epoch = nodes.node(2).epoch;
      for (int wait = 1; wait <= 20_000; wait++) {
        ByteBuf message = RowWaitLayout.wait(Unpooled.buffer(), -1, wait, holder.xid(), 0);
        Future<?> dies = threads.submit(() -> service.lost(2));
        service.began(2, epoch, message);
        dies.get();
        service.lost(2);
        assertEquals(0, UndoProbe.waiters(holders), "round " + wait);
      }
      holder.rollback();
      assertNothingIsLeft(nodes);
    }
  }

  @Test
  void aNodeThatDiesLeavesNoPlacesInOthersQueues() throws Exception {
    try (NodesFixture nodes = new NodesFixture(3, 1, Seeds.next(), 0)) {
      Transaction holder = holding(nodes, 1, 0);
      Future<Boolean> dying = update(nodes, 2, begin(nodes.node(2)), 0);
      eventually(() -> nodes.node(1).waitersFromElsewhere() == 1);
      Transaction waiter = begin(nodes.node(3));
      Future<Boolean> wait = update(nodes, 3, waiter, 0);
      eventually(() -> nodes.node(1).waitersFromElsewhere() == 2);
      nodes.kill(2, 3);
      eventually(() -> nodes.node(1).waitersFromElsewhere() == 1);
      holder.commit();
      assertTrue(wait.get());
      waiter.commit();
      dying.cancel(true);
      assertNothingIsLeft(nodes);
    }
  }
}
