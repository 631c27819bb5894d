package io.gauss.compute.txn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.fault.FaultPoints;
import io.gauss.compute.engine.Seeds;
import io.gauss.compute.engine.TestEngine;
import io.gauss.compute.peer.PeerNodes;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Node 1 dies, node 3 recovers it, and it comes back: what nodes know of its segments from before
 * says nothing about what it does now (rules 34 and 35).
 */
@Timeout(300)
class NextLifeTest {
  private static final int DIES = 1;
  private static final int OTHER = 2;
  private static final int RECOVERER = 3;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final NodesFixture nodes = new NodesFixture(3, 4, Seeds.next(), 0);

  @AfterEach
  void stop() {
    threads.shutdownNow();
    nodes.close();
  }

  private Transaction begin(int slot) {
    Transaction txn = nodes.node(slot).session();
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.startStatement();
    return txn;
  }

  private Transaction writes(int slot, int row, long value) {
    Transaction txn = begin(slot);
    assertTrue(nodes.rows().update(nodes.node(slot), txn, row, WaitPolicy.WAIT, old -> value));
    return txn;
  }

  private Future<Long> read(int slot, int row) {
    return threads.submit(() -> nodes.rows().read(nodes.node(slot), begin(slot), row));
  }

  private static void eventually(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      assertFalse(Thread.interrupted(), "it did not happen in time");
      Thread.yield();
    }
  }

  /** A transaction of the node that dies; all live nodes have heard of it, as whoever is told. */
  private void clocksOf(Transaction committing) {
    long csn = committing.commit();
    nodes.node(DIES).engine.quiesce();
    for (NodesFixture.Node node : nodes.all()) {
      node.engine.clock().observe(csn);
    }
  }

  /** All maps but the dead node's own still say that the recoverer answers. */
  @Test
  void aRecovererThatHasNotLetGoAnswersNothingOfTheNextLife() throws Exception {
    clocksOf(writes(DIES, 0, 1));
    TestEngine before = nodes.kill(DIES, RECOVERER);
    nodes.takeOver(DIES, RECOVERER);
    nodes.atRest(DIES, RECOVERER, before);
    nodes.restartUnnoticed(DIES, 2, before);
    Transaction committed = writes(DIES, 0, 7);
    long xid = committed.xid();
    clocksOf(committed);
    Transaction active = writes(DIES, 1, 8);

    for (int slot : List.of(OTHER, RECOVERER)) {
      Transactions all = nodes.node(slot).transactions;
      Transaction asker = begin(slot);
      assertTrue(all.states().mayBeActive(asker, active.xid()), "node " + slot);
      assertEquals(XidStates.Outcome.UNKNOWN, all.outcome(xid, asker), "node " + slot);
    }
    List<Future<Long>> reads = List.of(read(OTHER, 0), read(RECOVERER, 0));
    Transaction writer = begin(RECOVERER);
    Future<Boolean> overwrites =
        threads.submit(
            () ->
                nodes
                    .rows()
                    .update(nodes.node(RECOVERER), writer, 1, WaitPolicy.NO_WAIT, old -> 9));
    eventually(() -> nodes.node(OTHER).transactions.metrics().remoteQuestions() > 2);
    reads.forEach(read -> assertFalse(read.isDone(), "nobody can know"));
    assertFalse(overwrites.isDone());

    nodes.resign(DIES, RECOVERER);
    nodes.comesBack(DIES, 2);
    for (Future<Long> read : reads) {
      assertEquals(7, read.get());
    }
    assertFalse(overwrites.get(), "its writer is active");
    for (int slot : List.of(DIES, OTHER, RECOVERER)) {
      Transaction asker = begin(slot);
      assertEquals(XidStates.Outcome.COMMITTED, nodes.node(slot).transactions.outcome(xid, asker));
    }
    assertEquals(List.of(DIES), nodes.holding(DIES));
  }

  /** Rule 34: it has let go before its map, or that of any other node, says so. */
  @Test
  void aRecovererThatHasLetGoDoesNotReadTheSegmentsAgain() throws Exception {
    clocksOf(writes(DIES, 0, 1));
    TestEngine before = nodes.kill(DIES, RECOVERER);
    nodes.takeOver(DIES, RECOVERER);
    nodes.resign(DIES, RECOVERER);
    Future<Long> read = read(RECOVERER, 0);
    Future<Long> asks = read(OTHER, 0);
    eventually(() -> nodes.node(OTHER).transactions.metrics().remoteQuestions() > 1);
    assertFalse(read.isDone());
    assertFalse(asks.isDone());
    assertEquals(List.of(), nodes.holding(DIES));

    nodes.recovered(DIES, RECOVERER, before);
    assertEquals(1, read.get());
    assertEquals(1, asks.get());
  }

  @Test
  void whatIsReadWhileTheNodeComesBackIsNotUsed() throws Exception {
    clocksOf(writes(DIES, 0, 1));
    TestEngine before = nodes.kill(DIES, RECOVERER);
    nodes.takeOver(DIES, RECOVERER);
    nodes.recovered(DIES, RECOVERER, before);
    CountDownLatch hasRead = new CountDownLatch(1);
    CountDownLatch mayHold = new CountDownLatch(1);
    Future<Long> read;
    try (var pause =
        FaultPoints.arm(
            "undo.read",
            () -> {
              hasRead.countDown();
              await(mayHold);
            })) {
      read = read(OTHER, 0);
      await(hasRead);
      nodes.restart(DIES, 2, before);
      mayHold.countDown();
      read.get();
    } finally {
      mayHold.countDown();
    }
    assertEquals(List.of(DIES), nodes.holding(DIES));
    clocksOf(writes(DIES, 0, 7));
    assertEquals(7, read(OTHER, 0).get());
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Rule 35: the maps in which the node was there again were missed. */
  @Test
  void segmentsThatWereReadAtRestAreReadAgainAfterALifeThatWasMissed() throws Exception {
    clocksOf(writes(DIES, 0, 1));
    TestEngine before = nodes.kill(DIES, RECOVERER);
    nodes.takeOver(DIES, RECOVERER);
    nodes.recovered(DIES, RECOVERER, before);
    assertEquals(1, read(OTHER, 0).get());
    assertEquals(List.of(OTHER), nodes.holding(DIES));

    nodes.node(OTHER).peers.answers(DIES, new PeerNodes.Answerer(OTHER, 2));
    assertEquals(List.of(), nodes.holding(DIES), "what was read before is out of date");
    assertEquals(1, read(OTHER, 0).get());
    assertEquals(List.of(OTHER), nodes.holding(DIES));
  }

  private Transactions recoverer() {
    return nodes.node(RECOVERER).transactions;
  }

  @Test
  void waitersForARowOfAnOrphanGoOnWhenTheRecovererHasLetGo() throws Exception {
    Transaction lost = writes(DIES, 0, 100);
    for (int i = 0; i < 3; i++) {
      nodes.rows().update(nodes.node(DIES), lost, 1, WaitPolicy.WAIT, old -> old + 1);
    }
    nodes.node(DIES).engine.quiesce();
    TestEngine before = nodes.kill(DIES, RECOVERER);
    assertEquals(1, nodes.takeOver(DIES, RECOVERER));
    assertNotEquals(0, recoverer().orphans().length, "the rest is left to the background");
    CountDownLatch hasLetGo = new CountDownLatch(1);
    Future<?>[] waits = new Future<?>[4];
    for (int i = 0; i < waits.length; i++) {
      int expected = i + 1;
      waits[i] =
          threads.submit(
              () -> {
                Transaction txn = begin(OTHER);
                nodes
                    .rows()
                    .update(
                        nodes.node(OTHER),
                        txn,
                        0,
                        WaitPolicy.WAIT,
                        old -> {
                          await(hasLetGo); // so that the turn is passed on after that
                          return old + 1;
                        });
                txn.commit();
              });
      eventually(() -> nodes.node(RECOVERER).waitersFromElsewhere() == expected);
    }
    assertTrue(recoverer().rollBackOrphans(nodes.node(RECOVERER).engine.newContext(), 100));
    nodes.resign(DIES, RECOVERER);
    hasLetGo.countDown();
    eventually(() -> nodes.node(RECOVERER).waitersFromElsewhere() == 0);
    nodes.recovered(DIES, RECOVERER, before);
    for (Future<?> wait : waits) {
      wait.get();
    }
    assertEquals(4, read(OTHER, 0).get());
  }

  /** The turn says nothing of the outcome then, least of all that the segment does not exist. */
  @Test
  void aTurnThatComesWhenTheSegmentsAreGivenUpMakesTheWaiterAskAgain() throws Exception {
    Transaction lost = writes(DIES, 0, 100);
    for (int i = 0; i < 3; i++) {
      nodes.rows().update(nodes.node(DIES), lost, 1, WaitPolicy.WAIT, old -> old + 1);
    }
    nodes.node(DIES).engine.quiesce();
    TestEngine before = nodes.kill(DIES, RECOVERER);
    nodes.takeOver(DIES, RECOVERER);
    Transaction waiter = begin(OTHER);
    Future<Boolean> wait =
        threads.submit(
            () -> nodes.rows().update(nodes.node(OTHER), waiter, 0, WaitPolicy.WAIT, old -> 7));
    eventually(() -> nodes.node(RECOVERER).waitersFromElsewhere() == 1);
    recoverer().slots().release(DIES);
    assertTrue(recoverer().rollBackOrphans(nodes.node(RECOVERER).engine.newContext(), 100));
    eventually(() -> wait.isDone() || nodes.node(RECOVERER).waitersFromElsewhere() == 0);
    nodes.recovered(DIES, RECOVERER, before);
    assertTrue(wait.get());
  }
}
