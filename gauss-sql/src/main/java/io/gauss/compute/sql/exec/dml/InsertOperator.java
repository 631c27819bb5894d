package io.gauss.compute.sql.exec.dml;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.DmlOperator;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.Operator;
import io.gauss.compute.sql.exec.node.InsertNode;
import io.gauss.compute.sql.exec.node.InsertNode.OnConflict;
import io.gauss.compute.sql.exec.row.JoinTypes;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.row.Values;
import io.gauss.compute.sql.exec.table.UpdateTargets;
import io.gauss.compute.store.Outcome;
import io.gauss.compute.store.RowVersion;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.txn.WaitPolicy;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.Value;

/**
 * Inserts rows, with ON CONFLICT.
 *
 * <p>The insert itself finds a conflict in the primary key, before anything is written. A conflict
 * in a secondary index is looked for first. When the insert finds one all the same (a race, or DO
 * NOTHING with any index), the row's writes so far are undone to a savepoint and the row starts
 * again.
 */
public final class InsertOperator extends DmlOperator {
  private final InsertNode node;
  private final OnConflict onConflict;
  private final Operator input;
  private final RowBatch row;
  private final boolean hasUniqueIndexes;

  // Only with DO UPDATE.
  private final RowBatch existing;
  private final RowBatch updated;
  private final RowBatch both;
  private final RowVersion version;
  private final ByteSink conflictKey = new ByteSink(64);
  private final Value value = new Value();
  private UpdateTargets targets;

  private TableWriter writer;
  private ForeignKeys foreignKeys;
  private BufferedRows buffered; // rows for the writer, null until there are several rows at once

  public InsertOperator(InsertNode node, Operator input) {
    super(node.types());
    this.node = node;
    this.onConflict = node.onConflict();
    this.input = input;
    row = Rows.batch(node.input().types());
    hasUniqueIndexes = node.table().indexes().stream().anyMatch(index -> index.unique());
    boolean doUpdate = onConflict != null && onConflict.doUpdate();
    existing = doUpdate ? Rows.batch(node.input().types()) : null;
    updated = doUpdate ? Rows.batch(node.input().types()) : null;
    both =
        doUpdate ? Rows.batch(JoinTypes.concat(node.input().types(), node.input().types())) : null;
    version = doUpdate ? new RowVersion() : null;
  }

  @Override
  public void open(ExecContext context) {
    super.open(context);
    foreignKeys = ForeignKeys.reuse(foreignKeys, context);
    writer = foreignKeys.writer(node.table().oid());
    if (buffered != null && !buffered.isOf(writer)) {
      buffered = null;
    }
    input.open(context);
  }

  @Override
  public void execute() {
    for (RowBatch in = input.next(); in != null; in = input.next()) {
      if (in.size > 1 && onConflict == null && node.returning() == null) {
        insertTogether(in);
        continue;
      }
      for (int i = 0; i < in.size; i++) {
        take(in, i);
        if (onConflict == null) {
          writer.insert(row);
          wrote();
          returning(row);
        } else {
          insertOrResolve();
        }
      }
    }
    foreignKeys.finish();
  }

  private void insertTogether(RowBatch in) {
    if (buffered == null) {
      buffered = new BufferedRows(ctx, writer, foreignKeys, null);
    }
    buffered.clear();
    for (int i = 0; i < in.size; i++) {
      try {
        take(in, i);
      } catch (GaussException e) {
        buffered.flush(); // an error of an earlier row is reported first
        throw e;
      }
      buffered.add(row, i);
      wrote();
    }
    buffered.flush();
  }

  /** Takes a row of the input as the one to insert, and checks it. */
  private void take(RowBatch in, int i) {
    ctx.checkInterrupt();
    row.clear();
    Rows.copy(in, i, row, 0);
    row.size = 1;
    writer.checkRow(row);
  }

  private void returning(RowBatch result) {
    if (node.returning() != null) {
      RowBatch out = returningBatch();
      Values.eval(ctx.eval, node.returning(), result, 0, out, 0);
      addReturned(out);
    }
  }

  private void insertOrResolve() {
    refuseDeferrableArbiter();
    while (true) {
      ctx.checkInterrupt();
      if (probe()) {
        if (resolve()) {
          return;
        }
        continue;
      }
      long savepoint = hasUniqueIndexes ? ctx.transaction.savepoint() : 0;
      if (writer.tryInsert(row)) {
        foreignKeys.inserted(writer, row);
        wrote();
        returning(row);
        return;
      }
      if (!isArbiter(writer.conflictIndex())) {
        throw writer.duplicate(row);
      }
      writer.conflictKey(conflictKey);
      if (writer.conflictIndex() != TableWriter.PRIMARY) {
        ctx.transaction.rollbackTo(savepoint);
      }
      if (resolve()) {
        return;
      }
    }
  }

