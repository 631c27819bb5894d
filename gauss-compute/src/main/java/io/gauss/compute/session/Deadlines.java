package io.gauss.compute.session;

import io.gauss.common.error.SqlState;
import io.gauss.compute.mtr.EngineContext;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Interrupts statements that run longer than statement_timeout. One daemon thread, which never
 * blocks. Thread-safe.
 */
final class Deadlines implements AutoCloseable {
  private final ScheduledThreadPoolExecutor timer;

  Deadlines() {
    timer =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "statement-timeouts");
              thread.setDaemon(true);
              return thread;
            });
    timer.setRemoveOnCancelPolicy(true);
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
