package io.gauss.compute.txn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.PageId;
import io.gauss.common.id.Xid;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageView;
import io.gauss.common.page.UndoPage;
import io.gauss.common.page.UndoRecordLayout;
import io.gauss.common.page.UndoSpaces;
import io.gauss.common.page.UndoTableLayout;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.engine.Seeds;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.txn.undo.CommitTable;
import io.gauss.compute.txn.undo.UndoApplier;
import io.gauss.compute.txn.undo.UndoProbe;
import io.gauss.compute.txn.undo.UndoSegment;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class UndoSegmentTest {
  private TransactionFixture fixture;

  @BeforeEach
  void open() {
    fixture = new TransactionFixture(128);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void oneSessionUsesOneSegmentForEver() {
    Transaction txn = fixture.session();
    for (int i = 0; i < 50; i++) {
      assertEquals(1, Xid.segment(commitWrite(txn, 0)));
    }
    assertEquals(1, fixture.transactions().segments().count());
  }

  /** A crash must not give its sequences to other transactions. */
  @Test
  void aTransactionHasANumberOnlyWhenItsSegmentIsDurable() throws Exception {
    Transaction first = fixture.session();
    first.begin(IsolationLevel.READ_COMMITTED);
    first.ensureXid();
    fixture.engine().quiesce();
    fixture.engine().stream().hold();
    Transaction second = fixture.session();
    second.begin(IsolationLevel.READ_COMMITTED);
    FutureTask<Long> number = new FutureTask<>(second::ensureXid);
    Thread.startVirtualThread(number);
    while (fixture.transactions().segments().count() < 2) {
      Thread.onSpinWait();
    }
    boolean early = number.isDone();
    fixture.engine().stream().release();
    assertFalse(early);
    assertEquals(2, Xid.index(number.get()));
  }

  /**
   * The same for a segment that a restart has found: the next restart must not find it the same.
   */
  @Test
  void aNumberOfALifeThatLeftNothingIsNotGivenAgain() throws Exception {
    commitWrite(fixture.session(), 0);
    fixture.engine().quiesce();
    restart();
    fixture.engine().quiesce();
    fixture.engine().stream().hold();
    Transaction lost = fixture.session();
    lost.begin(IsolationLevel.READ_COMMITTED);
    FutureTask<Long> number = new FutureTask<>(lost::ensureXid);
    Thread giver = Thread.startVirtualThread(number);
    while (!number.isDone() && giver.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    boolean early = number.isDone();
    fixture.engine().stream().release();
    assertFalse(early, "nothing of this life was durable");
    long given = number.get();
    restart();
    Transaction next = fixture.session();
    next.begin(IsolationLevel.READ_COMMITTED);
    assertNotEquals(given, next.ensureXid());
    next.commit();
    assertEquals(XidStates.Outcome.ABORTED, fixture.outcome(given));
  }

  @Test
  void noNumberIsGivenTwiceWhateverACrashTakesBack() {
    Random random = new Random(Seeds.next());
    Set<Long> given = new HashSet<>();
    for (int life = 0; life < 20; life++) {
      for (int session = random.nextInt(4); session > 0; session--) {
        Transaction txn = fixture.session();
        txn.begin(IsolationLevel.READ_COMMITTED);
        txn.startStatement();
        assertTrue(given.add(txn.ensureXid()), "life " + life);
        if (random.nextBoolean()) {
          fixture.rows().update(txn, random.nextInt(10), WaitPolicy.WAIT, old -> old + 1);
          txn.commit();
        }
        if (random.nextInt(3) == 0) {
          fixture.engine().quiesce();
        }
      }
      restart();
      rollBackAll();
    }
    for (long xid : given) {
      assertNotEquals(XidStates.Outcome.IN_PROGRESS, fixture.outcome(xid), Xid.toString(xid));
    }
  }

  /**
   * A snapshot of another node may have read the change from a copy of the page. It must not see it
   * after the crash, however late it asks.
   */
  @Test
  void whatACrashTookBackDoesNotCountAsSeenWhileAnEarlierSnapshotIsOpen() {
    commitWrite(fixture.session(), 0);
    fixture.engine().quiesce();
    Transaction lost = fixture.session();
    lost.begin(IsolationLevel.READ_COMMITTED);
    long xid = lost.ensureXid();
    long snapshot = fixture.engine().clock().now();
    restart();
    fixture.transactions().horizon().others(() -> snapshot);
    commitWrite(fixture.session(), 1);
    settle();
    assertFalse(fixture.transactions().horizon().passed(xid));
    assertEquals(XidStates.ABORTED, fixture.status(xid));
    fixture.transactions().horizon().others(() -> Long.MAX_VALUE);
    settle();
    assertTrue(fixture.transactions().horizon().passed(xid));
  }

  @Test
  void readOnlyTransactionsWriteNothing() {
    long before = fixture.engine().log().reservedLsn();
    Transaction txn = fixture.session();
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.startStatement();
    fixture.rows().read(txn, 0);
    txn.endStatement();
    assertEquals(0, txn.commit());
    assertEquals(before, fixture.engine().log().reservedLsn());
  }

  @Test
  void theCsnOnThePageIsTheLsnOfTheCommitRecord() {
    Transaction txn = fixture.session();
    txn.begin(IsolationLevel.READ_COMMITTED);
    long xid = txn.ensureXid();
    long csn = txn.commit();
    CommitTable table = fixture.transactions().segments().get(Xid.index(xid)).table;
    try (PageGuard guard = new PageGuard()) {
      fixture
          .engine()
          .pool()
          .read(fixture.engine().newContext(), undoPage(UndoProbe.lastTablePage(table)), guard);
      int entry = UndoTableLayout.entry(Xid.sequence(xid));
      assertEquals(csn, Memory.getLong(guard.address() + entry));
      assertEquals(csn, PageView.lsn(guard.address()));
    }
    assertEquals(csn, fixture.status(xid));
  }

  // ---- the transaction table

  @Test
  void tableAndUndoPagesAreReusedBelowTheHorizonAndStayFew() {
    Transaction txn = fixture.session();
    long first = commitWrite(txn, 0);
    for (int i = 0; i < 5 * UndoTableLayout.ENTRIES; i++) {
      commitWrite(txn, i % 10);
      if (i % 50 == 0) {
        settle();
      }
    }
    UndoSegment segment = fixture.transactions().segments().get(1);
    assertTrue(UndoProbe.tablePages(segment) <= 3, UndoProbe.tablePages(segment) + " table pages");
    assertTrue(UndoProbe.ringPages(segment) <= 3, segment.toString());
    assertEquals(XidStates.Outcome.UNKNOWN, fixture.outcome(first));
    assertEquals(XidStates.ANCIENT, fixture.status(first));
  }

  @Test
  void theTableGrowsWhileASnapshotHoldsTheHorizonBack() {
    Transaction reader = fixture.session();
    reader.begin(IsolationLevel.REPEATABLE_READ);
    reader.startStatement();
    assertEquals(0, fixture.rows().read(reader, 0));
    Transaction txn = fixture.session();
    long first = commitWrite(txn, 0);
    for (int i = 0; i < 5 * UndoTableLayout.ENTRIES; i++) {
      commitWrite(txn, 0);
      if (i % 50 == 0) {
        settle();
      }
    }
    assertTrue(UndoProbe.tablePages(fixture.transactions().segments().get(1)) >= 5);
    assertEquals(XidStates.Outcome.COMMITTED, fixture.outcome(first));
    reader.startStatement();
    assertEquals(0, fixture.rows().read(reader, 0), "5,000 versions back");
    reader.commit();
    settle();
    for (int i = 0; i < 5 * UndoTableLayout.ENTRIES; i++) {
      commitWrite(txn, 0);
      if (i % 50 == 0) {
        settle();
      }
    }
    assertEquals(XidStates.Outcome.UNKNOWN, fixture.outcome(first));
  }

  @Test
  void outcomesSurviveARestartAndSequencesThatMayHaveBeenSeenAreNotUsedAgain() {
    Transaction txn = fixture.session();
    long committed = commitWrite(txn, 0);
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.startStatement();
    fixture.rows().update(txn, 1, WaitPolicy.WAIT, old -> 5);
    long rolledBack = txn.xid();
    txn.rollback();
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.startStatement();
    fixture.rows().update(txn, 2, WaitPolicy.WAIT, old -> 5);
    long active = txn.xid();
    fixture.engine().quiesce();
    // These two leave nothing durable, but a client may know their xids.
    Transaction lost = fixture.session();
    lost.begin(IsolationLevel.READ_COMMITTED);
    long lostXid = lost.ensureXid();
    restart();
    assertEquals(XidStates.Outcome.COMMITTED, fixture.outcome(committed));
    assertEquals(XidStates.Outcome.ABORTED, fixture.outcome(rolledBack));
    assertEquals(XidStates.Outcome.ABORTED, fixture.outcome(active));
    for (int i = 0; i < 10; i++) {
      Transaction session = fixture.session();
      session.begin(IsolationLevel.READ_COMMITTED);
      assertNotEquals(lostXid, session.ensureXid());
    }
    assertEquals(XidStates.Outcome.ABORTED, fixture.outcome(lostXid));
    assertEquals(XidStates.Outcome.COMMITTED, fixture.outcome(committed));
  }

  @Test
  void manyRestartsKeepTheTableInOrder() {
    long[] xids = new long[12];
    for (int i = 0; i < xids.length; i++) {
      xids[i] = commitWrite(fixture.session(), i);
      fixture.engine().quiesce();
      restart();
    }
    for (int i = 0; i < xids.length; i++) {
      XidStates.Outcome outcome = fixture.outcome(xids[i]);
      assertTrue(
          outcome == XidStates.Outcome.COMMITTED || outcome == XidStates.Outcome.UNKNOWN,
          i + " " + outcome);
      assertEquals(1, fixture.rows().newest(fixture.engine().newContext(), i));
    }
  }

  @Test
  void moreSegmentsThanOneDirectoryPageHolds() {
    int count = 2100;
    fixture.close();
    fixture = new TransactionFixture(8192);
    Transaction[] open = new Transaction[count];
    // Each waits until its segment is durable.
    try (ExecutorService sessions = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < count; i++) {
        Transaction session = fixture.session();
        open[i] = session;
        session.begin(IsolationLevel.READ_COMMITTED);
        sessions.submit(session::ensureXid);
      }
    }
    assertEquals(count, fixture.transactions().segments().count());
    long xid = open[count - 1].xid();
    open[count - 1].commit();
    fixture.engine().quiesce();
    fixture = fixture.restart(512);
    assertEquals(count, fixture.transactions().segments().count());
    assertEquals(XidStates.Outcome.COMMITTED, fixture.outcome(xid));
  }

  // ---- rule 23

  @Test
  void aPointerToARecordThatWasOverwrittenIsSnapshotTooOld() {
    Transaction txn = fixture.session();
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.startStatement();
    fixture.rows().update(txn, 0, WaitPolicy.WAIT, old -> 1);
    int page = txn.undoPage();
    int slot = txn.undoSlot();
    long xid = txn.xid();
    long lsn = undoLsn(page, slot);
    txn.commit();
    EngineContext ctx = fixture.engine().newContext();
    try (PageGuard guard = new PageGuard()) {
      assertNotEquals(
          0, fixture.transactions().undoReader().tryRecord(ctx, guard, xid, page, slot, lsn));
    }
    int generation = generation(page);
    while (generation(page) == generation || slotCount(page) <= slot) {
      settle();
      commitWrite(txn, 0);
    }
    try (PageGuard guard = new PageGuard()) {
      GaussException e =
          assertThrows(
              GaussException.class,
              () ->
                  fixture.transactions().undoReader().tryRecord(ctx, guard, xid, page, slot, lsn));
      assertEquals(SqlState.SNAPSHOT_TOO_OLD, e.state());
      assertFalse(guard.isHeld());
    }
  }

  @Test
  void aPartialRollbackIsNotDoneAgainAfterACrash() {
    Transaction txn = fixture.session();
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.startStatement();
    fixture.rows().update(txn, 0, WaitPolicy.WAIT, old -> 1);
    long savepoint = txn.savepoint();
    fixture.rows().update(txn, 1, WaitPolicy.WAIT, old -> 1);
    txn.rollbackTo(savepoint);
    // Row 1 now belongs to somebody else; undoing it again would destroy his change.
    commitWrite(fixture.session(), 1);
    fixture.engine().quiesce();
    restart();
    rollBackAll();
    assertEquals(0, fixture.rows().newest(fixture.engine().newContext(), 0));
    assertEquals(1, fixture.rows().newest(fixture.engine().newContext(), 1));
  }

  @Test
  void recordsWrittenAfterAPartialRollbackAreUndoneAndLeadAroundWhatWasUndone() {
    Transaction txn = fixture.session();
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.startStatement();
    fixture.rows().update(txn, 0, WaitPolicy.WAIT, old -> 1);
    long savepoint = txn.savepoint();
    fixture.rows().update(txn, 1, WaitPolicy.WAIT, old -> 1);
    txn.rollbackTo(savepoint);
    commitWrite(fixture.session(), 1);
    fixture.rows().update(txn, 2, WaitPolicy.WAIT, old -> 1);
    fixture.engine().quiesce();
    restart();
    rollBackAll();
    for (int row = 0; row < 3; row++) {
      assertEquals(row == 1 ? 1 : 0, fixture.rows().newest(fixture.engine().newContext(), row));
    }
  }

  @Test
  void aSessionThatCannotRollBackLeavesItToTheBackground() {
    Transaction txn = fixture.session();
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.startStatement();
    fixture.rows().update(txn, 0, WaitPolicy.WAIT, old -> 1);
    long xid = txn.xid();
    txn.context().waits().mayBlock(false);
    fixture
        .transactions()
        .applier(
            (ctx, x, page, slot, record, length, step) -> {
              throw new GaussException(SqlState.IO_ERROR, "no");
            });
    txn.close();
    assertTrue(fixture.isActive(xid), "its rows stay locked");
    EngineContext background = fixture.engine().newContext();
    assertFalse(fixture.transactions().rollBackOrphans(background, 1));
    assertTrue(fixture.transactions().orphansHaveFailed(), "so it is not tried again at once");
    fixture.transactions().applier(fixture.rows());
    rollBackAll();
    assertFalse(fixture.transactions().orphansHaveFailed());
    assertEquals(XidStates.ABORTED, fixture.status(xid));
    assertEquals(0, fixture.rows().newest(fixture.engine().newContext(), 0));
  }

  /** Their rows stay locked until then. */
  @Test
  void othersAreRolledBackWithoutPausesBesideOneThatFails() {
    Transaction failing = fixture.session();
    Transaction other = fixture.session();
    for (Transaction txn : List.of(failing, other)) {
      txn.begin(IsolationLevel.READ_COMMITTED);
      txn.startStatement();
    }
    fixture.rows().update(failing, 0, WaitPolicy.WAIT, old -> 1);
    for (int row = 1; row < 4; row++) {
      fixture.rows().update(other, row, WaitPolicy.WAIT, old -> 1);
    }
    long fails = failing.xid();
    for (Transaction txn : List.of(failing, other)) {
      txn.context().waits().mayBlock(false);
    }
    fixture
        .transactions()
        .applier(
            (ctx, x, page, slot, record, length, step) -> {
              throw new GaussException(SqlState.IO_ERROR, "no");
            });
    failing.close();
    other.close();
    UndoApplier rows = fixture.rows();
    fixture
        .transactions()
        .applier(
            (ctx, x, page, slot, record, length, step) -> {
              if (x == fails) {
                throw new GaussException(SqlState.IO_ERROR, "no");
              }
              return rows.undo(ctx, x, page, slot, record, length, step);
            });
    EngineContext background = fixture.engine().newContext();
    assertFalse(fixture.transactions().rollBackOrphans(background, 1));
    assertFalse(fixture.transactions().orphansHaveFailed(), "the other is not done yet");
    for (int round = 0; round < 10; round++) {
      assertFalse(fixture.transactions().rollBackOrphans(background, 1));
    }
    assertTrue(fixture.transactions().orphansHaveFailed());
    fixture.transactions().applier(fixture.rows());
    rollBackAll();
    for (int row = 0; row < 4; row++) {
      assertEquals(0, fixture.rows().newest(fixture.engine().newContext(), row));
    }
  }

  // ---- surplus pages

  @Test
  void aLongHistoryGivesItsPagesBack() {
    Transaction txn = fixture.session();
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.startStatement();
    for (int i = 0; i < 3000; i++) {
      fixture.rows().update(txn, 0, WaitPolicy.WAIT, old -> old + 1);
    }
    UndoSegment segment = fixture.transactions().segments().get(1);
    int pages = UndoProbe.ringPages(segment);
    assertTrue(pages > 20);
    txn.commit();
    settle();
    EngineContext ctx = fixture.engine().newContext();
    UndoSegment free = fixture.transactions().segments().tryAcquire();
    assertEquals(segment, free);
    while (free.shrink(ctx, 3)) {
      assertTrue(UndoProbe.ringPages(segment) >= 3);
    }
    assertEquals(3, UndoProbe.ringPages(segment));
    fixture.transactions().segments().release(free);
    commitWrite(txn, 1);
    fixture.engine().quiesce();
    restart();
    assertEquals(3000, fixture.rows().newest(fixture.engine().newContext(), 0));
    commitWrite(fixture.session(), 2);
  }

  @Test
  void whatWasBeforeARestartIsKeptForSnapshotsOfOtherNodes() {
    Transaction txn = fixture.session();
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.startStatement();
    for (int i = 0; i < 1500; i++) {
      fixture.rows().update(txn, 0, WaitPolicy.WAIT, old -> old + 1);
    }
    long xid = txn.xid();
    long csn = txn.commit();
    fixture.engine().quiesce();
    restart();
    fixture.transactions().horizon().others(() -> csn - 1);
    settle();
    assertFalse(fixture.transactions().horizon().passed(xid));
    UndoSegment segment = fixture.transactions().segments().get(1);
    int past = UndoProbe.pastFirst(segment);
    Transaction again = fixture.session();
    again.begin(IsolationLevel.READ_COMMITTED);
    again.startStatement();
    for (int i = 0; i < 300; i++) {
      fixture.rows().update(again, 1, WaitPolicy.WAIT, old -> old + 1);
    }
    again.commit();
    assertEquals(past, UndoProbe.pastFirst(segment));
    fixture.transactions().horizon().others(() -> Long.MAX_VALUE);
    settle();
    assertTrue(fixture.transactions().horizon().passed(xid));
  }

  @Test
  void marksGetOverTheGapsOfSeveralRestarts() {
    long xid = 0;
    for (int i = 0; i < 4; i++) {
      xid = commitWrite(fixture.session(), i);
      fixture.engine().quiesce();
      restart();
    }
    settle();
    assertTrue(fixture.transactions().horizon().passed(xid));
    xid = commitWrite(fixture.session(), 5);
    assertFalse(fixture.transactions().horizon().passed(xid));
    settle();
    assertTrue(fixture.transactions().horizon().passed(xid));
  }

  @Test
  void pagesOfBeforeARestartAreUsedAgainOrGivenBack() {
    Transaction txn = fixture.session();
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.startStatement();
    for (int i = 0; i < 1500; i++) {
      fixture.rows().update(txn, 0, WaitPolicy.WAIT, old -> old + 1);
    }
    txn.commit();
    fixture.engine().quiesce();
    restart();
    UndoSegment segment = fixture.transactions().segments().get(1);
    assertNotEquals(0, UndoProbe.pastFirst(segment));
    settle();
    Transaction again = fixture.session();
    long fresh = fixture.transactions().metrics().undoPagesFresh();
    again.begin(IsolationLevel.READ_COMMITTED);
    again.startStatement();
    for (int i = 0; i < 300; i++) {
      fixture.rows().update(again, 1, WaitPolicy.WAIT, old -> old + 1);
    }
    again.commit();
    assertEquals(fresh, fixture.transactions().metrics().undoPagesFresh());
    assertTrue(fixture.transactions().metrics().undoPagesReused() > 0);
    EngineContext ctx = fixture.engine().newContext();
    UndoSegment free = fixture.transactions().segments().tryAcquire();
    while (free.shrink(ctx, 100)) {
      assertTrue(true);
    }
    assertEquals(0, UndoProbe.pastFirst(segment));
    fixture.transactions().segments().release(free);
    assertEquals(300, fixture.rows().newest(ctx, 1));
  }

  // ---- helpers

  private long commitWrite(Transaction txn, int row) {
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.startStatement();
    fixture.rows().update(txn, row, WaitPolicy.WAIT, old -> 1);
    long xid = txn.xid();
    txn.commit();
    return xid;
  }

  private void settle() {
    fixture.engine().quiesce();
    fixture.transactions().refreshHorizon();
  }

  private void restart() {
    fixture = fixture.restart(128);
  }

  private void rollBackAll() {
    EngineContext ctx = fixture.engine().newContext();
    while (!fixture.transactions().rollBackOrphans(ctx, 1)) {
      assertTrue(true);
    }
  }

  private static long undoPage(int page) {
    return PageId.of(UndoSpaces.of(1), page);
  }

  private long undoLsn(int page, int slot) {
    try (PageGuard guard = latched(page)) {
      return Memory.getLong(UndoPage.record(guard.address(), slot) + UndoRecordLayout.LSN);
    }
  }

  private int generation(int page) {
    try (PageGuard guard = latched(page)) {
      return PageView.generation(guard.address());
    }
  }

  private int slotCount(int page) {
    try (PageGuard guard = latched(page)) {
      return UndoPage.slotCount(guard.address());
    }
  }

  private PageGuard latched(int page) {
    PageGuard guard = new PageGuard();
    fixture.engine().pool().read(fixture.engine().newContext(), undoPage(page), guard);
    return guard;
  }
}
