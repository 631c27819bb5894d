package io.gauss.compute.sql.exec.join;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.Operator;
import io.gauss.compute.sql.exec.node.JoinType;
import io.gauss.compute.sql.exec.node.NestedLoopJoinNode;
import io.gauss.compute.sql.exec.row.JoinTypes;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.spill.RowSpool;
import io.gauss.compute.type.PgType;

/**
 * Goes through the inner input for each outer row: it is reopened with slots set (index join), or
 * kept in a spool, or in one batch when it is small.
 */
public final class NestedLoopOperator extends Operator {
  private final NestedLoopJoinNode node;
  private final JoinType type;
  private final Operator outer;
  private final Operator inner;
  private final SlotWriter slots;
  private final RowSpool spool;
  private final RowBatch spoolBatch;
  private final RowBatch out;
  private final RowBatch pair;
  private final int outerColumns;
  private final int innerColumns;

  private ExecContext ctx;
  private RowSpool.Reader reader;
  private long[] matched = new long[1];
  private boolean spooled;
  private boolean spoolInBatch;
  private RowBatch outerBatch;
  private int outerRow;
  private boolean rowStarted;
  private boolean rowMatched;
  private RowBatch innerBatch;
  private int innerRow;
  private long innerBase;
  private boolean innerDone;
  private boolean outerDone;

  /**
   * Most rows in the current output batch; starts small and grows, so that a limit above stops the
   * join early.
   */
  private int capacity;

  private boolean tailStarted;

  public NestedLoopOperator(NestedLoopJoinNode node, Operator outer, Operator inner) {
    this.node = node;
    this.type = node.joinType();
    this.outer = outer;
    this.inner = inner;
    boolean correlated = node.slots().length > 0;
    if (correlated && keepsInner()) {
      throw new IllegalStateException(type + " join with slots");
    }
    slots = correlated ? new SlotWriter(node.slots(), node.sources()) : null;
    PgType[] innerTypes = node.inner().types();
    spool = correlated ? null : new RowSpool(innerTypes);
    spoolBatch = correlated ? null : Rows.batch(innerTypes);
    outerColumns = node.outer().types().length;
    innerColumns = innerTypes.length;
    out = Rows.batch(node.types());
    pair =
        type.emitsRight() || node.condition() == null
            ? null
            : Rows.batch(JoinTypes.concat(node.outer().types(), innerTypes));
  }

  private boolean keepsInner() {
    return type == JoinType.RIGHT || type == JoinType.FULL;
  }

  private boolean keepsOuter() {
    return type == JoinType.LEFT || type == JoinType.FULL;
  }

  @Override
  public void open(ExecContext context) {
    ctx = context;
    outerBatch = null;
    outerRow = 0;
    rowStarted = false;
    outerDone = false;
    capacity = FIRST_ROWS;
    tailStarted = false;
    spooled = false;
    if (spool != null) {
      spool.reset(context);
    }
    outer.open(context);
  }

  private void fillSpool() {
    inner.open(ctx);
    for (RowBatch batch = inner.next(); batch != null; batch = inner.next()) {
      ctx.checkInterrupt();
      for (int row = 0; row < batch.size; row++) {
        spool.add(batch, row);
      }
    }
    inner.close();
    reader = spool.reader();
    spoolInBatch = spool.rows() <= MAX_ROWS;
    if (spoolInBatch) {
      spoolBatch.clear();
      reader.read(spoolBatch, MAX_ROWS, 0);
      spoolInBatch = reader.isAtEnd();
    }
    if (keepsInner()) {
      matched = new long[(int) (spool.rows() >>> 6) + 1];
    }
    spooled = true;
  }

  @Override
  public RowBatch next() {
    if (spool != null && !spooled) {
      fillSpool();
    }
    ctx.checkInterrupt();
    ctx.eval.resetScratch();
    out.clear();
    while (!ctx.isFull(out, capacity) && !outerDone) {
      if (!rowStarted && !startRow()) {
        break;
      }
      if (continueRow()) {
        rowStarted = false;
        outerRow++;
      }
    }
    if (outerDone && keepsInner()) {
      emitUnmatchedInner();
    }
    capacity = Math.min(capacity * 2, MAX_ROWS);
    return out.size == 0 ? null : out;
  }

