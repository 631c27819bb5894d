package io.gauss.compute.txn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Xid;
import io.gauss.compute.engine.Seeds;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** What transactions of one node see of those of others. */
class RemoteTransactionsTest {
  private static Transaction begin(NodesFixture.Node node, IsolationLevel level) {
    Transaction txn = node.session();
    txn.begin(level);
    txn.startStatement();
    return txn;
  }

  @Test
  void aCommitOfAnotherNodeIsSeenByLaterSnapshotsOnly() {
    try (NodesFixture nodes = new NodesFixture(2, 1, Seeds.next(), 0)) {
      NodesFixture.Node one = nodes.node(1);
      NodesFixture.Node two = nodes.node(2);
      Transaction early = begin(two, IsolationLevel.REPEATABLE_READ);
      assertEquals(0, nodes.rows().read(two, early, 0));

      Transaction writer = begin(one, IsolationLevel.READ_COMMITTED);
      nodes.rows().update(one, writer, 0, WaitPolicy.WAIT, old -> 7);
      assertEquals(0, nodes.rows().read(two, early, 0), "not committed yet");
      long csn = writer.commit();
      two.engine.clock().observe(csn);

      assertEquals(0, nodes.rows().read(two, early, 0), "committed after the snapshot");
      Transaction late = begin(two, IsolationLevel.REPEATABLE_READ);
      assertEquals(7, nodes.rows().read(two, late, 0));
    }
  }

  @Test
  void whatIsRolledBackIsNeverSeen() {
    try (NodesFixture nodes = new NodesFixture(2, 1, Seeds.next(), 0)) {
      Transaction writer = begin(nodes.node(1), IsolationLevel.READ_COMMITTED);
      nodes.rows().update(nodes.node(1), writer, 0, WaitPolicy.WAIT, old -> 7);
      Transaction reader = begin(nodes.node(2), IsolationLevel.REPEATABLE_READ);
      assertEquals(0, nodes.rows().read(nodes.node(2), reader, 0));
      writer.rollback();
      assertEquals(0, nodes.rows().read(nodes.node(2), reader, 0));
    }
  }

  @Test
  void aQuestionRaisesTheHoldersClockToTheSnapshot() {
    try (NodesFixture nodes = new NodesFixture(2, 1, Seeds.next(), 0)) {
      NodesFixture.Node one = nodes.node(1);
      NodesFixture.Node two = nodes.node(2);
      Transaction writer = begin(one, IsolationLevel.READ_COMMITTED);
      nodes.rows().update(one, writer, 0, WaitPolicy.WAIT, old -> 7);
      two.engine.clock().observe(one.engine.clock().now() + (1 << 20));
      Transaction reader = begin(two, IsolationLevel.REPEATABLE_READ);
      two.transactions.remote().resolve(reader, reader.snapshot().lsn(), writer.xid());
      assertTrue(writer.commit() > reader.snapshot().lsn());
    }
  }

  @Test
  void anOutcomeIsAskedForOnceAndAWholePageInOneQuestion() {
    try (NodesFixture nodes = new NodesFixture(2, 50, Seeds.next(), 0)) {
      NodesFixture.Node one = nodes.node(1);
      NodesFixture.Node two = nodes.node(2);
      List<Long> xids = new ArrayList<>();
      for (int row = 0; row < 50; row++) {
        Transaction writer = begin(one, IsolationLevel.READ_COMMITTED);
        nodes.rows().update(one, writer, row, WaitPolicy.WAIT, old -> 1);
        xids.add(writer.xid());
        two.engine.clock().observe(writer.commit());
      }
      Transaction reader = begin(two, IsolationLevel.REPEATABLE_READ);
      RemoteXids remote = two.transactions.remote();
      remote.begin(reader);
      xids.forEach(xid -> remote.want(reader, reader.snapshot().lsn(), xid));
      remote.resolve(reader, reader.snapshot().lsn());
      assertEquals(1, two.transactions.metrics().remoteQuestions());
      assertEquals(50, two.transactions.metrics().remoteXids());
      one.transport.close(); // so that every further question would fail
      for (int row = 0; row < 50; row++) {
        assertEquals(1, nodes.rows().read(two, reader, row));
      }
      Transaction other = begin(two, IsolationLevel.REPEATABLE_READ);
      for (int row = 0; row < 50; row++) {
        assertEquals(1, nodes.rows().read(two, other, row), "all sessions have the answers");
      }
      assertEquals(1, two.transactions.metrics().remoteQuestions());
    }
  }

