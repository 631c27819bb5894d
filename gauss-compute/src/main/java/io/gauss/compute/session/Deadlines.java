package io.gauss.compute.session;

import io.gauss.common.runtime.Environment;
import io.gauss.compute.mtr.EngineContext;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Interrupts statements that run longer than statement_timeout. One daemon thread, which never
 * blocks. Thread-safe.
 */
final class Deadlines implements AutoCloseable {
  private final ScheduledExecutorService timer;

  Deadlines() {
    timer = Environment.scheduler("statement-timeouts");
  }

  /** A message has to end within so long. */
  StatementDeadline schedule(EngineContext context, long afterMs) {
    StatementDeadline deadline = new StatementDeadline(context.interrupts());
    deadline.by(timer.schedule(deadline::passed, afterMs, TimeUnit.MILLISECONDS));
    return deadline;
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
