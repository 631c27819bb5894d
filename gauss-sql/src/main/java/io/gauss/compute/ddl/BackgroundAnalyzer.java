package io.gauss.compute.ddl;

import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.Catalog;
import io.gauss.compute.catalog.CollectedStatistics;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableStatistics;
import io.gauss.compute.catalog.statistics.AutoAnalyze;
import io.gauss.compute.catalog.statistics.StatisticsCollector;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transactions;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Analyzes tables for {@link AutoAnalyze}, each in a transaction of its own. It has low priority: a
 * table whose lock is not granted soon is left for the next round. One thread may analyze; any
 * thread may close.
 */
public final class BackgroundAnalyzer implements AutoAnalyze.Analyzer, AutoCloseable {
  private static final long LOCK_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final DdlServices services;
  private final Transactions transactions;
  private final Supplier<EngineContext> contexts;
  private volatile EngineContext running;
  private volatile boolean closed;

  public BackgroundAnalyzer(
      DdlServices services, Transactions transactions, Supplier<EngineContext> contexts) {
    this.services = services;
    this.transactions = transactions;
    this.contexts = contexts;
  }

  @Override
  public void analyze(TableDef table) {
    EngineContext ctx = contexts.get();
    running = ctx;
    if (closed) {
      interrupt(ctx);
    }
    ctx.interrupts().check();
    Transaction txn = transactions.session(ctx);
    try {
      txn.begin(Transaction.IsolationLevel.READ_COMMITTED);
      txn.lockTimeoutNanos(LOCK_TIMEOUT_NANOS);
      txn.lockTable(table.oid(), TableLockMode.ACCESS_SHARE);
      services.catalog().freshen(txn.context());
      TableDef locked = services.catalog().current().table(table.oid());
      if (locked == null || isAnalyzedElsewhere(table, locked)) {
        return;
      }
      txn.startStatement();
      SplittableRandom random = new SplittableRandom(services.clock().now());
      TableStatistics statistics =
          new StatisticsCollector(random)
              .collect(
                  txn,
                  locked,
                  services.store().tree(locked.space()),
                  services.rowCodec(locked),
                  new KeySample(services, locked, services.catalog().current()));
      CollectedStatistics collected = CollectedStatistics.of(locked, statistics);
      services.catalogStore().putStatistics(txn, collected);
      txn.endStatement();
      commit(txn, collected);
    } finally {
      // Rolls back if analyzing failed.
      txn.close();
    }
  }

  /** Aborts a running analysis: a node that shuts down does not wait for pages of other nodes. */
  @Override
  public void close() {
    closed = true;
    EngineContext ctx = running;
    if (ctx != null) {
      interrupt(ctx);
    }
  }

  private static void interrupt(EngineContext ctx) {
    ctx.interrupts().request(SqlState.ADMIN_SHUTDOWN, "the node ends");
  }

  /** Whether another node has analyzed the table since this node found that it is due. */
  private static boolean isAnalyzedElsewhere(TableDef found, TableDef now) {
    return found.statistics() != now.statistics();
  }

  private void commit(Transaction txn, CollectedStatistics collected) {
    Catalog catalog = services.catalog();
    long begun = catalog.sharing().committing();
    boolean committed = false;
    try {
      txn.commit(() -> catalog.publishStatistics(List.of(collected), txn.lastCsn()));
      committed = true;
    } finally {
      catalog.sharing().committed(begun, committed ? txn.lastCsn() : 0);
    }
  }
}
