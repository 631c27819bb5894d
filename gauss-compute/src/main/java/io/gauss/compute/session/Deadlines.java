package io.gauss.compute.session;

import io.gauss.common.error.SqlState;
import io.gauss.common.runtime.Environment;
import io.gauss.compute.mtr.EngineContext;
import java.util.concurrent.Future;
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

  Future<?> schedule(EngineContext context, long afterMs) {
    return timer.schedule(
        () ->
            context
                .interrupts()
                .request(SqlState.QUERY_CANCELED, "canceling statement due to statement timeout"),
        afterMs,
        TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