  @Test
  void belowTheHorizonOfTheirSegmentNothingIsAskedAnyMore() {
    try (NodesFixture nodes = new NodesFixture(2, 1, Seeds.next(), 0)) {
      NodesFixture.Node one = nodes.node(1);
      NodesFixture.Node two = nodes.node(2);
      Transaction writer = one.session();
      long[] xids = new long[2];
      for (int i = 0; i < 2; i++) {
        writer.begin(IsolationLevel.READ_COMMITTED);
        writer.startStatement();
        nodes.rows().update(one, writer, 0, WaitPolicy.WAIT, old -> old + 1);
        xids[i] = writer.xid();
        writer.commit();
      }
      two.engine.clock().observe(one.engine.clock().now());
      nodes.refreshHorizon();
      Transaction reader = begin(two, IsolationLevel.REPEATABLE_READ);
      assertFalse(two.transactions.horizon().passed(xids[0]));
      two.transactions.remote().resolve(reader, reader.snapshot().lsn(), xids[1]);
      assertTrue(two.transactions.horizon().passed(xids[0]), "the mark is of the whole segment");
      assertEquals(2, nodes.rows().read(two, reader, 0));
    }
  }

  @Test
  void aCommitThatIsNotDurableIsWaitedForByThoseWhoWouldSeeIt() throws Exception {
    try (NodesFixture nodes = new NodesFixture(2, 1, Seeds.next(), 0);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      NodesFixture.Node one = nodes.node(1);
      NodesFixture.Node two = nodes.node(2);
      Transaction writer = begin(one, IsolationLevel.READ_COMMITTED);
      nodes.rows().update(one, writer, 0, WaitPolicy.WAIT, old -> 7);
      Transaction before = begin(two, IsolationLevel.REPEATABLE_READ);
      one.engine.quiesce();
      one.engine.stream().hold();
      two.engine.clock().observe(writer.commit());
      Transaction reader = begin(two, IsolationLevel.REPEATABLE_READ);
      Future<Long> read = threads.submit(() -> nodes.rows().read(two, reader, 0));
      while (two.transactions.metrics().remoteQuestions() == 0 && !read.isDone()) {
        Thread.onSpinWait(); // the question is on its way to the writer's node, or waits there
      }
      assertEquals(0, nodes.rows().read(two, before, 0), "whoever does not see it need not wait");
      assertFalse(read.isDone());
      one.engine.stream().release();
      assertEquals(7, read.get());
    }
  }

  /**
   * A crash would take the rollback back: the transaction would be active again, its changes on the
   * pages, and who has been told that it has ended would write over them as if they were committed.
   */
  @Test
  void aRollbackThatIsNotDurableIsNotReported() {
    try (NodesFixture nodes = new NodesFixture(2, 1, Seeds.next(), 0)) {
      NodesFixture.Node one = nodes.node(1);
      RemoteXids remote = nodes.node(2).transactions.remote();
      Transaction writer = begin(one, IsolationLevel.READ_COMMITTED);
      nodes.rows().update(one, writer, 0, WaitPolicy.WAIT, old -> 7);
      long xid = writer.xid();
      one.engine.quiesce();
      one.engine.stream().hold();
      writer.rollback();
      Transaction reader = begin(nodes.node(2), IsolationLevel.REPEATABLE_READ);
      long snapshot = reader.snapshot().lsn();
      remote.resolve(reader, snapshot, xid);
      assertTrue(remote.mayBeActive(reader, xid));
      assertEquals(XidStates.ACTIVE, remote.status(reader, snapshot, xid), "not seen");
      one.engine.stream().release();
      one.engine.quiesce();
      Transaction later = begin(nodes.node(2), IsolationLevel.REPEATABLE_READ);
      remote.resolve(later, later.snapshot().lsn(), xid);
      assertEquals(XidStates.ABORTED, remote.status(later, later.snapshot().lsn(), xid));
    }
  }

