package io.gauss.compute.txn;

import io.gauss.common.id.Xid;
import io.gauss.compute.engine.TestEngine;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.space.Spaces;
import io.gauss.compute.space.SystemSpaces;
import io.gauss.compute.txn.base.TransactionSettings;

/**
 * Transactions over the engine in memory, with {@link FixedRows}; nothing runs in the background
 * unless asked for.
 */
final class TransactionFixture implements AutoCloseable {
  static final TransactionSettings SETTINGS = settings(20_000_000);

  private final TestEngine engine;
  private final TransactionSettings settings;
  private final Spaces spaces;
  private final Transactions transactions;
  private final FixedRows rows;
  private boolean started;

  TransactionFixture(int frames) {
    this(frames, SETTINGS);
  }

  TransactionFixture(int frames, TransactionSettings settings) {
    this(new TestEngine(frames), settings, true);
  }

  private TransactionFixture(TestEngine engine, TransactionSettings settings, boolean fresh) {
    this.engine = engine;
    this.settings = settings;
    EngineContext ctx = engine.newContext();
    spaces = engine.spaces();
    transactions =
        new Transactions(engine.log(), engine.pool(), spaces, settings, System::nanoTime);
    int space = SystemSpaces.FIRST_USER;
    rows = new FixedRows(this, space);
    transactions.applier(rows);
    transactions.recover(ctx);
    if (fresh) {
      if (spaces.create(ctx) != space) {
        throw new IllegalStateException("space numbers");
      }
      rows.create(ctx);
    }
  }

  /**
   * @param deadlockCheckNanos five times as long a waiter bears that whoever has the turn for its
   *     row does not pass it on: then it looks for itself, and may come before those ahead of it.
   *     Where their order is tested it has to be longer than a machine stands still
   */
  static TransactionSettings settings(long deadlockCheckNanos) {
    return new TransactionSettings(2, 0, deadlockCheckNanos, 3, 1_000_000L, 1, 50);
  }

  /** What a crash leaves: everything durable, nothing else. */
  TransactionFixture restart(int frames) {
    if (started) {
      transactions.stop();
    }
    TransactionFixture again = new TransactionFixture(engine.restart(frames), settings, false);
    new UndoChecker(again.transactions()).check(again.engine().newContext());
    return again;
  }

  TransactionFixture start() {
    transactions.start();
    started = true;
    return this;
  }

  TestEngine engine() {
    return engine;
  }

  Spaces spaces() {
    return spaces;
  }

  Transactions transactions() {
    return transactions;
  }

  /** What {@code gauss_txn_status} says of a transaction of this node. */
  XidStates.Outcome outcome(long xid) {
    return XidStates.outcome(transactions.slots().find(Xid.slot(xid)), xid);
  }

  long status(long xid) {
    return transactions.states().status(transactions.slots().of(xid), xid);
  }

  boolean isActive(long xid) {
    return status(xid) == XidStates.ACTIVE;
  }

  FixedRows rows() {
    return rows;
  }

  Transaction session() {
    return transactions.session(engine.newContext());
  }

  @Override
  public void close() {
    if (started) {
      transactions.stop();
    }
    engine.close();
  }
}