  private void refuseDeferrableArbiter() {
    for (int index : writer.deferrableKeys()) {
      IndexDef def = writer.table().def().indexes().get(index);
      boolean isArbiter =
          onConflict.anyIndex()
              || onConflict.arbiter() != null && onConflict.arbiter().oid() == def.oid();
      if (isArbiter) {
        throw new GaussException(
                SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
                "ON CONFLICT does not support deferrable unique constraints/exclusion constraints"
                    + " as arbiters")
            .table(node.table().schema(), node.table().name())
            .constraint(def.name());
      }
    }
  }

  /** Looks for a conflict in a secondary index, which the insert would find late. */
  private boolean probe() {
    if (onConflict.anyIndex() || onConflict.arbiter() == null) {
      return false;
    }
    boolean found =
        writer.findConflict(writer.table().indexPosition(onConflict.arbiter().oid()), row);
    if (found) {
      writer.conflictKey(conflictKey);
    }
    return found;
  }

  private boolean isArbiter(int index) {
    if (onConflict.anyIndex()) {
      return true;
    }
    if (onConflict.arbiter() == null) {
      return index == TableWriter.PRIMARY;
    }
    return index != TableWriter.PRIMARY
        && writer.table().def().indexes().get(index).oid() == onConflict.arbiter().oid();
  }

  /**
   * Applies the clause to the row at {@link #conflictKey}; false when the row is gone: try again.
   */
  private boolean resolve() {
    if (!onConflict.doUpdate()) {
      checkVisible();
      return true;
    }
    Outcome outcome =
        writer
            .table()
            .rows()
            .readNewest(
                ctx.transaction,
                ctx.snapshot(),
                conflictKey.array,
                0,
                conflictKey.length,
                WaitPolicy.WAIT,
                version);
    return switch (outcome) {
      case OK, CHANGED -> update();
      case SELF ->
          throw new GaussException(
                  SqlState.CARDINALITY_VIOLATION,
                  "ON CONFLICT DO UPDATE command cannot affect row a second time")
              .hint(
                  "Ensure that no rows proposed for insertion within the same command have"
                      + " duplicate constrained values.");
      case NOT_FOUND, STALE -> false;
      case LOCKED, DUPLICATE -> throw new IllegalStateException("readNewest: " + outcome);
    };
  }

  /** REPEATABLE READ may not act on a row that its snapshot does not see. */
  private void checkVisible() {
    if (ctx.transaction.isolation() != IsolationLevel.REPEATABLE_READ) {
      return;
    }
    RowVersion seen = new RowVersion();
    boolean visible =
        writer
            .table()
            .rows()
            .get(ctx.transaction, ctx.snapshot(), conflictKey.array, 0, conflictKey.length, seen);
    if (!visible
        && writer
                .table()
                .rows()
                .readNewest(
                    ctx.transaction,
                    ctx.snapshot(),
                    conflictKey.array,
                    0,
                    conflictKey.length,
                    WaitPolicy.WAIT,
                    seen)
            != Outcome.SELF) {
      throw ConstraintErrors.serialization();
    }
  }

  /** DO UPDATE of the row in {@link #version}. */
  private boolean update() {
    writer.decode(version, existing);
    if (onConflict.arbiter() != null
        && !writer.sameKey(
            writer.table().indexPosition(onConflict.arbiter().oid()), existing, row)) {
      return false;
    }
    ctx.eval.resetScratch();
    both.clear();
    Rows.copy(existing, 0, both, 0);
    Rows.copy(row, 0, both, 0, existing.columns.length);
    both.size = 1;
    if (onConflict.where() != null && !onConflict.where().test(ctx.eval, both, 0)) {
      return writer.table().rows().lock(ctx.transaction, version) == Outcome.OK;
    }
    updated.clear();
    Rows.copy(existing, 0, updated, 0);
    updated.size = 1;
    int[] columns = onConflict.setColumns();
    for (int i = 0; i < columns.length; i++) {
      onConflict.setValues()[i].eval(ctx.eval, both, 0, value);
      updated.columns[columns[i]].set(0, value);
    }
    writer.checkRow(updated);
    if (targets == null) {
      targets = UpdateTargets.of(node.table(), columns);
    }
    if (writer.update(version, existing, updated, targets) != Outcome.OK) {
      return false;
    }
    wrote();
    returning(updated);
    return true;
  }

  @Override
  public void close() {
    super.close();
    if (foreignKeys != null) {
      foreignKeys.reset();
    }
    input.close();
  }
}
