package io.gauss.simulation;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/**
 * Memory off-heap that the garbage collector frees: nodes that were killed have a log buffer each
 * until then. A thread that meets the JVM's limit for it waits in {@link Object#wait} and {@link
 * Thread#sleep} for the collector's threads, which no seed repeats. So there is no limit, and what
 * has gathered is freed between runs.
 */
final class DirectMemory {
  private static final long LEAST_LIMIT = 1L << 40;
  private static final long MOST_KEPT = 1L << 30;

  private DirectMemory() {}

  /** Before a run, on a thread of the JVM's. */
  static void prepare() {
    long limit =
        Long.parseLong(
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .getVMOption("MaxDirectMemorySize")
                .getValue());
    if (limit < LEAST_LIMIT) {
      throw new IllegalStateException("a simulation needs -XX:MaxDirectMemorySize=1t");
    }
    if (used() > MOST_KEPT) {
      System.gc();
    }
  }

  private static long used() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }
}
