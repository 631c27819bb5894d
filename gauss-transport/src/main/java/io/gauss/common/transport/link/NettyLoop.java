package io.gauss.common.transport.link;

import io.gauss.common.runtime.Environment;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** A loop that is one of Netty's event loops. */
public record NettyLoop(EventExecutor executor) implements Loop {
  @Override
  public boolean inLoop() {
    return executor.inEventLoop();
  }

  @Override
  public void execute(Runnable task) {
    executor.execute(task);
  }

  @Override
  public Timer schedule(Runnable task, long delayNanos) {
    Future<?> scheduled = executor.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
    return () -> scheduled.cancel(false);
  }

  @Override
  public long nanoTime() {
    return Environment.nanoTime();
  }
}
