package io.gauss.compute.txn.base;

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
  private final LongAdder remoteQuestions = new LongAdder();
  private final LongAdder remoteXids = new LongAdder();
  private final LongAdder undoPagesReused = new LongAdder();
  private final LongAdder undoPagesFresh = new LongAdder();
  private final LongAdder undoPagesFreed = new LongAdder();
  private final LongAdder purgedPages = new LongAdder();
  private final LongAdder purgeDropped = new LongAdder();

  public void commit() {
    commits.increment();
  }

  public void rollback() {
    rollbacks.increment();
  }

  public void undone() {
    undoneRecords.increment();
  }

  public void rowWait(long nanos) {
    rowWaits.increment();
    rowWaitNanos.add(nanos);
  }

  public void tableWait(long nanos) {
    tableWaits.increment();
    tableWaitNanos.add(nanos);
  }

  public void deadlock() {
    deadlocks.increment();
  }

  public void remoteQuestion(int xids) {
    remoteQuestions.increment();
    remoteXids.add(xids);
  }

  public void undoPages(boolean reused) {
    (reused ? undoPagesReused : undoPagesFresh).increment();
  }

  public void undoPageFreed() {
    undoPagesFreed.increment();
  }

  public void purged() {
    purgedPages.increment();
  }

  public void purgeDropped(int pages) {
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

  /** Messages that asked other nodes for the outcomes of their transactions. */
  public long remoteQuestions() {
    return remoteQuestions.sum();
  }

  /** Transactions about which these messages asked. */
  public long remoteXids() {
    return remoteXids.sum();
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

  /** Leaves visited by purge. */
  public long purgedPages() {
    return purgedPages.sum();
  }

  /** Leaves that the full purge queue did not take; they are purged when they fill up. */
  public long purgeDropped() {
    return purgeDropped.sum();
  }
}
