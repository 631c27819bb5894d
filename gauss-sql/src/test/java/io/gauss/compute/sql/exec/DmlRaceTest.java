package io.gauss.compute.sql.exec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.compute.catalog.TableDef.Action;
import io.gauss.compute.engine.Seeds;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.sql.exec.TestDatabase.Builder;
import io.gauss.compute.sql.exec.TestDatabase.Session;
import io.gauss.compute.sql.exec.node.InsertNode;
import io.gauss.compute.sql.exec.node.LimitNode;
import io.gauss.compute.sql.exec.node.LockRowsNode;
import io.gauss.compute.sql.exec.node.PlanNode;
import io.gauss.compute.sql.exec.node.PointReadNode;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.type.PgType;
import io.gauss.compute.wait.WouldBlockException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two and more sessions at once: what waits for what, and what comes of it. */
@Timeout(180)
class DmlRaceTest {
  private static final IsolationLevel RC = IsolationLevel.READ_COMMITTED;
  private static final IsolationLevel RR = IsolationLevel.REPEATABLE_READ;

  @TempDir Path directory;
  private TestDatabase database;
  private Builder accounts;
  private Builder parent;
  private Builder child;
  private Session a;
  private Session b;

  @BeforeEach
  void open() {
    database = new TestDatabase(directory);
    accounts =
        database
            .table("accounts")
            .column("id", PgType.INT4)
            .column("code", PgType.TEXT)
            .column("amount", PgType.INT8)
            .primaryKey(0)
            .index("accounts_code_key", true, 1);
    parent = database.table("parent").column("id", PgType.INT4).column("n", PgType.INT4);
    parent.primaryKey(0);
    child =
        database
            .table("child")
            .column("id", PgType.INT4)
            .column("pid", PgType.INT4)
            .primaryKey(0)
            .index("child_pid_idx", false, 1);
    child.references("child_pid_fkey", 1, parent, 0, Action.NO_ACTION, Action.NO_ACTION);
    database.open();
    a = database.session();
    b = database.session();
  }

  @AfterEach
  void close() {
    database.close();
  }

