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
  private NodesFixture nodes;

  /** Nodes 1 to {@code count}, which share some rows. */
  private void start(int count, int rows) {
    nodes = new NodesFixture(count, rows, Seeds.next(), 0);
  }

  private void start(int count, int rows, TransactionSettings settings) {
    nodes = new NodesFixture(count, rows, Seeds.next(), settings);
  }

  @AfterEach
  void stop() {
    if (nodes != null) {
      nodes.close();
    }
    threads.shutdownNow();
  }

  private Transaction begin(int slot) {
    Transaction txn = nodes.node(slot).session();
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.startStatement();
    return txn;
  }

  /** A transaction that has written a row. */
  private Transaction holding(int slot, int row) {
    Transaction txn = begin(slot);
    assertTrue(nodes.rows().update(nodes.node(slot), txn, row, WaitPolicy.WAIT, old -> old));
    return txn;
  }

  /** Waits for a row, and writes it. */
  private Future<Boolean> update(int slot, Transaction txn, int row) {
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

  /** Waits until so many of other nodes wait at this one. */
  private void awaitQueued(int slot, int waiters) {
    eventually(() -> nodes.node(slot).waitersFromElsewhere() == waiters);
  }

  private long read(int slot, Transaction txn, int row) {
    return nodes.rows().read(nodes.node(slot), txn, row);
  }

  private void assertNothingIsLeft() {
    for (NodesFixture.Node node : nodes.all()) {
      assertEquals(0, node.waitsElsewhere(), "waits of node " + node.slot);
      eventually(() -> node.waitersFromElsewhere() == 0);
      eventually(() -> node.transactions.links().deadlocks().size() == 0);
      assertEquals(0, node.transactions.waiting());
    }
  }

  @Test
  void waitersOfOtherNodesGetARowInTheOrderInWhichTheyCame() throws Exception {
    start(4, 1, PATIENT);
    List<Integer> order = Collections.synchronizedList(new ArrayList<>());
    Transaction holder = holding(1, 0);
    List<Future<?>> waits = new ArrayList<>();
    for (int slot = 2; slot <= 4; slot++) {
      waits.add(updateAndCommit(slot, order));
      awaitQueued(1, slot - 1);
    }
    holder.commit();
    for (Future<?> wait : waits) {
      wait.get();
    }
    assertEquals(List.of(2, 3, 4), order);
    assertNothingIsLeft();
  }

  @Test
  void aWaitThatTheOtherNodeDoesNotAnswerIsNotForEver() throws Exception {
    start(2, 1);
    Transaction holder = holding(1, 0);
    // Node 1 takes node 2 for gone, and forgets its waits; node 2 has not heard of that.
    nodes.node(1).peers.leave(2, nodes.node(2).epoch);
    Transaction waiter = begin(2);
    Future<Boolean> updated = update(2, waiter, 0);
    eventually(() -> nodes.node(2).waitsElsewhere() == 1);
    holder.commit();
    assertTrue(updated.get());
    waiter.rollback();
  }

  @Test
  void aWaitThatTheOtherNodeForgetsIsNotForEver() throws Exception {
    start(2, 1);
    Transaction holder = holding(1, 0);
    Transaction waiter = begin(2);
    Future<Boolean> updated = update(2, waiter, 0);
    awaitQueued(1, 1);
    nodes.node(1).peers.leave(2, nodes.node(2).epoch);
    awaitQueued(1, 0);
    holder.commit();
    assertTrue(updated.get());
    waiter.rollback();
  }

  @Test
  void theLockTimeoutOfAWaitThatIsNotAnsweredCountsFromItsBeginning() throws Exception {
    start(2, 1);
    Transaction holder = holding(1, 0);
    nodes.node(1).peers.leave(2, nodes.node(2).epoch);
    Transaction waiter = begin(2);
    // Longer than it takes until such a wait is begun again.
    waiter.lockTimeoutNanos(TimeUnit.MILLISECONDS.toNanos(3_100));
    Future<Boolean> updated = update(2, waiter, 0);
    ExecutionException e = assertThrows(ExecutionException.class, updated::get);
    assertEquals(SqlState.LOCK_NOT_AVAILABLE, ((GaussException) e.getCause()).state());
    waiter.rollback();
    holder.rollback();
  }

  @Test
  void thoseOfANodeThatHasARowGoBeforeWhoWaitsElsewhere() throws Exception {
    start(2, 1, PATIENT);
    List<Integer> order = Collections.synchronizedList(new ArrayList<>());
    Transaction holder = holding(1, 0);
    List<Future<?>> waits = new ArrayList<>();
    waits.add(updateAndCommit(2, order));
    awaitQueued(1, 1);
    for (int i = 1; i <= 3; i++) {
      waits.add(updateAndCommit(1, order));
      int queued = i;
      eventually(() -> nodes.node(1).transactions.waiting() == queued);
    }
    holder.commit();
    for (Future<?> wait : waits) {
      wait.get();
    }
    assertEquals(List.of(1, 1, 1, 2), order);
    assertNothingIsLeft();
  }

  @Test
  void whoWaitsElsewhereForARowThatIsWrittenHereWaitsHereAndGoesFirst() throws Exception {
    start(3, 1, PATIENT);
    List<Integer> order = Collections.synchronizedList(new ArrayList<>());
    Transaction holder = holding(1, 0);
    Transaction first = begin(2);
    Future<Boolean> had = update(2, first, 0);
    awaitQueued(1, 1);
    Future<?> third = updateAndCommit(3, order);
    awaitQueued(1, 2);
    Future<?> second = updateAndCommit(2, order);
    awaitQueued(1, 3);
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
    assertNothingIsLeft();
  }

  /** Adds the slot to the list when it has the row. */
  private Future<?> updateAndCommit(int slot, List<Integer> order) {
    NodesFixture.Node node = nodes.node(slot);
    Transaction txn = begin(slot);
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
    start(2, 1);
    Transaction holder = begin(1);
    nodes.rows().update(nodes.node(1), holder, 0, WaitPolicy.WAIT, old -> 100);
    Transaction waiter = begin(2);
    Future<Boolean> wait = update(2, waiter, 0);
    awaitQueued(1, 1);
    holder.rollback();
    assertTrue(wait.get());
    waiter.commit();
    Transaction reader = begin(2);
    assertEquals(1, read(2, reader, 0));
    assertNothingIsLeft();
  }

  /** Before that a crash could make it active again, with its row. */
  @Test
  void aWaiterHearsOfARollbackWhenItIsDurable() throws Exception {
    start(2, 2);
    NodesFixture.Node one = nodes.node(1);
    Transaction holder = begin(1);
    nodes.rows().update(one, holder, 0, WaitPolicy.WAIT, old -> 100);
    long xid = holder.xid();
    Transaction waiter = begin(2);
    Future<Boolean> wait = update(2, waiter, 0);
    awaitQueued(1, 1);
    Transaction beside = holding(1, 1);
    one.engine.quiesce();
    one.engine.stream().hold();
    holder.rollback();
    Transaction asks = begin(2);
    asksBehind(asks);
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
    Transaction reader = begin(2);
    assertEquals(1, read(2, reader, 0));
    assertNothingIsLeft();
  }

  /** Questions that are answered behind what a waiter would be told by then, and learn. */
  private void asksBehind(Transaction asks) {
    for (int i = 0; i < 20; i++) {
      assertFalse(nodes.rows().update(nodes.node(2), asks, 1, WaitPolicy.NO_WAIT, old -> 1));
    }
  }

  /** The node that dies takes it back: the row has its change again, until that is undone. */
  @Test
  void aWaiterForARollbackThatIsLostGetsTheRowOnceItIsRolledBackAgain() throws Exception {
    start(3, 2);
    NodesFixture.Node one = nodes.node(1);
    Transaction holder = begin(1);
    nodes.rows().update(one, holder, 0, WaitPolicy.WAIT, old -> 100);
    Transaction waiter = begin(2);
    Future<Boolean> wait = update(2, waiter, 0);
    awaitQueued(1, 1);
    holding(1, 1);
    one.engine.quiesce();
    one.engine.stream().hold();
    holder.rollback();
    Transaction asks = begin(2);
    asksBehind(asks);
    nodes.kill(1, 3);
    assertEquals(2, nodes.takeOver(1, 3));
    assertTrue(wait.get());
    asks.rollback();
    waiter.commit();
    nodes.node(2).engine.quiesce();
    assertEquals(1, read(2, begin(2), 0));
    assertNothingIsLeft();
  }

  /** It is not told to look again either: it would do nothing else. */
  @Test
  void aWaiterForARollbackForWhichTheDiskHasNoRoomGoesOnWaiting() throws Exception {
    start(2, 1);
    NodesFixture.Node one = nodes.node(1);
    Transaction holder = begin(1);
    nodes.rows().update(one, holder, 0, WaitPolicy.WAIT, old -> 100);
    long xid = holder.xid();
    Transaction waiter = begin(2);
    Future<Boolean> wait = update(2, waiter, 0);
    awaitQueued(1, 1);
    one.engine.quiesce();
    one.engine.stream().full(true);
    holder.rollback();
    for (int i = 0; i < 2; i++) {
      // The second one is refused when all are that came with the first.
      assertThrows(GaussException.class, one.engine::quiesce);
    }
    Transaction asks = begin(2);
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
    assertEquals(1, read(2, begin(2), 0));
    assertNothingIsLeft();
  }

  @Test
  void whoDoesNotWaitIsToldThatTheRowIsLocked() {
    start(2, 1);
    Transaction holder = holding(1, 0);
    Transaction other = begin(2);
    assertFalse(nodes.rows().update(nodes.node(2), other, 0, WaitPolicy.NO_WAIT, old -> old + 1));
    holder.commit();
    nodes.node(1).engine.quiesce();
    assertTrue(nodes.rows().update(nodes.node(2), other, 0, WaitPolicy.NO_WAIT, old -> old + 1));
    other.commit();
    assertNothingIsLeft();
  }

  @Test
  void aWaitThatTakesTooLongIsGivenUpAndLeavesNothingBehind() {
    start(2, 1);
    Transaction holder = holding(1, 0);
    Transaction waiter = begin(2);
    waiter.lockTimeoutNanos(TimeUnit.MILLISECONDS.toNanos(40));
    GaussException e =
        assertThrows(
            GaussException.class,
            () -> nodes.rows().update(nodes.node(2), waiter, 0, WaitPolicy.WAIT, old -> old + 1));
    assertEquals(SqlState.LOCK_NOT_AVAILABLE, e.state());
    waiter.rollback();
    assertNothingIsLeft();
    holder.commit();
  }

  @Test
  void aWaitThatIsCancelledLetsTheNextOneHaveTheRow() throws Exception {
    start(3, 1);
    Transaction holder = holding(1, 0);
    Transaction cancelled = begin(2);
    Future<Boolean> first = update(2, cancelled, 0);
    awaitQueued(1, 1);
    Transaction waiter = begin(3);
    Future<Boolean> second = update(3, waiter, 0);
    awaitQueued(1, 2);
    cancelled.context().interrupts().request(SqlState.QUERY_CANCELED, "canceling statement");
    assertEquals(SqlState.QUERY_CANCELED, failure(first));
    cancelled.rollback();
    holder.commit();
    assertTrue(second.get());
    waiter.commit();
    assertNothingIsLeft();
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
    start(2, 2);
    Transaction older = holding(2, 0);
    nodes.node(1).engine.clock().observe(nodes.node(2).engine.clock().now());
    Transaction younger = holding(1, 1);
    Future<Boolean> first = update(2, older, 1);
    Future<Boolean> second = update(1, younger, 0);
    assertEquals(SqlState.DEADLOCK_DETECTED, failure(second));
    younger.rollback();
    assertTrue(first.get());
    older.commit();
    assertNothingIsLeft();
  }

  @Test
  void ofThreeNodesInACircleExactlyOneDies() throws Exception {
    long seed = Seeds.next();
    for (int round = 0; round < 5; round++) {
      nodes = new NodesFixture(3, 3, seed + round, 200);
      List<Transaction> members = new ArrayList<>();
      List<Future<Boolean>> waits = new ArrayList<>();
      for (int slot = 1; slot <= 3; slot++) {
        members.add(holding(slot, slot - 1));
      }
      for (int slot = 1; slot <= 3; slot++) {
        waits.add(update(slot, members.get(slot - 1), slot % 3));
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
      assertNothingIsLeft();
      nodes.close();
      nodes = null;
    }
  }

  @Test
  void whoWaitsForATransactionOfANodeThatDiesGoesOnWhenItsRecovererHasRolledItBack()
      throws Exception {
    start(3, 2);
    Transaction early = nodes.node(2).session();
    early.begin(IsolationLevel.REPEATABLE_READ);
    early.startStatement();
    nodes.node(1).engine.clock().observe(early.snapshot().lsn());
    Transaction committed = begin(1);
    nodes.rows().update(nodes.node(1), committed, 1, WaitPolicy.WAIT, before -> 5);
    long committedXid = committed.xid();
    committed.commit();
    Transaction lost = begin(1);
    nodes.rows().update(nodes.node(1), lost, 0, WaitPolicy.WAIT, old -> 100);
    long lostXid = lost.xid();
    Transaction waiter = begin(2);
    Future<Boolean> wait = update(2, waiter, 0);
    awaitQueued(1, 1);

    long busy = begin(3).ensureXid();
    nodes.node(1).engine.quiesce();
    TestEngine before = nodes.kill(1, 3);
    assertFalse(wait.isDone());
    assertEquals(1, nodes.takeOver(1, 3));
    assertTrue(wait.get());
    waiter.commit();
    assertStatuses(committedXid, lostXid);
    Transaction reader = begin(2);
    assertEquals(1, read(2, reader, 0));
    assertEquals(5, read(2, reader, 1));
    nodes.refreshHorizon();
    assertEquals(0, read(2, early, 1), "committed after that snapshot");
    Set<Integer> segments = new HashSet<>(Set.of(Xid.segment(busy)));
    for (int i = 0; i < 4; i++) {
      segments.add(Xid.segment(begin(3).ensureXid()));
    }
    assertEquals(5, segments.size(), "the recoverer's own segments stay its own");

    nodes.recovered(1, 3, before);
    assertStatuses(committedXid, lostXid);
    Transaction reads = begin(2);
    assertEquals(5, read(2, reads, 1));
    assertEquals(List.of(2, 3), nodes.holding(1), "each for itself");

    nodes.restart(1, 2, before);
    assertEquals(List.of(1), nodes.holding(1));
    nodes.refreshHorizon();
    assertEquals(0, read(2, early, 1), "still");
    assertStatuses(committedXid, lostXid);
    Transaction late = begin(3);
    assertEquals(1, read(3, late, 0));
    assertEquals(5, read(3, late, 1));
    Transaction again = begin(1);
    assertTrue(nodes.rows().update(nodes.node(1), again, 0, WaitPolicy.WAIT, old -> 9));
    assertTrue(again.xid() != lostXid && again.xid() != committedXid);
    again.commit();
  }

  private void assertStatuses(long committed, long lost) {
    for (NodesFixture.Node node : nodes.all()) {
      Transaction asker = begin(node.slot);
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
    start(3, 2);
    Transaction first = holding(1, 0);
    Transaction second = holding(1, 1);
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
    Transaction waiter = begin(2);
    Future<Boolean> wait = update(2, waiter, 1);
    awaitQueued(1, 1);
    first.commit();
    second.rollback();
    assertTrue(wait.get());
    waiter.commit();
    assertNothingIsLeft();
  }

  /** Also when it dies while its wait is about to get a place. */
  @Test
  void aNodeThatDiesWhileItsWaitIsQueuedLeavesNoPlace() throws Exception {
    start(2, 1);
    Transaction holder = holding(1, 0);
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
    assertNothingIsLeft();
  }

  /** As a question that overtakes the end of its wait would leave it. */
  @Test
  void aPlaceOfWhichItsNodeKnowsNothingIsGivenUp() throws Exception {
    start(2, 1);
    Transaction holder = holding(1, 0);
    UndoSegment holders = nodes.node(1).transactions.slots().segment(holder.xid());
    nodes
        .node(1)
        .transactions
        .links()
        .rowWaits()
        .began(
            2,
            nodes.node(2).epoch,
            RowWaitLayout.wait(Unpooled.buffer(), -1, 1_000_000, holder.xid(), 0));
    awaitQueued(1, 0);
    eventually(() -> UndoProbe.waiters(holders) == 0);
    holder.rollback();
    assertNothingIsLeft();
  }

  @Test
  void aNodeThatDiesLeavesNoPlacesInOthersQueues() throws Exception {
    start(3, 1);
    Transaction holder = holding(1, 0);
    Future<Boolean> dying = update(2, begin(2), 0);
    awaitQueued(1, 1);
    Transaction waiter = begin(3);
    Future<Boolean> wait = update(3, waiter, 0);
    awaitQueued(1, 2);
    nodes.kill(2, 3);
    awaitQueued(1, 1);
    holder.commit();
    assertTrue(wait.get());
    waiter.commit();
    dying.cancel(true);
    assertNothingIsLeft();
  }
}
