package io.gauss.compute.sql.exec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.row.ColumnVector;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.node.FullScanNode;
import io.gauss.compute.sql.exec.node.HashJoinNode;
import io.gauss.compute.sql.exec.node.JoinType;
import io.gauss.compute.sql.exec.node.NestedLoopJoinNode;
import io.gauss.compute.sql.exec.node.PlanNode;
import io.gauss.compute.sql.exec.node.ProjectNode;
import io.gauss.compute.sql.exec.node.SortNode;
import io.gauss.compute.sql.exec.row.SortKey;
import io.gauss.compute.sql.exec.run.Execution;
import io.gauss.compute.sql.exec.table.TableHandle;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.ValueKind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Operators pass on fewer rows at a time when the rows are large: a thousand of the largest would
 * take more memory than any process has.
 */
class LargeRowsTest {
  private static final int ROWS = 60;
  private static final int ROW_BYTES = 200_000;
  private static final int MOST_BYTES = (1 << 20) + 2 * ROW_BYTES;

  @TempDir Path directory;

  private static PlanNode numbers() {
    List<List<Object>> rows = new ArrayList<>();
    for (long i = 0; i < ROWS; i++) {
      rows.add(List.of(i));
    }
    return Plans.rows(new PgType[] {PgType.INT8}, rows);
  }

  /** A number, and a long text. */
  private static PlanNode large() {
    Expr number = Plans.expr(PgType.INT8, row -> row.getFirst());
    Expr text = Plans.expr(PgType.TEXT, row -> "x".repeat(ROW_BYTES));
    return new ProjectNode(numbers(), new Expr[] {number, text});
  }

  private void passesOnFewRows(PlanNode plan, ExecContext ctx, int expected) {
    Execution execution = new Execution(plan);
    int[] rows = {0};
    execution.open(ctx);
    assertFalse(execution.keepsMuch());
    execution.fetch(
        0,
        (batch, from, to) -> {
          rows[0] += to - from;
          assertTrue(bytes(batch) <= MOST_BYTES, () -> plan + ": " + bytes(batch));
        });
    execution.close();
    assertEquals(expected, rows[0]);
    assertTrue(execution.keepsMuch());
  }

  private static long bytes(RowBatch batch) {
    long bytes = 0;
    for (ColumnVector column : batch.columns) {
      bytes += column.dataLength;
    }
    return bytes;
  }

  @Test
  void ofComputedRows() {
    passesOnFewRows(large(), Plans.context(directory, 1 << 20), ROWS);
  }

  @Test
  void ofSortedRows() {
    SortKey[] keys = {new SortKey(0, false, false)};
    passesOnFewRows(
        new SortNode(large(), keys, null, null), Plans.context(directory, 1 << 20), ROWS);
  }

  @Test
  void ofJoinedRows() {
    int[] key = {0};
    for (long memory : new long[] {1 << 16, 1 << 30}) {
      passesOnFewRows(
          new HashJoinNode(JoinType.INNER, numbers(), large(), key, key, null, false),
          Plans.context(directory, memory),
          ROWS);
      passesOnFewRows(
          new NestedLoopJoinNode(JoinType.INNER, numbers(), large(), new int[0], new Expr[0], null),
          Plans.context(directory, memory),
          ROWS * ROWS);
    }
  }

  @Test
  void ofATable() {
    try (TestDatabase database = new TestDatabase(directory)) {
      TestDatabase.Builder table =
          database
              .table("large")
              .column("id", PgType.INT8)
              .column("text", PgType.TEXT)
              .primaryKey(0);
      database.open();
      TestDatabase.Session session = database.session();
      for (long i = 0; i < ROWS; i++) {
        session.insert(table, i, "x".repeat(ROW_BYTES));
      }
      session.begin(IsolationLevel.READ_COMMITTED);
      session.txn.startStatement();
      TableHandle handle = table.handle();
      passesOnFewRows(
          new FullScanNode(handle.def(), handle.allColumns(), handle.types(), null),
          session.ctx,
          ROWS);
      session.txn.endStatement();
      session.commit();
    }
  }

  @Test
  void aColumnOfABatchIsBounded() {
    ColumnVector column = new ColumnVector(ValueKind.BYTES);
    column.reserveBytes(0, 1 << 20);
    GaussException refused =
        assertThrows(GaussException.class, () -> column.reserveBytes(1, 1 << 28));
    assertEquals("53200", refused.state().code());
    refused = assertThrows(GaussException.class, () -> column.reserveBytes(1, Integer.MAX_VALUE));
    assertEquals("53200", refused.state().code());
  }

  @Test
  void aBatchDoesNotKeepMuch() {
    ColumnVector column = new ColumnVector(ValueKind.BYTES);
    column.reserveBytes(0, 16 << 20);
    column.clear();
    assertTrue(column.data.length < 1 << 20);
  }
}
