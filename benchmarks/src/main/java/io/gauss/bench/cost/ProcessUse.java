package io.gauss.bench.cost;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/**
 * What a process has used until a point in time, as {@code /proc} tells.
 *
 * @param nanos the time, by {@link System#nanoTime}
 * @param cpuSeconds of the process itself
 * @param childrenCpuSeconds of its live descendants and its dead children
 * @param switches how often each of its live threads has given up the processor by itself, mostly
 *     to wait, by the thread's number; empty when unknown
 * @param readsAndWrites system calls that read or write a file, a pipe, or a socket in the way of a
 *     file; NaN when unknown, as of another user's process
 */
record ProcessUse(
    long nanos,
    double cpuSeconds,
    double childrenCpuSeconds,
    Map<String, Long> switches,
    double readsAndWrites) {
  private static final double TICKS_PER_SECOND = 100;
  private static final String SWITCHES = "voluntary_ctxt_switches:";
  private static final List<String> CALLS = List.of("syscr:", "syscw:");

  /** Processor time, in ticks. */
  private record Ticks(long own, long ofDeadChildren) {
    long all() {
      return own + ofDeadChildren;
    }
  }

  /**
   * The same as rates.
   *
   * @param cpu processors that the process itself kept busy
   * @param childrenCpu those that its children kept busy
   * @param switches a second; those of threads that have ended are missing; NaN when unknown
   * @param readsAndWrites a second; NaN when unknown
   */
  record Rates(double cpu, double childrenCpu, double switches, double readsAndWrites) {
    static final Rates UNKNOWN = new Rates(Double.NaN, Double.NaN, Double.NaN, Double.NaN);
  }

  /** Of a process now; empty when there is none. */
  static Optional<ProcessUse> of(long pid) {
    try {
      long now = System.nanoTime();
      Ticks ticks = ticks(pid);
      return Optional.of(
          new ProcessUse(
              now,
              ticks.own() / TICKS_PER_SECOND,
              (ticks.ofDeadChildren() + ticksOfDescendants(pid)) / TICKS_PER_SECOND,
              switches(pid),
              readsAndWrites(pid)));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Processor time of a process and all of its children, in seconds. */
  static OptionalDouble cpuSeconds(long pid) {
    try {
      return OptionalDouble.of((ticks(pid).all() + ticksOfDescendants(pid)) / TICKS_PER_SECOND);
    } catch (IOException e) {
      return OptionalDouble.empty();
    }
  }

  private static long ticksOfDescendants(long pid) {
    return ProcessHandle.of(pid).stream()
        .flatMap(ProcessHandle::descendants)
        .mapToLong(
            child -> {
              try {
                return ticks(child.pid()).all();
              } catch (IOException e) {
                return 0; // it has ended meanwhile
              }
            })
        .sum();
  }

  private static Ticks ticks(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    // utime, stime, cutime, cstime: fields 14 to 17 of proc(5), counted after the command name.
    return new Ticks(
        Long.parseLong(fields[11]) + Long.parseLong(fields[12]),
        Long.parseLong(fields[13]) + Long.parseLong(fields[14]));
  }

  private static Map<String, Long> switches(long pid) {
    Map<String, Long> switches = new HashMap<>();
    try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
      for (Path thread : threads.toList()) {
        double count = sum(thread.resolve("status"), List.of(SWITCHES));
        if (!Double.isNaN(count)) {
          switches.put(thread.getFileName().toString(), (long) count);
        }
      }
    } catch (IOException e) {
      return Map.of();
    }
    return switches;
  }

  private static double readsAndWrites(long pid) {
    return sum(Path.of("/proc/" + pid + "/io"), CALLS);
  }

  /** The sum of some lines of a file that has names and numbers; NaN when it cannot be read. */
  private static double sum(Path file, List<String> names) {
    try {
      long sum = 0;
      for (String line : Files.readAllLines(file)) {
        for (String name : names) {
          if (line.startsWith(name)) {
            sum += Long.parseLong(line.substring(name.length()).strip());
          }
        }
      }
      return sum;
    } catch (IOException e) {
      return Double.NaN;
    }
  }

  /** What was used since an earlier look at the same process. */
  Rates since(ProcessUse before) {
    double seconds = (nanos - before.nanos) / 1e9;
    return new Rates(
        (cpuSeconds - before.cpuSeconds) / seconds,
        (childrenCpuSeconds - before.childrenCpuSeconds) / seconds,
        switches.isEmpty() ? Double.NaN : switchesSince(before) / seconds,
        (readsAndWrites - before.readsAndWrites) / seconds);
  }

  private double switchesSince(ProcessUse before) {
    long sum = 0;
    for (Map.Entry<String, Long> thread : switches.entrySet()) {
      long earlier = before.switches.getOrDefault(thread.getKey(), 0L);
      // A lower count is that of another thread, which got the number of one that had ended.
      sum += thread.getValue() - (earlier > thread.getValue() ? 0 : earlier);
    }
    return sum;
  }
}
