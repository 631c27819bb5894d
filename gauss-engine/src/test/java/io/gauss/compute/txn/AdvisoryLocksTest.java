package io.gauss.compute.txn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.engine.Seeds;
import io.gauss.compute.log.CommitAdvance;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.memory.lock.LockMode;
import io.gauss.memory.lock.LockName;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Advisory locks of several nodes: leases from a home that is real, over lines that are slow. */
@Timeout(300)
class AdvisoryLocksTest {
  private static final LockName KEY = LockName.advisory(7);
  private static final LockName OTHER = LockName.advisory(7, 8);
  private static final int TABLE = 20_000;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final NodesFixture nodes = new NodesFixture(3, 4, Seeds.next(), 0);
  private final LockLines lines = new LockLines(nodes, Seeds.next());

  @AfterEach
  void stop() throws InterruptedException {
    threads.shutdownNow();
    lines.close();
    nodes.close();
  }

  private Transaction begin(int slot) {
    Transaction txn = nodes.node(slot).session();
    txn.begin(IsolationLevel.READ_COMMITTED);
    return txn;
  }

  private static Transaction lock(Transaction txn, LockName name, LockMode mode) {
    txn.lockAdvisory(name, mode, false, false);
    return txn;
  }

  private Transaction having(int slot, LockName name, LockMode mode) {
    return lock(begin(slot), name, mode);
  }

  private static boolean tryLock(Transaction txn, LockName name, LockMode mode) {
    return txn.lockAdvisory(name, mode, false, true);
  }

  private Future<Transaction> wanting(Transaction txn, LockName name, LockMode mode) {
    return threads.submit(() -> lock(txn, name, mode));
  }

