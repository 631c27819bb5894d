package io.gauss.compute.sql.exec.build;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.spill.StatementMemory;
import org.junit.jupiter.api.Test;

/** What the sort of a whole table may take. */
class MaintenanceMemoryTest {
  private static final long MB = 1 << 20;

  private final ExecContext ctx = new ExecContext();

  @Test
  void itIsThatOfTheSettingAndNotThatOfQueries() {
    ctx.workMemoryBytes = MB;
    try (MaintenanceMemory memory = new MaintenanceMemory(ctx)) {
      assertEquals(64 * MB, memory.workMemoryBytes(), "PostgreSQL's default");
      ctx.maintenanceMemoryBytes = 3 * MB;
      assertEquals(3 * MB, memory.workMemoryBytes());
    }
  }

  @Test
  void buildsAndQueriesShareWhatThereIs() {
    ctx.statementMemory = new StatementMemory(100 * MB);
    try (MaintenanceMemory memory = new MaintenanceMemory(ctx)) {
      assertEquals(64 * MB, memory.workMemoryBytes());
      try (MaintenanceMemory other = new MaintenanceMemory(ctx)) {
        assertEquals(50 * MB, other.workMemoryBytes());
        assertEquals(50 * MB, memory.workMemoryBytes());
      }
      assertEquals(64 * MB, memory.workMemoryBytes(), "the other one is closed");
    }
    assertEquals(0, ctx.statementMemory.holders());
  }
}
