package io.gauss.compute.sql.exec.run;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.DmlOperator;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.Operator;
import io.gauss.compute.sql.exec.ResultSink;
import io.gauss.compute.sql.exec.node.PlanNode;
import io.gauss.compute.sql.exec.spill.StatementMemory;
import java.util.List;

/**
 * Runs a plan: the operators and their buffers, which are reused by one execution after the other.
 * A session keeps one for each portal; one thread at a time.
 *
 * <p>Between calls no latch is held in any state, so a portal may stay suspended until its
 * transaction ends. The first {@link #fetch} executes a statement that writes completely; only its
 * RETURNING rows are returned in portions. After any exception, {@code WouldBlockException}
 * included, {@link #close} or {@link #open} resets the operators; the session has to undo the
 * statement's writes.
 */
public final class Execution {
  private final Operator root;
  private final DmlOperator dml;
  private final List<SharedSpool> spools;
  private final int holders;
  private StatementMemory entered; // null = closed
  private ExecContext ctx;
  private RowBatch batch;
  private int position;
  private boolean atEnd = true;
  private long rowsSent;

  /** For execution without counters. */
  public Execution(PlanNode plan) {
    this(plan, false);
  }

  /**
   * @param instrumented whether {@link ExecContext#instrumentation} is filled
   */
  public Execution(PlanNode plan, boolean instrumented) {
    OperatorFactory factory = new OperatorFactory(instrumented);
    root = factory.create(plan);
    dml = root.dml();
    spools = factory.spools();
    holders = factory.holders();
  }

  /**
   * Starts an execution with the parameters in {@code context.eval}, whose array must also hold a
   * value for each of the plan's slots.
   */
  public void open(ExecContext context) {
    ctx = context;
    ctx.hasLargeRows = false;
    batch = null;
    position = 0;
    rowsSent = 0;
    atEnd = false;
    enterMemory();
    ctx.eval.reset();
    for (SharedSpool spool : spools) {
      spool.restart();
    }
    root.open(ctx);
  }

  /**
   * Hands rows to the sink.
   *
   * @param maxRows how many at most, 0 = all
   * @return true when it stopped because of {@code maxRows} (there may be no more rows), false at
   *     the end
   */
  public boolean fetch(int maxRows, ResultSink sink) {
    long left = maxRows <= 0 ? Long.MAX_VALUE : maxRows;
    while (!atEnd) {
      if (batch == null || position == batch.size) {
        batch = root.next();
        position = 0;
        if (batch == null) {
          atEnd = true;
          break;
        }
      }
      int count = (int) Math.min(left, batch.size - position);
      sink.rows(batch, position, position + count);
      position += count;
      rowsSent += count;
      left -= count;
      if (left == 0) {
        return true;
      }
    }
    return false;
  }

  /** Rows that a statement wrote, for its command tag; for queries the rows fetched since open. */
  public long rowsAffected() {
    return dml == null ? rowsSent : dml.rowsAffected();
  }

  /** Whether it takes much memory for what it may never be used for again. */
  public boolean keepsMuch() {
    return ctx != null && ctx.hasLargeRows;
  }

  private void enterMemory() {
    leaveMemory();
    if (holders > 0) {
      entered = ctx.statementMemory;
      entered.enter(holders);
    }
  }

  private void leaveMemory() {
    if (entered != null) {
      entered.leave(holders);
      entered = null;
    }
  }

  /** Releases engine resources and temporary files. May be called at any time, more than once. */
  public void close() {
    atEnd = true;
    batch = null;
    leaveMemory();
    root.close();
    for (SharedSpool spool : spools) {
      spool.restart();
    }
  }
}