  /** Moves to the next outer row; false when there is none. */
  private boolean startRow() {
    if (outerBatch == null || outerRow == outerBatch.size) {
      outerBatch = outer.next();
      outerRow = 0;
      if (outerBatch == null) {
        outerDone = true;
        return false;
      }
    }
    rowStarted = true;
    rowMatched = false;
    innerDone = false;
    innerRow = 0;
    innerBase = 0;
    if (slots != null) {
      slots.set(ctx.eval, outerBatch, outerRow);
      inner.open(ctx);
      if (!type.emitsRight() && node.condition() == null) {
        inner.expectRows(1);
      }
      innerBatch = null;
    } else if (spoolInBatch) {
      innerBatch = spoolBatch;
    } else {
      reader.rewind();
      innerBatch = null;
    }
    return true;
  }

  /** Moves to the next inner batch; false at the end. */
  private boolean nextInner() {
    if (innerBatch != null) {
      innerBase += innerBatch.size;
    }
    innerRow = 0;
    if (slots != null) {
      innerBatch = inner.next();
    } else if (spoolInBatch) {
      innerBatch = null;
    } else {
      spoolBatch.clear();
      innerBatch = reader.read(spoolBatch, MAX_ROWS, 0) == 0 ? null : spoolBatch;
    }
    return innerBatch != null;
  }

  /** Emits matches of the current row; false when the output is full and the row is not done. */
  private boolean continueRow() {
    while (!innerDone) {
      if (innerBatch == null || innerRow == innerBatch.size) {
        innerDone = !nextInner();
        ctx.checkInterrupt();
        continue;
      }
      if (ctx.isFull(out, capacity)) {
        return false;
      }
      int row = innerRow++;
      if (!matches(row)) {
        continue;
      }
      rowMatched = true;
      if (keepsInner()) {
        long index = innerBase + row;
        matched[(int) (index >>> 6)] |= 1L << index;
      }
      innerDone = !type.emitsRight();
    }
    if (ctx.isFull(out, capacity)) {
      return false;
    }
    if (type == JoinType.SEMI ? rowMatched : type == JoinType.ANTI && !rowMatched) {
      Rows.copy(outerBatch, outerRow, out, out.size++);
    } else if (keepsOuter() && !rowMatched) {
      Rows.copy(outerBatch, outerRow, out, out.size);
      Rows.setNulls(out, out.size, outerColumns, innerColumns);
      out.size++;
    }
    return true;
  }

  private boolean matches(int row) {
    if (type.emitsRight()) {
      Rows.copy(outerBatch, outerRow, out, out.size);
      Rows.copy(innerBatch, row, out, out.size, outerColumns);
      if (node.condition() != null && !node.condition().test(ctx.eval, out, out.size)) {
        Rows.discard(out, out.size);
        return false;
      }
      out.size++;
      return true;
    }
    if (node.condition() == null) {
      return true;
    }
    pair.clear();
    Rows.copy(outerBatch, outerRow, pair, 0);
    Rows.copy(innerBatch, row, pair, 0, outerColumns);
    return node.condition().test(ctx.eval, pair, 0);
  }

  private void emitUnmatchedInner() {
    if (!tailStarted) {
      tailStarted = true;
      reader.rewind();
      innerBase = 0;
      innerRow = 0;
      spoolBatch.clear();
      reader.read(spoolBatch, MAX_ROWS, 0);
    }
    while (!ctx.isFull(out, capacity) && spoolBatch.size > 0) {
      if (innerRow == spoolBatch.size) {
        innerBase += spoolBatch.size;
        innerRow = 0;
        spoolBatch.clear();
        reader.read(spoolBatch, MAX_ROWS, 0);
        continue;
      }
      long index = innerBase + innerRow;
      if ((matched[(int) (index >>> 6)] & 1L << index) == 0) {
        Rows.setNulls(out, out.size, 0, outerColumns);
        Rows.copy(spoolBatch, innerRow, out, out.size++, outerColumns);
      }
      innerRow++;
    }
  }

  @Override
  public void close() {
    if (spool != null) {
      spool.close();
    }
    outer.close();
    inner.close();
  }
}