  private static <T> Future<T> async(Callable<T> work) {
    CompletableFuture<T> future = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                future.complete(work.call());
              } catch (Throwable e) {
                future.completeExceptionally(e);
              }
            });
    return future;
  }

  /**
   * Returns when a transaction is queued for a row or a table; fails when the future did not wait.
   */
  private void assertWaits(Future<?> future) {
    while (database.transactions().waiting() == 0 && !future.isDone()) {
      Thread.onSpinWait();
    }
    assertFalse(future.isDone(), "should wait");
  }

  private static void assertFails(String state, Future<?> future) throws Exception {
    ExecutionException error = assertThrows(ExecutionException.class, future::get);
    if (!(error.getCause() instanceof GaussException e)) {
      throw new AssertionError("unexpected", error.getCause());
    }
    assertEquals(state, e.state().code(), e.getMessage());
  }

  private static Function<List<Object>, Boolean> id(long id) {
    return row -> (Long) row.getFirst() == id;
  }

  @Test
  void waitingUpdateSeesTheNewestVersion() throws Exception {
    a.insert(accounts, 1L, "x", 100L);
    a.begin(RC);
    assertEquals(1, a.update(accounts, id(1), 2, row -> (Long) row.get(2) + 1));
    Future<Long> other = async(() -> b.update(accounts, id(1), 2, row -> (Long) row.get(2) + 10));
    assertWaits(other);
    a.commit();
    assertEquals(1, other.get());
    assertEquals(List.of(List.of(1L, "x", 111L)), a.all(accounts));
  }

  @Test
  void waitingUpdateChecksItsConditionAgain() throws Exception {
    a.insert(accounts, 1L, "x", 100L);
    a.begin(RC);
    a.update(accounts, id(1), 2, row -> 0L);
    Future<Long> other =
        async(() -> b.update(accounts, row -> (Long) row.get(2) == 100, 2, row -> 7L));
    Future<Long> delete =
        async(() -> database.session().delete(accounts, row -> (Long) row.get(2) == 100));
    assertWaits(other);
    a.commit();
    assertEquals(0, other.get());
    assertEquals(0, delete.get());
    assertEquals(List.of(List.of(1L, "x", 0L)), a.all(accounts));
  }

  @Test
  void repeatableReadGivesUp() throws Exception {
    a.insert(accounts, 1L, "x", 100L);
    b.begin(RR);
    b.all(accounts);
    a.update(accounts, id(1), 2, row -> 0L);
    GaussException error =
        assertThrows(GaussException.class, () -> b.update(accounts, id(1), 2, row -> 7L));
    assertEquals("40001", error.state().code());
    assertEquals("could not serialize access due to concurrent update", error.getMessage());
    b.rollback();
  }

  @Test
  void childWaitsForUncommittedDeleteOfItsParent() throws Exception {
    a.insert(parent, 1L, 0L);
    a.begin(RC);
    assertEquals(1, a.delete(parent, id(1)));
    Future<?> insert = async(() -> insertChild(b, 10, 1));
    assertWaits(insert);
    a.commit();
    assertFails("23503", insert);
    a.insert(parent, 1L, 0L);
    a.begin(RC);
    a.delete(parent, id(1));
    insert = async(() -> insertChild(b, 10, 1));
    assertWaits(insert);
    a.rollback();
    insert.get();
    assertEquals(1, a.all(child).size());
  }

  private Object insertChild(Session session, long id, long pid) {
    session.insert(child, id, pid);
    return null;
  }

  @Test
  void childDoesNotWaitForAnUpdateOfItsParentsOtherColumns() {
    a.insert(parent, 1L, 0L);
    a.begin(RC);
    a.update(parent, id(1), 1, row -> 5L);
    insertChild(b, 10, 1);
    a.commit();
    assertEquals(List.of(List.of(10L, 1L)), b.all(child));
  }

  @Test
  void parentsDeleteWaitsForUncommittedChild() throws Exception {
    a.insert(parent, 1L, 0L);
    a.begin(RC);
    insertChild(a, 10, 1);
    Future<Long> delete = async(() -> b.delete(parent, id(1)));
    assertWaits(delete);
    a.commit();
    assertFails("23503", delete);
    a.begin(RC);
    a.delete(child, row -> true);
    delete = async(() -> b.delete(parent, id(1)));
    assertWaits(delete);
    a.commit();
    assertEquals(1, delete.get());
  }

  @Test
  void childrenNeverOutliveTheirParents() throws Exception {
    Random random = new Random(Seeds.next());
    for (long id = 0; id < 4; id++) {
      a.insert(parent, id, 0L);
    }
    AtomicInteger ids = new AtomicInteger();
    try (var pool = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> threads = new ArrayList<>();
      for (int t = 0; t < 6; t++) {
        long seed = random.nextLong();
        threads.add(pool.submit(() -> mixFamily(new Random(seed), ids)));
      }
      for (Future<?> thread : threads) {
        thread.get();
      }
    }
    List<Object> parents = a.all(parent).stream().map(List::getFirst).toList();
    for (List<Object> row : a.all(child)) {
      assertTrue(parents.contains(row.get(1)), row + " without parent in " + parents);
    }
  }

  private void mixFamily(Random random, AtomicInteger ids) {
    Session session = database.session();
    for (int i = 0; i < 60; i++) {
      long pid = random.nextInt(4);
      try {
        session.begin(random.nextBoolean() ? RC : RR);
        switch (random.nextInt(4)) {
          case 0 -> session.delete(parent, id(pid));
          case 1 -> session.insert(parent, pid, 0L);
          case 2 -> session.insert(child, (long) ids.incrementAndGet(), pid);
          default -> session.delete(child, row -> (Long) row.get(1) == pid);
        }
        Thread.yield();
        if (random.nextInt(4) == 0) {
          session.rollback();
        } else {
          session.commit();
        }
      } catch (GaussException e) {
        assertTrue(
            List.of("23503", "23505", "40P01", "40001").contains(e.state().code()),
            e.state().code() + " " + e.getMessage());
        session.rollback();
      }
    }
  }

  private static InsertNode.OnConflict addAmounts() {
    Expr sum = Plans.expr(PgType.INT8, row -> (Long) row.get(2) + (Long) row.get(5));
    return new InsertNode.OnConflict(false, null, new int[] {2}, new Expr[] {sum}, null);
  }

  @Test
  void upsertsOfOneKeyLoseNothing() throws Exception {
    for (boolean secondary : new boolean[] {false, true}) {
      InsertNode.OnConflict clause =
          secondary
              ? new InsertNode.OnConflict(
                  false,
                  accounts.def().indexes().get(0),
                  addAmounts().setColumns(),
                  addAmounts().setValues(),
                  null)
              : addAmounts();
      a.delete(accounts, row -> true);
      AtomicInteger ids = new AtomicInteger();
      try (var pool = Executors.newVirtualThreadPerTaskExecutor()) {
        List<Future<?>> threads = new ArrayList<>();
        for (int t = 0; t < 6; t++) {
          threads.add(
              pool.submit(
                  () -> {
                    Session session = database.session();
                    for (int i = 0; i < 40; i++) {
                      long key = secondary ? ids.incrementAndGet() : i % 5;
                      session.run(
                          TestDatabase.insertPlan(
                              accounts, List.of(List.of(key, "k" + i % 5, 1L)), clause, null));
                      assertEquals(1, session.affected);
                    }
                  }));
        }
        for (Future<?> thread : threads) {
          thread.get();
        }
      }
      List<List<Object>> rows = a.all(accounts);
      assertEquals(5, rows.size());
      assertEquals(240, rows.stream().mapToLong(row -> (Long) row.get(2)).sum());
    }
  }

  @Test
  void insertWaitsForTheOtherInserterOfItsKey() throws Exception {
    a.begin(RC);
    a.insert(accounts, 1L, "x", 1L);
    Future<?> sameKey =
        async(
            () -> {
              b.insert(accounts, 1L, "y", 1L);
              return null;
            });
    assertWaits(sameKey);
    a.commit();
    assertFails("23505", sameKey);
    a.begin(RC);
    a.insert(accounts, 2L, "z", 1L);
    Future<?> sameCode =
        async(
            () -> {
              b.insert(accounts, 3L, "z", 1L);
              return null;
            });
    assertWaits(sameCode);
    a.rollback();
    sameCode.get();
    assertEquals(2, a.all(accounts).size());
  }

  private PlanNode forUpdate(LockRowsNode.Waiting waiting) {
    int keyColumn = accounts.handle().types().length;
    LockRowsNode.Mark mark =
        new LockRowsNode.Mark(accounts.def(), keyColumn, accounts.handle().allColumns(), waiting);
    return new LockRowsNode(
        TestDatabase.withKey(accounts, Plans.condition(row -> true)),
        new LockRowsNode.Mark[] {mark},
        new LockRowsNode.OuterJoin[0],
        null);
  }

  @Test
  void rowLocks() throws Exception {
    for (long i = 1; i <= 20; i++) {
      a.insert(accounts, i, "x" + i, i);
    }
    a.begin(RC);
    PlanNode first =
        new LimitNode(
            forUpdate(LockRowsNode.Waiting.WAIT), TestDatabase.constant(PgType.INT8, 2L), null);
    assertEquals(2, a.run(first).size());
    // The limit above the lock: only two rows are locked.
    b.begin(RC);
    List<List<Object>> free = b.run(forUpdate(LockRowsNode.Waiting.SKIP_LOCKED));
    assertEquals(18, free.size());
    assertEquals(3L, free.getFirst().getFirst());
    b.rollback();
    b.begin(RC);
    GaussException error =
        assertThrows(GaussException.class, () -> b.run(forUpdate(LockRowsNode.Waiting.NOWAIT)));
    assertEquals("55P03", error.state().code());
    assertEquals("could not obtain lock on row in relation \"accounts\"", error.getMessage());
    b.rollback();
    Future<List<List<Object>>> waiting = async(() -> b.run(forUpdate(LockRowsNode.Waiting.WAIT)));
    assertWaits(waiting);
    a.update(accounts, id(1), 2, row -> 77L);
    a.commit();
    assertEquals(77L, waiting.get().getFirst().get(2));
  }

  @Test
  void lockingOneRowByKeySeesItsNewestVersion() throws Exception {
    a.insert(accounts, 1L, "x", 100L);
    int keyColumn = accounts.handle().types().length;
    int[] columns = {0, 1, 2};
    Expr[] key = {TestDatabase.constant(PgType.INT4, 1L)};
    Function<LockRowsNode.Waiting, PlanNode> plan =
        waiting ->
            new LockRowsNode(
                new PointReadNode(
                    accounts.def(),
                    key,
                    columns,
                    accounts.handle().types(),
                    Plans.condition(row -> (Long) row.get(2) > 50)),
                new LockRowsNode.Mark[] {
                  new LockRowsNode.Mark(accounts.def(), keyColumn, columns, waiting)
                },
                new LockRowsNode.OuterJoin[0],
                null);
    a.begin(RC);
    a.update(accounts, id(1), 2, row -> 60L);
    Future<List<List<Object>>> waiting = async(() -> b.run(plan.apply(LockRowsNode.Waiting.WAIT)));
    assertWaits(waiting);
    Session c = database.session();
    assertEquals(List.of(), c.run(plan.apply(LockRowsNode.Waiting.SKIP_LOCKED)));
    assertThrows(GaussException.class, () -> c.run(plan.apply(LockRowsNode.Waiting.NOWAIT)));
    a.commit();
    assertEquals(List.of(List.of(1L, "x", 60L)), waiting.get());
    a.update(accounts, id(1), 2, row -> 40L);
    assertEquals(List.of(), b.run(plan.apply(LockRowsNode.Waiting.WAIT)));
  }

  @Test
  void whatWouldWaitLeavesNothingBehind() {
    a.insert(accounts, 1L, "x", 100L);
    a.begin(RC);
    a.update(accounts, id(1), 2, row -> 0L);
    b.engineContext.waits().mayBlock(false);
    b.begin(RC);
    assertThrows(WouldBlockException.class, () -> b.update(accounts, row -> true, 2, row -> 5L));
    b.engineContext.waits().mayBlock(true);
    a.commit();
    assertEquals(1, b.update(accounts, row -> true, 2, row -> 5L));
    b.commit();
    assertEquals(List.of(List.of(1L, "x", 5L)), a.all(accounts));
  }
}