  private static void eventually(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      assertFalse(Thread.interrupted(), "it did not happen in time");
      Thread.yield();
    }
  }

  private void awaitWaiting(int slot, int count) {
    eventually(() -> nodes.node(slot).transactions.waiting() == count);
  }

  private void awaitQuiet() {
    eventually(lines::isQuiet);
  }

  private void assertNothingIsLeft() {
    nodes.all().forEach(node -> assertEquals(0, node.transactions.waiting()));
    nodes
        .all()
        .forEach(node -> eventually(() -> node.transactions.links().deadlocks().size() == 0));
    awaitQuiet();
    nodes.all().forEach(node -> assertEquals(0, node.transactions.advisoryLocks().size()));
    assertEquals(0, lines.size());
  }

  private boolean isAWaitReported() {
    return reported() > 0;
  }

  private static boolean isDead(Future<?> wait) {
    return wait.state() == Future.State.FAILED
        && ((GaussException) wait.exceptionNow()).state() == SqlState.DEADLOCK_DETECTED;
  }

  @Test
  void sessionsOfAllNodesExcludeEachOther() throws Exception {
    Transaction first = having(1, KEY, LockMode.EXCLUSIVE);
    assertFalse(tryLock(begin(1), KEY, LockMode.SHARE));
    assertFalse(tryLock(begin(2), KEY, LockMode.SHARE));
    assertTrue(tryLock(begin(2), OTHER, LockMode.EXCLUSIVE));
    Future<Transaction> second = wanting(begin(2), KEY, LockMode.EXCLUSIVE);
    Future<Transaction> third = wanting(begin(3), KEY, LockMode.SHARE);
    awaitWaiting(2, 1);
    awaitWaiting(3, 1);
    first.commit();
    awaitQuiet();
    assertFalse(second.isDone() || third.isDone(), "it is the session's, not the transaction's");
    assertTrue(first.unlockAdvisory(KEY, LockMode.EXCLUSIVE));
    eventually(() -> second.isDone() || third.isDone());
    Future<Transaction> next = second.isDone() ? second : third;
    awaitQuiet();
    assertFalse((next == second ? third : second).isDone());
    next.get().close();
    (next == second ? third : second).get().close();
  }

  @Test
  void whoIsToldThatItWasGivenUpGetsItAtOnceOnAnotherNode() {
    Transaction one = begin(1);
    Transaction two = begin(2);
    for (int round = 0; round < 200; round++) {
      assertTrue(tryLock(one, KEY, LockMode.EXCLUSIVE), "round " + round);
      assertFalse(tryLock(two, KEY, LockMode.SHARE));
      one.unlockAdvisory(KEY, LockMode.EXCLUSIVE);
      assertTrue(tryLock(two, KEY, LockMode.EXCLUSIVE), "round " + round);
      two.unlockAllAdvisory();
    }
    one.rollback();
    two.rollback();
    assertNothingIsLeft();
  }

  @Test
  void aSessionsLocksEndWithItAndThoseOfTheTransactionWithTheTransaction() {
    Transaction txn = begin(1);
    txn.lockAdvisory(KEY, LockMode.EXCLUSIVE, true, false);
    txn.lockAdvisory(OTHER, LockMode.EXCLUSIVE, false, false);
    txn.rollback();
    Transaction other = begin(2);
    assertTrue(tryLock(other, KEY, LockMode.EXCLUSIVE));
    assertFalse(tryLock(other, OTHER, LockMode.EXCLUSIVE));
    txn.close();
    assertTrue(tryLock(other, OTHER, LockMode.EXCLUSIVE));
    other.close();
    assertNothingIsLeft();
  }

  @Test
  void whoHasItSharedGetsItAloneWhenTheOthersHaveGivenItUp() throws Exception {
    Transaction one = having(1, KEY, LockMode.SHARE);
    Transaction two = having(2, KEY, LockMode.SHARE);
    Future<Transaction> behind = wanting(begin(3), KEY, LockMode.EXCLUSIVE);
    awaitWaiting(3, 1);
    awaitQuiet();
    Future<Transaction> alone = wanting(one, KEY, LockMode.EXCLUSIVE);
    awaitWaiting(1, 1);
    two.close();
    alone.get().close();
    behind.get().close();
    assertNothingIsLeft();
  }

  @Test
  void whoHasItSharedOvertakesThoseOfItsNodeWhoWaitAtTheHome() throws Exception {
    Transaction one = having(1, KEY, LockMode.SHARE);
    Transaction two = having(2, KEY, LockMode.SHARE);
    Future<Transaction> alone = wanting(begin(3), KEY, LockMode.EXCLUSIVE);
    awaitWaiting(3, 1);
    awaitQuiet();
    Future<Transaction> behind = wanting(begin(1), KEY, LockMode.SHARE);
    awaitWaiting(1, 1);
    awaitQuiet();
    two.close();
    lock(one, KEY, LockMode.EXCLUSIVE);
    awaitQuiet();
    assertFalse(alone.isDone() || behind.isDone());
    one.close();
    alone.get().close();
    behind.get().close();
    assertNothingIsLeft();
  }

  @Test
  void aWaitEndsByTheLockTimeoutOrWithAnInterruptAndLeavesNothing() {
    Transaction holder = having(1, KEY, LockMode.EXCLUSIVE);
    Transaction late = begin(2);
    late.lockTimeoutNanos(TimeUnit.MILLISECONDS.toNanos(50));
    GaussException timeout =
        assertThrows(GaussException.class, () -> lock(late, KEY, LockMode.SHARE));
    assertEquals(SqlState.LOCK_NOT_AVAILABLE, timeout.state());
    Transaction canceled = begin(1);
    Future<Transaction> wait = wanting(canceled, KEY, LockMode.SHARE);
    awaitWaiting(1, 1);
    canceled
        .context()
        .interrupts()
        .request(SqlState.QUERY_CANCELED, "canceling statement due to user request");
    ExecutionException failed = assertThrows(ExecutionException.class, wait::get);
    assertEquals(SqlState.QUERY_CANCELED, ((GaussException) failed.getCause()).state());
    holder.close();
    late.close();
    canceled.close();
    assertNothingIsLeft();
  }

  @Test
  void whoWantsItNowWaitsForTheHomeHoweverShortItsLockTimeoutIs() throws Exception {
    lines.hold(true);
    Transaction txn = begin(1);
    txn.lockTimeoutNanos(1);
    Future<Boolean> got = threads.submit(() -> tryLock(txn, KEY, LockMode.EXCLUSIVE));
    awaitWaiting(1, 1);
    lines.hold(false);
    assertTrue(got.get());
    txn.close();
    assertNothingIsLeft();
  }

  @Test
  void circlesOverTwoNodesEndWithOneGivingWay() throws Exception {
    Transaction one = having(1, KEY, LockMode.EXCLUSIVE);
    Transaction two = having(2, OTHER, LockMode.EXCLUSIVE);
    Future<Transaction> first = wanting(one, OTHER, LockMode.EXCLUSIVE);
    Future<Transaction> second = wanting(two, KEY, LockMode.SHARE);
    eventually(() -> isDead(first) || isDead(second));
    (isDead(first) ? one : two).close();
    (isDead(first) ? second : first).get().close();
    assertNothingIsLeft();
  }

  @Test
  void aCircleOfAnAdvisoryLockAndATableEndsAsWell() throws Exception {
    Transaction one = having(1, KEY, LockMode.EXCLUSIVE);
    Transaction two = begin(2);
    two.lockTable(TABLE, TableLockMode.ACCESS_EXCLUSIVE);
    Future<Transaction> first =
        threads.submit(
            () -> {
              one.lockTable(TABLE, TableLockMode.ACCESS_SHARE);
              return one;
            });
    Future<Transaction> second = wanting(two, KEY, LockMode.SHARE);
    eventually(() -> isDead(first) || isDead(second));
    (isDead(first) ? one : two).close();
    (isDead(first) ? second : first).get().close();
  }

  @Test
  void aCircleThroughLocksThatAreGivenUpInTimeHasNoVictim() throws Exception {
    for (int round = 0; round < 20; round++) {
      Transaction one = having(1, KEY, LockMode.EXCLUSIVE);
      Transaction two = having(2, OTHER, LockMode.EXCLUSIVE);
      Future<Transaction> first = wanting(two, KEY, LockMode.EXCLUSIVE);
      awaitWaiting(2, 1);
      eventually(this::isAWaitReported);
      one.unlockAdvisory(KEY, LockMode.EXCLUSIVE);
      Future<Transaction> second = wanting(one, OTHER, LockMode.SHARE);
      first.get().close();
      second.get().close();
    }
    assertNothingIsLeft();
  }

  /** Each waits for whoever has the lock, gives it up, and waits for whoever has waited for it. */
  @Test
  void whoPassesALockOnAndWantsItAgainIsInNoCircle() throws Exception {
    List<Future<?>> sessions = new CopyOnWriteArrayList<>();
    for (int i = 0; i < 6; i++) {
      Transaction txn = begin(i % 2 + 1);
      sessions.add(
          threads.submit(
              () -> {
                for (int round = 0; round < 20; round++) {
                  try {
                    lock(txn, KEY, LockMode.EXCLUSIVE);
                  } catch (GaussException e) {
                    throw new AssertionError(e.detail(), e);
                  }
                  eventually(() -> isAWaitReported() || isAlone(sessions));
                  txn.unlockAdvisory(KEY, LockMode.EXCLUSIVE);
                }
                txn.close();
                return null;
              }));
    }
    for (Future<?> session : sessions) {
      session.get();
    }
    assertNothingIsLeft();
  }

  /** Whoever was queued behind it was reported to wait for it, and does not any more. */
  @Test
  void whoGivesUpWaitingForATableIsInNoCircle() throws Exception {
    for (int round = 0; round < 10; round++) {
      Transaction holder = begin(1);
      holder.lockTable(TABLE, TableLockMode.ACCESS_EXCLUSIVE);
      Transaction givesUp = begin(1);
      Transaction behind = having(1, KEY, LockMode.EXCLUSIVE);
      Future<?> first =
          threads.submit(() -> givesUp.lockTable(TABLE, TableLockMode.ACCESS_EXCLUSIVE));
      awaitWaiting(1, 1);
      Future<?> second = threads.submit(() -> behind.lockTable(TABLE, TableLockMode.ACCESS_SHARE));
      eventually(() -> reported() == 2);
      givesUp.context().interrupts().request(SqlState.QUERY_CANCELED, "canceled");
      assertThrows(ExecutionException.class, first::get);
      givesUp.context().interrupts().clear();
      Future<Transaction> third = wanting(givesUp, KEY, LockMode.EXCLUSIVE);
      eventually(() -> reported() == 2 || third.isDone() || second.isDone());
      holder.commit();
      second.get();
      behind.close();
      third.get().close();
    }
  }

  private int reported() {
    int waits = 0;
    for (NodesFixture.Node node : nodes.all()) {
      waits += node.transactions.links().deadlocks().size();
    }
    return waits;
  }

  private static boolean isAlone(List<Future<?>> sessions) {
    return sessions.stream().filter(session -> !session.isDone()).count() <= 1;
  }

  /** Returns up to where the other nodes have heard of the node's commits: of none. */
  private static long[] hearNothing(NodesFixture.Node node) {
    long[] heard = {0};
    node.engine
        .log()
        .advance(
            new CommitAdvance() {
              @Override
              public void sending(long lsn) {
                // They do not listen.
              }

              @Override
              public long through() {
                return heard[0];
              }
            });
    return heard;
  }

  /** A session has read what has been committed at its node, and others have not heard of. */
  private Transaction havingReadWhatIsInvisible() {
    NodesFixture.Node node = nodes.node(1);
    Transaction writer = begin(1);
    writer.startStatement();
    nodes.rows().update(node, writer, 0, WaitPolicy.WAIT, old -> old);
    writer.commit();
    Transaction session = begin(1);
    session.startStatement();
    nodes.rows().read(node, session, 0);
    assertTrue(session.mustBeVisible() > 0);
    return session;
  }

  /** Else they would see less than it has seen: also if its client has not read the answer. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void othersGetItOnlyWhenWhatItsSessionHasReadIsVisible(boolean inAnEarlierTransaction)
      throws Exception {
    final long[] heard = hearNothing(nodes.node(1));
    Transaction session = lock(havingReadWhatIsInvisible(), KEY, LockMode.EXCLUSIVE);
    if (inAnEarlierTransaction) {
      session.commit();
      session.begin(IsolationLevel.READ_COMMITTED);
    }
    session.unlockAdvisory(KEY, LockMode.EXCLUSIVE);
    awaitQuiet();
    Future<Transaction> reader = wanting(begin(2), KEY, LockMode.EXCLUSIVE);
    awaitWaiting(2, 1);
    awaitQuiet();
    assertFalse(reader.isDone());
    heard[0] = Long.MAX_VALUE;
    nodes.node(1).engine.log().advanced();
    reader.get().close();
  }

  @Test
  void othersGetATableOnlyWhenWhatItsTransactionHasReadIsVisible() throws Exception {
    final long[] heard = hearNothing(nodes.node(1));
    Transaction session = havingReadWhatIsInvisible();
    session.lockTable(TABLE, TableLockMode.ACCESS_EXCLUSIVE);
    session.commit();
    Transaction reader = begin(2);
    Future<?> got = threads.submit(() -> reader.lockTable(TABLE, TableLockMode.ACCESS_SHARE));
    awaitWaiting(2, 1);
    awaitQuiet();
    assertFalse(got.isDone());
    heard[0] = Long.MAX_VALUE;
    nodes.node(1).engine.log().advanced();
    got.get();
    reader.commit();
  }

  @Test
  void othersGetItOnlyWhenWhatItsSessionHasCommittedIsVisible() throws Exception {
    NodesFixture.Node node = nodes.node(1);
    long[] heard = hearNothing(node);
    Transaction writer = having(1, KEY, LockMode.EXCLUSIVE);
    writer.startStatement();
    nodes.rows().update(node, writer, 0, WaitPolicy.WAIT, old -> old);
    writer.commit();
    writer.unlockAdvisory(KEY, LockMode.EXCLUSIVE);
    Transaction here = having(1, KEY, LockMode.EXCLUSIVE); // here it is published already
    assertFalse(tryLock(begin(2), KEY, LockMode.SHARE), "somebody has it");
    here.unlockAllAdvisory();
    Transaction tries = begin(2);
    Future<Boolean> tried = threads.submit(() -> tryLock(tries, KEY, LockMode.EXCLUSIVE));
    awaitWaiting(2, 1);
    awaitQuiet(); // behind others it would be denied
    Future<Transaction> reader = wanting(begin(3), KEY, LockMode.EXCLUSIVE);
    awaitWaiting(3, 1);
    node.engine.quiesce();
    awaitQuiet();
    assertFalse(tried.isDone() || reader.isDone());
    heard[0] = Long.MAX_VALUE;
    node.engine.log().advanced();
    assertTrue(tried.get(), "nobody has it, as the client was told that gave it up");
    tries.close();
    reader.get().close();
  }

  /** The home that is lost has asked, and the answer is not for the next one. */
  @Test
  void whoTriesToGetItWaitsForWhoeverLeavesItAlsoWhenTheHomeIsLost() throws Exception {
    final long[] heard = hearNothing(nodes.node(1));
    Transaction session = lock(havingReadWhatIsInvisible(), KEY, LockMode.EXCLUSIVE);
    session.unlockAllAdvisory();
    Transaction tries = begin(2);
    Future<Boolean> tried = threads.submit(() -> tryLock(tries, KEY, LockMode.SHARE));
    awaitWaiting(2, 1);
    awaitQuiet();
    lines.loseHome();
    awaitQuiet();
    assertFalse(tried.isDone());
    heard[0] = Long.MAX_VALUE;
    nodes.node(1).engine.log().advanced();
    assertTrue(tried.get());
    tries.close();
    session.close();
    assertNothingIsLeft();
  }

  @Test
  void aNodeHasNoMoreThanItMayHave() {
    Transaction txn = begin(1);
    for (int key = 0; key < 50; key++) {
      lock(txn, LockName.advisory(key), LockMode.EXCLUSIVE);
    }
    GaussException full =
        assertThrows(
            GaussException.class, () -> lock(txn, LockName.advisory(50), LockMode.EXCLUSIVE));
    assertEquals(SqlState.OUT_OF_MEMORY, full.state());
    assertEquals("You might need to increase locks.advisory.", full.hint());
    assertFalse(tryLock(begin(1), LockName.advisory(3), LockMode.EXCLUSIVE), "it is there");
    txn.unlockAdvisory(LockName.advisory(3), LockMode.EXCLUSIVE);
    lock(txn, LockName.advisory(50), LockMode.EXCLUSIVE);
    txn.close();
    assertNothingIsLeft();
  }

  @Test
  void sessionsNeverHaveWhatExcludesEachOtherWhateverIsLostMeanwhile() throws Exception {
    int keys = 3;
    AtomicIntegerArray shared = new AtomicIntegerArray(keys);
    AtomicIntegerArray alone = new AtomicIntegerArray(keys);
    List<Future<?>> sessions = new ArrayList<>();
    CountDownLatch wantsLoss = new CountDownLatch(1);
    CountDownLatch lost = new CountDownLatch(1);
    for (int i = 0; i < 9; i++) {
      int slot = i % 3 + 1;
      boolean awaitsLoss = i == 0; // however soon all of them come to their end
      Random random = new Random(Seeds.next());
      sessions.add(
          threads.submit(
              () -> {
                Transaction txn = nodes.node(slot).session();
                for (int round = 0; round < 80; round++) {
                  if (awaitsLoss && round == 40) {
                    wantsLoss.countDown();
                    lost.await();
                  }
                  useKeys(txn, random, shared, alone);
                }
                txn.close();
                return null;
              }));
    }
    Random random = new Random(Seeds.next());
    while (sessions.stream().anyMatch(session -> !session.isDone())) {
      boolean isDue = wantsLoss.getCount() == 0 && lost.getCount() != 0;
      if (isDue || random.nextInt(20_000) == 0) {
        lines.loseHome();
        lost.countDown();
      }
      Thread.yield();
      assertFalse(Thread.interrupted(), "they do not come to an end");
    }
    for (Future<?> session : sessions) {
      session.get();
    }
    assertNothingIsLeft();
  }

  /** Takes some locks, of the session or the transaction, waiting or not, and gives them up. */
  private static void useKeys(
      Transaction txn, Random random, AtomicIntegerArray shared, AtomicIntegerArray alone) {
    txn.begin(IsolationLevel.READ_COMMITTED);
    txn.lockTimeoutNanos(random.nextInt(4) == 0 ? 1_000_000 : 0);
    int[] ownShared = new int[shared.length()];
    int[] ownAlone = new int[alone.length()];
    try {
      for (int i = random.nextInt(3); i >= 0; i--) {
        int key = random.nextInt(alone.length());
        boolean isAlone = random.nextInt(3) == 0;
        LockMode mode = isAlone ? LockMode.EXCLUSIVE : LockMode.SHARE;
        if (txn.lockAdvisory(
            LockName.advisory(key), mode, random.nextBoolean(), random.nextInt(3) == 0)) {
          (isAlone ? alone : shared).incrementAndGet(key);
          (isAlone ? ownAlone : ownShared)[key]++;
          // Who has it alone is alone with it; who shares it is beside nobody who has it alone.
          assertEquals(ownAlone[key], alone.get(key), "somebody else has key " + key + " alone");
          if (ownAlone[key] > 0) {
            assertEquals(ownShared[key], shared.get(key), "somebody else shares key " + key);
          }
        }
      }
      Thread.yield();
    } catch (GaussException e) {
      assertTrue(
          e.state() == SqlState.LOCK_NOT_AVAILABLE || e.state() == SqlState.DEADLOCK_DETECTED,
          e::toString);
    }
    for (int key = 0; key < ownAlone.length; key++) {
      alone.addAndGet(key, -ownAlone[key]);
      shared.addAndGet(key, -ownShared[key]);
    }
    if (random.nextBoolean()) {
      txn.unlockAllAdvisory();
      txn.rollback();
    } else {
      txn.rollback();
      txn.unlockAllAdvisory();
    }
  }
}
