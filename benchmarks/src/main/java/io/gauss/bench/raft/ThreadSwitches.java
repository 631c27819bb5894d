package io.gauss.bench.raft;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** How often a process's threads went to sleep, on Linux; 0 elsewhere. */
final class ThreadSwitches {
  private static final String COUNT = "voluntary_ctxt_switches:";

  private ThreadSwitches() {}

  /** Of the threads that live now, since they began. */
  static long of(ProcessHandle process) {
    Path tasks = Path.of("/proc", Long.toString(process.pid()), "task");
    if (!Files.isDirectory(tasks)) {
      return 0;
    }
    try (Stream<Path> threads = Files.list(tasks)) {
      return threads.mapToLong(ThreadSwitches::ofThread).sum();
    } catch (IOException e) {
      return 0;
    }
  }

  private static long ofThread(Path thread) {
    try (Stream<String> lines = Files.lines(thread.resolve("status"))) {
      return lines
          .filter(line -> line.startsWith(COUNT))
          .mapToLong(line -> Long.parseLong(line.substring(COUNT.length()).strip()))
          .sum();
    } catch (IOException e) {
      return 0; // it has ended
    }
  }
}
