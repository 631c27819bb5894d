package io.gauss.compute.sql.exec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.sql.exec.node.PlanNode;
import io.gauss.compute.sql.exec.node.SortNode;
import io.gauss.compute.sql.exec.row.SortKey;
import io.gauss.compute.sql.exec.run.Execution;
import io.gauss.compute.sql.exec.spill.StatementMemory;
import io.gauss.compute.sql.exec.spill.UnspillableMemory;
import io.gauss.compute.type.PgType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Statements that together would take more memory than the node has. */
class StatementMemoryTest {
  private static final long MOST = 4 << 20;
  private static final int WORK_MEMORY = 1 << 20;
  private static final int ROWS =
      1_500; // of 400 bytes in the sort: less than the work memory of one

  @TempDir Path directory;

  private final StatementMemory memory = new StatementMemory(MOST);

  private final Instrumentation counters = new Instrumentation();
  private final PlanNode sort = sort();

  private static PlanNode sort() {
    List<List<Object>> rows = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      rows.add(List.of("x".repeat(200)));
    }
    PlanNode input = Plans.rows(new PgType[] {PgType.TEXT}, rows);
    return new SortNode(input, new SortKey[] {new SortKey(0, false, false)}, null, null);
  }

  private Execution open() {
    ExecContext context = Plans.context(directory, WORK_MEMORY);
    context.statementMemory = memory;
    context.instrumentation = counters;
    Execution execution = new Execution(sort, true);
    execution.open(context);
    return execution;
  }

  private boolean hasSpilled() {
    return counters.of(sort).spilledBytes > 0;
  }

  @Test
  void theySpillWhenTheyAreTooMany() {
    try (Closing few = new Closing()) {
      few.open(2);
      assertFalse(hasSpilled());
    }
    try (Closing many = new Closing()) {
      many.open(40);
      assertTrue(hasSpilled());
      assertEquals(40, memory.holders());
    }
    assertEquals(0, memory.holders());
  }

  @Test
  void theShareIsWhatIsWantedUntilThereIsTooLittle() {
    memory.enter(4);
    assertEquals(WORK_MEMORY, memory.share(WORK_MEMORY));
    assertEquals(WORK_MEMORY, memory.share(Long.MAX_VALUE >> 8));
    memory.enter(4);
    assertEquals(WORK_MEMORY / 2, memory.share(WORK_MEMORY));
    memory.leave(8);
    assertEquals(MOST, memory.share(256 << 20));
  }

  /** However many others are open: they may use nothing of their shares. */
  @Test
  void whatCannotSpillTakesWhatThereIs() {
    memory.enter(1_000);
    UnspillableMemory one = new UnspillableMemory(MOST, "one takes");
    UnspillableMemory two = new UnspillableMemory(MOST, "two takes");
    one.take(memory, MOST / 2);
    one.take(memory, MOST * 3 / 4);
    GaussException e = assertThrows(GaussException.class, () -> two.take(memory, MOST / 2));
    assertEquals(SqlState.OUT_OF_MEMORY, e.state());
    assertThrows(GaussException.class, () -> one.take(memory, MOST + 1));
    assertEquals(MOST * 3 / 4, memory.unspillable());
    one.release();
    one.release();
    two.take(memory, MOST);
    two.release();
    assertEquals(0, memory.unspillable());
    memory.leave(1_000);
  }

  /** Executions that have begun to return rows and stay open. */
  private final class Closing implements AutoCloseable {
    private final List<Execution> executions = new ArrayList<>();

    void open(int count) {
      for (int i = 0; i < count; i++) {
        executions.add(StatementMemoryTest.this.open());
      }
      executions.forEach(execution -> execution.fetch(1, (batch, from, end) -> {}));
    }

    @Override
    public void close() {
      executions.forEach(Execution::close);
      executions.forEach(Execution::close);
    }
  }
}