  /** Who asked before it died does not write over the change that is there again. */
  @Test
  void aRollbackThatIsLostWithItsNodeIsMadeAgain() {
    try (NodesFixture nodes = new NodesFixture(3, 1, Seeds.next(), 0)) {
      NodesFixture.Node one = nodes.node(1);
      NodesFixture.Node two = nodes.node(2);
      Transaction lost = begin(one, IsolationLevel.READ_COMMITTED);
      nodes.rows().update(one, lost, 0, WaitPolicy.WAIT, old -> 7);
      long xid = lost.xid();
      one.engine.quiesce();
      one.engine.stream().hold();
      lost.rollback();
      Transaction writer = begin(two, IsolationLevel.READ_COMMITTED);
      two.transactions.remote().resolve(writer, writer.snapshot().lsn(), xid);
      nodes.kill(1, 3);
      assertEquals(xid, nodes.rows().writer(0), "its change is there again");
      assertTrue(two.transactions.states().mayBeActive(writer, xid));
      assertEquals(1, nodes.takeOver(1, 3));
      assertTrue(nodes.rows().update(two, writer, 0, WaitPolicy.WAIT, old -> old + 1));
      writer.commit();
      two.engine.quiesce();
      Transaction reader = begin(two, IsolationLevel.READ_COMMITTED);
      assertEquals(1, nodes.rows().read(two, reader, 0));
    }
  }

  @Test
  void moneyThatIsMovedOnAllNodesIsNeitherLostNorMadeForAnySnapshot() throws Exception {
    long seed = Seeds.next();
    int rows = 8;
    try (NodesFixture nodes = new NodesFixture(3, rows, seed, 400);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Void>> work = new ArrayList<>();
      for (NodesFixture.Node node : nodes.all()) {
        for (int i = 0; i < 2; i++) {
          long own = seed + node.slot * 10L + i;
          work.add(() -> transfer(nodes, node, new Random(own), 60));
        }
        work.add(() -> addUp(nodes, node, 60));
      }
      for (Future<Void> done : threads.invokeAll(work)) {
        done.get();
      }
      assertTheSameEverywhere(nodes);
    }
  }

  private static Void transfer(
      NodesFixture nodes, NodesFixture.Node node, Random random, int count) {
    Transaction txn = node.session();
    for (int i = 0; i < count; i++) {
      int from = random.nextInt(nodes.rows().count());
      int to = random.nextInt(nodes.rows().count());
      txn.begin(IsolationLevel.READ_COMMITTED);
      txn.startStatement();
      // In the order of rows, so that there are no deadlocks.
      nodes.rows().update(node, txn, Math.min(from, to), WaitPolicy.WAIT, old -> old - 1);
      nodes.rows().update(node, txn, Math.max(from, to), WaitPolicy.WAIT, old -> old + 1);
      txn.endStatement();
      if (random.nextInt(5) == 0) {
        txn.rollback();
      } else {
        txn.commit();
      }
    }
    txn.close();
    return null;
  }

