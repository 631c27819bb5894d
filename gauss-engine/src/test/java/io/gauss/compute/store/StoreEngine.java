package io.gauss.compute.store;

import io.gauss.compute.engine.Checker;
import io.gauss.compute.engine.TestEngine;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.tree.TreeChecker;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transactions;
import io.gauss.compute.txn.UndoChecker;
import io.gauss.compute.txn.base.TransactionSettings;
import java.util.List;

/** A row store over an engine in memory, for tests. */
public final class StoreEngine implements AutoCloseable {
  private final TestEngine engine;
  private final Transactions transactions;
  private final Store store;
  private final int maxUsedBytes;

  public StoreEngine(int frames, int maxUsedBytes) {
    this(new TestEngine(frames), maxUsedBytes, true);
  }

  private StoreEngine(TestEngine engine, int maxUsedBytes, boolean fresh) {
    this.engine = engine;
    this.maxUsedBytes = maxUsedBytes;
    this.transactions =
        new Transactions(
            engine.log(),
            engine.pool(),
            engine.spaces(),
            TransactionSettings.DEFAULT,
            System::nanoTime);
    this.store = new Store(engine.pool(), engine.spaces(), transactions, maxUsedBytes);
    if (fresh) {
      transactions.format(newContext());
    } else {
      transactions.recover(newContext());
    }
  }

  public EngineContext newContext() {
    return engine.newContext();
  }

  public Transactions transactions() {
    return transactions;
  }

  public Store store() {
    return store;
  }

  public TestEngine engine() {
    return engine;
  }

  public Transaction session() {
    return transactions.session(newContext());
  }

  /** Purges what can be, as the background does. */
  public void purge() {
    engine.quiesce();
    transactions.refreshHorizon();
    transactions.purge(newContext());
  }

  /** Pages that nothing leads to, and that nobody will free, once all is purged. */
  public List<String> lostPages() {
    purge();
    for (int i = 0; i < 10 && transactions.purgeList().size() > 0; i++) {
      purge(); // what purge has removed from leaves waits for the horizon, and is given back then
    }
    return new LostPages(engine.pool(), engine.spaces(), newContext()).find();
  }

  public List<String> problems(int space) {
    return TreeChecker.check(store.tree(space).btree(), newContext()).problems();
  }

  /** Runs the checkers that a node without a catalog has. Nobody writes meanwhile. */
  public void check() {
    EngineContext ctx = newContext();
    List<Checker> checkers =
        List.of(engine.pagesChecker(), new StoreChecker(store), new UndoChecker(transactions));
    checkers.forEach(checker -> checker.check(ctx));
  }

  /** What is durable, with unfinished transactions rolled back; checked, and purged. */
  public StoreEngine restart(int frames) {
    StoreEngine again = new StoreEngine(engine.restart(frames), maxUsedBytes, false);
    again.check();
    List<String> lost = again.lostPages();
    if (!lost.isEmpty()) {
      throw new AssertionError("lost after a restart: " + lost);
    }
    return again;
  }

  /** A store over the first MTRs of a log's content, recovered; see {@link TestEngine#over}. */
  public static StoreEngine over(byte[] content, int bytes, int frames, int maxUsedBytes) {
    return new StoreEngine(TestEngine.over(content, bytes, frames), maxUsedBytes, false);
  }

  @Override
  public void close() {
    engine.close();
  }
}
