package io.gauss.compute.txn;

import io.gauss.compute.txn.base.TransactionMetrics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * Registers the counters of transactions: ends, waits by cause, deadlocks, undo and purge. They are
 * read when asked for.
 */
public final class TransactionMeters implements MeterBinder {
  private final Transactions transactions;

  public TransactionMeters(Transactions transactions) {
    this.transactions = transactions;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    counter(
        registry,
        "gauss.txn.commits",
        "Transactions with changes that committed",
        TransactionMetrics::commits);
    counter(
        registry,
        "gauss.txn.rollbacks",
        "Transactions with changes that rolled back",
        TransactionMetrics::rollbacks);
    counter(registry, "gauss.txn.deadlocks", "Deadlocks resolved", TransactionMetrics::deadlocks);
    counter(
        registry,
        "gauss.txn.foreign.questions",
        "Questions to other nodes about their transactions",
        TransactionMetrics::remoteQuestions);
    counter(
        registry,
        "gauss.txn.foreign.xids",
        "Transactions that other nodes were asked about",
        TransactionMetrics::remoteXids);
    waits(registry, "row", TransactionMetrics::rowWaits, TransactionMetrics::rowWaitNanos);
    waits(registry, "table", TransactionMetrics::tableWaits, TransactionMetrics::tableWaitNanos);
    counter(
        registry,
        "gauss.undo.records.undone",
        "Undo records applied by rollbacks",
        TransactionMetrics::undoneRecords);
    counter(
        registry,
        "gauss.undo.pages.reused",
        "Undo pages used again",
        TransactionMetrics::undoPagesReused);
    counter(
        registry,
        "gauss.undo.pages.fresh",
        "Undo pages taken from the space",
        TransactionMetrics::undoPagesFresh);
    counter(
        registry,
        "gauss.undo.pages.freed",
        "Undo pages given back to the space",
        TransactionMetrics::undoPagesFreed);
    counter(
        registry,
        "gauss.purge.pages",
        "Leaves looked at by purge",
        TransactionMetrics::purgedPages);
    counter(
        registry,
        "gauss.purge.dropped",
        "Leaves that purge had no room to note",
        TransactionMetrics::purgeDropped);
    gauge(
        registry,
        "gauss.purge.queue",
        "Leaves with deleted records that wait for purge",
        Transactions::purgeQueueLength);
    gauge(registry, "gauss.txn.snapshots", "Snapshots open now", Transactions::openSnapshots);
    gauge(
        registry,
        "gauss.txn.history",
        "LSNs between the clock and the purge horizon",
        Transactions::historyLength);
    gauge(
        registry,
        "gauss.txn.oldest.snapshot.age",
        "Age of the oldest snapshot in seconds",
        t -> t.oldestSnapshotNanos() / 1e9);
    gauge(
        registry,
        "gauss.txn.waiting",
        "Transactions that wait for a row or a table now",
        Transactions::waiting);
    gauge(registry, "gauss.undo.segments", "Undo segments made so far", Transactions::undoSegments);
  }

  private void counter(
      MeterRegistry registry,
      String name,
      String description,
      ToDoubleFunction<TransactionMetrics> value) {
    FunctionCounter.builder(name, transactions.metrics(), value)
        .description(description)
        .register(registry);
  }

  private void gauge(
      MeterRegistry registry,
      String name,
      String description,
      ToDoubleFunction<Transactions> value) {
    Gauge.builder(name, transactions, value).description(description).register(registry);
  }

  private void waits(
      MeterRegistry registry,
      String cause,
      ToLongFunction<TransactionMetrics> count,
      ToDoubleFunction<TransactionMetrics> nanos) {
    FunctionTimer.builder("gauss.waits", transactions.metrics(), count, nanos, TimeUnit.NANOSECONDS)
        .tag("cause", cause)
        .description("Waits of transactions for others")
        .register(registry);
  }
}
