package io.gauss.common.transport.local;

import io.netty.channel.DefaultEventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;

/**
 * The thread of a node of a {@link LocalNetwork}.
 *
 * <p>Netty's {@link DefaultEventLoop} ends with the first task that throws; from then on the node
 * would receive nothing, and closing it would be refused. This loop logs the failure and continues,
 * as the loops of sockets do.
 */
public final class LocalEventLoop extends DefaultEventLoop {
  /**
   * @param threadName prefix; the thread is a daemon and starts with the first task
   */
  public LocalEventLoop(String threadName) {
    super(new DefaultThreadFactory(threadName, true));
  }

  @Override
  protected void run() {
    do {
      Runnable task = takeTask();
      if (task != null) {
        safeExecute(task);
        updateLastExecutionTime();
      }
    } while (!confirmShutdown());
  }
}
