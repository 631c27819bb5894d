package io.gauss.server;

import io.gauss.common.invariant.BrokenInvariant;
import io.gauss.common.invariant.Invariant;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the process when an invariant is broken: at once, without closing anything, since any
 * further write may be wrong. Durable data is recovered, by the next start or by another node.
 * Before that, the finding and the stacks of all platform threads are logged, since nothing can be
 * examined later.
 *
 * <p>Called on any thread, which does not return from here; the others continue until the process
 * has ended. Neither a log that cannot be written nor a lack of memory keeps the process alive: in
 * these cases another thread, started beforehand, ends it.
 */
final class BrokenInvariants implements Invariant.Handler {
  /** The process's exit code, as {@code EX_SOFTWARE} of sysexits.h. */
  static final int EXIT_CODE = 70;

  /** How long logging may take. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final Logger LOG = LoggerFactory.getLogger(BrokenInvariants.class);

  private final Thread ender = Thread.ofPlatform().daemon().name("gauss-end").unstarted(this::end);

  private volatile boolean found; // read by the ender

  private BrokenInvariants() {}

  /** From now on a broken invariant ends this process. */
  static void endThisProcess() {
    BrokenInvariants handler = new BrokenInvariants();
    handler.ender.start();
    Invariant.install(handler);
    Thread.setDefaultUncaughtExceptionHandler(BrokenInvariants::threadEnded);
  }

  /**
   * A thread has ended by what nobody expected. Where the JVM lacks something (native threads, for
   * which it does not end by itself as for heap), a node without that thread would be half dead.
   */
  private static void threadEnded(Thread thread, Throwable failure) {
    if (failure instanceof VirtualMachineError) {
      throw Invariant.broken("thread " + thread.getName() + " has ended", failure);
    }
    LOG.error("thread {} has ended", thread.getName(), failure);
  }

  private void end() {
    while (!found) {
      LockSupport.park(this);
    }
    LockSupport.parkNanos(PATIENCE_NANOS);
    Runtime.getRuntime().halt(EXIT_CODE);
  }

  @Override
  public synchronized void broken(BrokenInvariant invariant) {
    // Other threads that find one meanwhile wait for this monitor, and end with the process.
    found = true;
    LockSupport.unpark(ender);
    try {
      LOG.error(
          "an invariant is broken, so this process ends with exit code {}: {}",
          EXIT_CODE,
          invariant.getMessage(),
          invariant);
      LOG.error("all threads then:{}", stacks());
    } finally {
      Runtime.getRuntime().halt(EXIT_CODE);
    }
  }

  private static String stacks() {
    StringBuilder text = new StringBuilder(1 << 14);
    for (Map.Entry<Thread, StackTraceElement[]> each : Thread.getAllStackTraces().entrySet()) {
      Thread thread = each.getKey();
      text.append("\n\"").append(thread.getName()).append("\" ").append(thread.getState());
      for (StackTraceElement frame : each.getValue()) {
        text.append("\n    at ").append(frame);
      }
    }
    return text.toString();
  }
}
