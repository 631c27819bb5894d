package io.gauss.compute.txn;

import java.util.concurrent.atomic.LongAdder;

/** Counters of the transaction part; monotonic since start. */
public final class TransactionMetrics {
  private final LongAdder commits = new LongAdder();
  private final LongAdder rollbacks = new LongAdder();
  private final LongAdder undoneRecords = new LongAdder();
  private final LongAdder rowWaits = new LongAdder();
  private final LongAdder rowWaitNanos = new LongAdder();
  private final LongAdder tableWaits = new LongAdder();
  private final LongAdder tableWaitNanos = new LongAdder();
  private final LongAdder deadlocks = new LongAdder();
  private final LongAdder foreignQuestions = new LongAdder();
  private final LongAdder foreignXids = new LongAdder();
  private final LongAdder undoPagesReused = new LongAdder();
  private final LongAdder undoPagesFresh = new LongAdder();
  private final LongAdder undoPagesFreed = new LongAdder();
  private final LongAdder purgedPages = new LongAdder();
  private final LongAdder purgeDropped = new LongAdder();

  void commit() {
    commits.increment();
  }

  void rollback() {
    rollbacks.increment();
  }

  void undone() {
    undoneRecords.increment();
  }

  void rowWait(long nanos) {
    rowWaits.increment();
    rowWaitNanos.add(nanos);
  }

  void tableWait(long nanos) {
    tableWaits.increment();
    tableWaitNanos.add(nanos);
  }

  void deadlock() {
    deadlocks.increment();
  }

  void foreignQuestion(int xids) {
    foreignQuestions.increment();
    foreignXids.add(xids);
  }

  void undoPages(boolean reused) {
    (reused ? undoPagesReused : undoPagesFresh).increment();
  }

  void undoPageFreed() {
    undoPagesFreed.increment();
  }

  void purged() {
    purgedPages.increment();
  }

  void purgeDropped(int pages) {
    purgeDropped.add(pages);
  }

  /** Transactions with an xid that committed. */
  public long commits() {
    return commits.sum();
  }

  /** Transactions with an xid that rolled back. */
  public long rollbacks() {
    return rollbacks.sum();
  }

  public long undoneRecords() {
    return undoneRecords.sum();
  }

  public long rowWaits() {
    return rowWaits.sum();
  }

  public long rowWaitNanos() {
    return rowWaitNanos.sum();
  }

  public long tableWaits() {
    return tableWaits.sum();
  }

  public long tableWaitNanos() {
    return tableWaitNanos.sum();
  }

  public long deadlocks() {
    return deadlocks.sum();
  }

  /** Messages that asked other nodes what became of their transactions. */
  public long foreignQuestions() {
    return foreignQuestions.sum();
  }

  /** Transactions that these asked about. */
  public long foreignXids() {
    return foreignXids.sum();
  }

  public long undoPagesReused() {
    return undoPagesReused.sum();
  }

  public long undoPagesFresh() {
    return undoPagesFresh.sum();
  }

  public long undoPagesFreed() {
    return undoPagesFreed.sum();
  }

  /** Leaves looked at by purge. */
  public long purgedPages() {
    return purgedPages.sum();
  }

  /** Leaves that the full purge queue did not take; they are purged when they fill up. */
  public long purgeDropped() {
    return purgeDropped.sum();
  }
}
