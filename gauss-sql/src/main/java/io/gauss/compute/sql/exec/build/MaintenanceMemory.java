package io.gauss.compute.sql.exec.build;

import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.spill.StatementMemory;
import io.gauss.compute.sql.exec.spill.TemporaryFiles;
import io.gauss.compute.sql.exec.spill.WorkMemory;

/**
 * The budget of a statement that sorts a whole table, which is more than that of a query's sorts
 * ({@code maintenance_work_mem}), and like theirs at most a share of what all statements may take
 * together. Belongs to one statement.
 */
final class MaintenanceMemory implements WorkMemory, AutoCloseable {
  private final ExecContext ctx;
  private final StatementMemory shared;

  MaintenanceMemory(ExecContext ctx) {
    this.ctx = ctx;
    this.shared = ctx.statementMemory;
    shared.enter(1);
  }

  @Override
  public long workMemoryBytes() {
    return shared.share(ctx.maintenanceMemoryBytes);
  }

  @Override
  public TemporaryFiles temporaryFiles() {
    return ctx.temporaryFiles();
  }

  @Override
  public void beforeWait() {
    ctx.beforeWait();
  }

  @Override
  public void close() {
    shared.leave(1);
  }
}
