package io.gauss.server.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What nodes have at rest: their threads by name, and the live bytes of their heaps, as {@code
 * jcmd} tells. Before and after, they have to be about the same, whatever happened in between.
 */
final class Leftovers {
  /** Names that differ by a number are those of the same kind. */
  private static final Pattern NUMBERS = Pattern.compile("\\d+");

  private static final Pattern THREAD = Pattern.compile("(?m)^\"(.*)\" #\\d+");
  private static final Pattern TOTAL = Pattern.compile("(?m)^Total +\\d+ +(\\d+)");

  /** Of one kind: pools grow with what happens at once. */
  private static final int MORE_THREADS = 6;

  private static final long MORE_BYTES = 48L << 20;

  private static final int TRIES = 10;
  private static final int TRY_AGAIN_MS = 2_000;

  private final Map<Integer, Node> nodes = new TreeMap<>();

  private record Node(Map<String, Integer> threads, long heap) {}

  private Leftovers() {}

  /** Whether there is what is needed. */
  static boolean canBeMeasured() {
    return Files.isExecutable(jcmd());
  }

  private static Path jcmd() {
    return Path.of(System.getProperty("java.home"), "bin", "jcmd");
  }

  /** Measures all nodes. */
  static Leftovers measure(ChaosCluster cluster) throws IOException {
    Leftovers all = new Leftovers();
    for (NodeUnit unit : cluster.nodes()) {
      all.nodes.put(unit.number(), measure(unit));
    }
    return all;
  }

  /** Tries again where the process ends meanwhile, to be started again. */
  private static Node measure(NodeUnit unit) throws IOException {
    for (int tries = 1; ; tries++) {
      try {
        return measure(unit.pid());
      } catch (IOException e) {
        if (tries == TRIES) {
          throw e;
        }
        Waits.sleep(TRY_AGAIN_MS);
      }
    }
  }

  private static Node measure(long pid) throws IOException {
    Map<String, Integer> threads = new TreeMap<>();
    Matcher names = THREAD.matcher(ask(pid, "Thread.print"));
    while (names.find()) {
      threads.merge(NUMBERS.matcher(names.group(1)).replaceAll("N"), 1, Integer::sum);
    }
    Matcher total = TOTAL.matcher(ask(pid, "GC.class_histogram"));
    if (!total.find()) {
      throw new IOException("jcmd " + pid + " counts no objects");
    }
    return new Node(threads, Long.parseLong(total.group(1)));
  }

  private static String ask(long pid, String what) throws IOException {
    return Programs.run(jcmd().toString(), Long.toString(pid), what);
  }

  /** Threads of all nodes, and where they stand. */
  static void dump(ChaosCluster cluster, Path directory) throws IOException {
    for (NodeUnit unit : cluster.nodes()) {
      if (unit.isAlive()) {
        Files.writeString(
            directory.resolve("threads-" + unit.number() + ".txt"),
            ask(unit.pid(), "Thread.print"));
      }
    }
  }

  /** What is more than before, beyond what may come and go. */
  List<String> since(Leftovers before) {
    List<String> more = new ArrayList<>();
    nodes.forEach(
        (number, now) -> {
          Node then = before.nodes.get(number);
          now.threads()
              .forEach(
                  (name, count) -> {
                    int had = then.threads().getOrDefault(name, 0);
                    if (count > had + MORE_THREADS) {
                      more.add(
                          "node %d has %d threads %s, %d before"
                              .formatted(number, count, name, had));
                    }
                  });
          if (now.heap() > then.heap() + MORE_BYTES) {
            more.add(
                "node %d has %d MB on its heap, %d before"
                    .formatted(number, now.heap() >> 20, then.heap() >> 20));
          }
        });
    return more;
  }

  /** In all nodes. */
  int threads() {
    return nodes.values().stream()
        .flatMap(node -> node.threads().values().stream())
        .mapToInt(Integer::intValue)
        .sum();
  }

  long heapMegabytes() {
    return nodes.values().stream().mapToLong(Node::heap).sum() >> 20;
  }
}
