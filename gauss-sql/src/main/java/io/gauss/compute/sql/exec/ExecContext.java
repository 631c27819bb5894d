package io.gauss.compute.sql.exec;

import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.copy.CopyInput;
import io.gauss.compute.sql.copy.CopyOptions;
import io.gauss.compute.sql.copy.CopyProgress;
import io.gauss.compute.sql.exec.deferred.PendingChecks;
import io.gauss.compute.sql.exec.spill.RowSpool;
import io.gauss.compute.sql.exec.spill.StatementMemory;
import io.gauss.compute.sql.exec.spill.TemporaryFiles;
import io.gauss.compute.sql.exec.spill.WorkMemory;
import io.gauss.compute.sql.exec.table.TableAccess;
import io.gauss.compute.txn.Snapshot;
import io.gauss.compute.txn.Transaction;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * Context of an execution; set by the session before the execution is opened. Belongs to the
 * session, one thread at a time.
 */
public final class ExecContext implements WorkMemory {
  /** Default of {@link #workMemoryBytes}: PostgreSQL's work_mem. */
  public static final long DEFAULT_WORK_MEMORY_BYTES = 4L << 20;

  /** Default of {@link #maintenanceMemoryBytes}: PostgreSQL's maintenance_work_mem. */
  public static final long DEFAULT_MAINTENANCE_MEMORY_BYTES = 64L << 20;

  public Transaction transaction;
  public EngineContext engine;

  /** Parameters come first in {@code eval.parameters}, then the plan's internal slots. */
  public EvalContext eval;

  public TableAccess tables;
  public TemporaryFiles temporaryFiles;

  /**
   * Snapshot with which a portal that outlives its statement continues to read ({@code
   * Transaction.keepSnapshot}); null = the transaction's snapshot. Set it, and the portal's own
   * parameters in {@link #eval}, before each fetch.
   */
  public Snapshot snapshot;

  /** Setting: memory that one sort, hash table or spool may use before it spills. */
  public long workMemoryBytes = DEFAULT_WORK_MEMORY_BYTES;

  /** Setting: the same for a sort of a whole table, for a new index or key. */
  public long maintenanceMemoryBytes = DEFAULT_MAINTENANCE_MEMORY_BYTES;

  /** What all statements of the node may use together. */
  public StatementMemory statementMemory = new StatementMemory(Long.MAX_VALUE);

  /** Data and format of COPY FROM; null for other statements. */
  public CopyInput copyInput;

  public CopyOptions copyOptions;
  public CopyProgress copyProgress;

  /** The rows that the currently running recursive terms read. */
  public final Map<WorkTable, RowSpool> workTables = new IdentityHashMap<>(0);

  /** Checks of the whole statement, when several of its parts change tables; else null. */
  public StatementChecks statementChecks;

  /** Checks that wait for the end of the transaction. */
  public final PendingChecks pending = new PendingChecks(this);

  /** Counters by plan node when the statement is explained with ANALYZE, else null. */
  public Instrumentation instrumentation;

  /** The operators' buffers have held large values, and may still be as large. */
  public boolean hasLargeRows;

  /** Whether a batch has so many rows, or so large ones, that none should be added. */
  public boolean isFull(RowBatch batch, int rows) {
    return batch.size >= rows || isLarge(batch);
  }

  /** Whether a batch has so large rows that none should be added. */
  public boolean isLarge(RowBatch batch) {
    boolean isLarge = batch.isLarge();
    hasLargeRows |= isLarge;
    return isLarge;
  }

  public Snapshot snapshot() {
    return snapshot != null ? snapshot : transaction.snapshot();
  }

  /**
   * Called once per batch by every operator that loops: cancellation, timeouts, and a turn for the
   * other sessions.
   */
  public void checkInterrupt() {
    engine.waits().yieldCarrier();
  }

  @Override
  public long workMemoryBytes() {
    return statementMemory.share(workMemoryBytes);
  }

  @Override
  public TemporaryFiles temporaryFiles() {
    return temporaryFiles;
  }

  @Override
  public void beforeWait() {
    engine.waits().beforeWait();
  }
}
