package io.gauss.common.task;

import static org.junit.jupiter.api.Assertions.fail;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Checks that closed objects have left no threads behind. */
public final class LeftThreads {
  /** Threads of the JDK and Netty, which end when they are idle, or never. */
  private static final List<String> OF_OTHERS =
      List.of(
          "ForkJoinPool",
          "VirtualThread-unparker", // one for every few processors, each with its first timer
          "globalEventExecutor",
          "process reaper",
          "Cleaner",
          "Common-Cleaner");

  /** Of a storage node's pools, Ratis's included, which grow when it has more to do at once. */
  private static final List<String> OF_A_STORAGE_NODE =
      List.of("-impl-thread", "gauss-page-read-", "gauss-stream-read-", "gauss-rebuild-send-");

  private static final long GIVE_UP_NANOS = TimeUnit.SECONDS.toNanos(180);

  private final List<String> ofOthers;
  private final Set<Thread> before;

  public LeftThreads() {
    this(OF_OTHERS);
  }

  private LeftThreads(List<String> ofOthers) {
    this.ofOthers = ofOthers;
    this.before = threads();
  }

  /** The same while a storage node goes on in this JVM. */
  public static LeftThreads besideAStorageNode() {
    return new LeftThreads(Stream.concat(OF_OTHERS.stream(), OF_A_STORAGE_NODE.stream()).toList());
  }

  private Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> ofOthers.stream().noneMatch(thread.getName()::contains))
        .collect(Collectors.toSet());
  }

  /** Waits until all threads that have begun since this was made have ended. */
  public void assertNone() {
    long start = System.nanoTime();
    Set<Thread> left = since();
    while (!left.isEmpty()) {
      if (System.nanoTime() - start > GIVE_UP_NANOS) {
        Thread one = left.iterator().next();
        fail(left + " continue; the first one at " + Arrays.toString(one.getStackTrace()));
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
      left = since();
    }
  }

  private Set<Thread> since() {
    Set<Thread> now = threads();
    now.removeAll(before);
    return now;
  }
}