  private static Void addUp(NodesFixture nodes, NodesFixture.Node node, int count) {
    Transaction txn = node.session();
    for (int i = 0; i < count; i++) {
      txn.begin(IsolationLevel.REPEATABLE_READ);
      txn.startStatement();
      long[] first = values(nodes, node, txn, txn.snapshot());
      long sum = 0;
      for (long value : first) {
        sum += value;
      }
      assertEquals(0, sum, "at " + txn.snapshot().lsn() + " on node " + node.slot);
      assertArrayEquals(first, values(nodes, node, txn, txn.snapshot()), "a snapshot is stable");
      txn.commit();
    }
    txn.close();
    return null;
  }

  private static long[] values(
      NodesFixture nodes, NodesFixture.Node node, Transaction txn, Snapshot snapshot) {
    long[] values = new long[nodes.rows().count()];
    for (int row = 0; row < values.length; row++) {
      values[row] = nodes.rows().read(node, txn, snapshot, row);
    }
    return values;
  }

  /** The home's answer and those of the others, at one and the same snapshot. */
  private static void assertTheSameEverywhere(NodesFixture nodes) {
    long[] expected = null;
    Transaction asker = begin(nodes.node(1), IsolationLevel.REPEATABLE_READ);
    long lsn = asker.snapshot().lsn();
    for (NodesFixture.Node node : nodes.all()) {
      Transaction txn = begin(node, IsolationLevel.REPEATABLE_READ);
      node.engine.clock().observe(lsn);
      Snapshot same = txn.keepSnapshot();
      same.set(lsn, lsn, same.number());
      long[] values = values(nodes, node, txn, same);
      if (expected == null) {
        expected = values;
      }
      assertArrayEquals(expected, values, "node " + node.slot);
      txn.releaseSnapshot(same);
    }
  }

  @Test
  void onANodeThatIsAloneARowOfAnothersTransactionIsDamage() {
    try (TransactionFixture fixture = new TransactionFixture(64)) {
      Transaction txn = fixture.session();
      txn.begin(IsolationLevel.READ_COMMITTED);
      txn.startStatement();
      long xid = Xid.of(Xid.segment(2, 1), 1);
      assertEquals(
          Visibility.UNRESOLVED,
          fixture.transactions().visibility().judge(txn, txn.snapshot(), xid, 1));
      GaussException e =
          assertThrows(
              GaussException.class,
              () -> fixture.transactions().remote().resolve(txn, txn.snapshot().lsn(), xid));
      assertEquals(SqlState.DATA_CORRUPTED, e.state());
      assertThrows(
          GaussException.class,
          () -> fixture.transactions().lockWaits().await(txn, xid, 1, WaitPolicy.WAIT));
    }
  }

  @Test
  void theStatusOfATransactionIsTheSameFromAnyNode() {
    try (NodesFixture nodes = new NodesFixture(3, 3, Seeds.next(), 0)) {
      NodesFixture.Node one = nodes.node(1);
      Transaction committed = begin(one, IsolationLevel.READ_COMMITTED);
      long first = committed.ensureXid();
      committed.commit();
      Transaction rolledBack = begin(one, IsolationLevel.READ_COMMITTED);
      long second = rolledBack.ensureXid();
      rolledBack.rollback();
      Transaction running = begin(one, IsolationLevel.READ_COMMITTED);
      long third = running.ensureXid();
      assertNotEquals(first, second);
      for (NodesFixture.Node node : nodes.all()) {
        Transaction asker = begin(node, IsolationLevel.READ_COMMITTED);
        Transactions all = node.transactions;
        assertEquals(XidStates.Outcome.COMMITTED, all.outcome(first, asker));
        assertEquals(XidStates.Outcome.ABORTED, all.outcome(second, asker));
        assertEquals(XidStates.Outcome.IN_PROGRESS, all.outcome(third, asker));
        assertEquals(XidStates.Outcome.UNKNOWN, all.outcome(third + 10, asker));
        long nobodys = Xid.of(Xid.segment(9, 1), 1);
        assertEquals(XidStates.Outcome.UNKNOWN, all.outcome(nobodys, asker));
        assertEquals(XidStates.Outcome.UNKNOWN, all.outcome(-1, asker));
      }
    }
  }
}
