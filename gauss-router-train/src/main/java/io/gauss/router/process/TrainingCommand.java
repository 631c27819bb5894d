package io.gauss.router.process;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * How the process that trains is started: by the same Java and class path as this one, and within
 * bounds. Its heap, compiled code, classes and buffers are bounded by the JVM, all memory that it
 * may write by the system ({@code ulimit -d}), where there is a shell; it has one processor and one
 * thread that computes, gives way to others ({@code nice}), and is the first that the system kills
 * when it has no memory left. Neither this process's options nor its environment are handed on,
 * which may have ports and secrets.
 */
public final class TrainingCommand {
  /** Heap: the largest task with room to read it. */
  static final int HEAP_MB = 192;

  /**
   * All memory that can be written, of which the JVM's own bounds are 384 MB. Training has been
   * seen to use 256 MB.
   */
  static final int DATA_MB = 640;

  /**
   * A third of what a thread of the node gets when there are not enough processors. With less,
   * starting would take minutes on a busy node, and such nodes have to learn.
   */
  private static final int NICE = 5;

  private static final Path SHELL = Path.of("/bin/sh");
  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

  /**
   * Bounds, as far as the system knows them, and the program, in the same process. Ctrl-C at a
   * terminal, and the end of a service, are for the node, which the process follows. Frames go to
   * descriptor 3: the JVM's report of a crash, and what libraries print, does not come between
   * them.
   */
  private static final String BOUNDED =
      "{ ulimit -d %d; trap '' HUP INT TERM; echo 1000 >/proc/self/oom_score_adj;"
          + " nice=$(command -v nice); } 2>/dev/null;"
          + " exec 3>&1 1>&2;"
          + " test -n \"$nice\" && exec \"$nice\" -n %d \"$@\"; exec \"$@\"";

  /** Settings of DJL that this process may have. */
  private static final Map<String, String> DEFAULTS =
      Map.of(
          "ai.djl.offline", "true",
          "ai.djl.pytorch.num_threads", "1",
          "ai.djl.pytorch.num_interop_threads", "1");

  /** What a library may need to be found and loaded. */
  private static final List<String> HANDED_ON =
      List.of("PATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR");

  private final Path directory;
  private final Path shell;
  private final Path java;
  private final String main;
  private final int heapMb;
  private final int dataMb;

  private TrainingCommand(
      Path directory, Path shell, Path java, String main, int heapMb, int dataMb) {
    this.directory = directory;
    this.shell = shell;
    this.java = java;
    this.main = main;
    this.heapMb = heapMb;
    this.dataMb = dataMb;
  }

  /**
   * The command of a node.
   *
   * @param directory to which DJL unpacks its libraries when they are used for the first time, and
   *     the JVM writes how it has crashed
   */
  public static TrainingCommand in(Path directory) {
    return new TrainingCommand(
        directory, SHELL, JAVA, TrainingMain.class.getName(), HEAP_MB, DATA_MB);
  }

  /** The same with another program and other bounds. */
  TrainingCommand running(String otherMain, int otherHeapMb, int otherDataMb) {
    return new TrainingCommand(directory, shell, java, otherMain, otherHeapMb, otherDataMb);
  }

  /** The same without a shell, by another Java. */
  TrainingCommand directlyBy(Path otherJava) {
    return new TrainingCommand(directory, Path.of("/no/shell"), otherJava, main, heapMb, dataMb);
  }

  /** MB of heap that the process may have. */
  int heapMb() {
    return heapMb;
  }

  /** Where the JVM writes how it has crashed; of the last crash only. */
  Path crashFile() {
    return directory.resolve("hs_err_training.log").toAbsolutePath();
  }

  /**
   * Deletes what a process that was killed has not unpacked to its end: 432 MB, of which DJL would
   * unpack another copy.
   *
   * @throws IOException when it cannot be read or deleted
   */
  void clean() throws IOException {
    Path unpacked = directory.resolve("pytorch");
    if (!Files.isDirectory(unpacked)) {
      return;
    }
    try (DirectoryStream<Path> halves = Files.newDirectoryStream(unpacked, "tmp*")) {
      for (Path half : halves) {
        try (Stream<Path> all = Files.walk(half)) {
          for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
            Files.deleteIfExists(each);
          }
        }
      }
    }
  }

  /** The process, not started yet. */
  ProcessBuilder builder() {
    List<String> command = new ArrayList<>();
    boolean hasShell = Files.isExecutable(shell);
    if (hasShell) {
      String script = BOUNDED.formatted(1024L * dataMb, NICE);
      command.addAll(List.of(shell.toString(), "-c", script, "sh"));
    }
    command.add(java.toString());
    command.addAll(
        List.of(
            "-Xms16m",
            "-Xmx" + heapMb + "m",
            "-XX:MaxDirectMemorySize=64m",
            "-XX:MaxMetaspaceSize=96m",
            "-XX:CompressedClassSpaceSize=32m",
            "-XX:ReservedCodeCacheSize=32m",
            "-XX:TieredStopAtLevel=1", // what takes long is compiled already
            "-XX:+UseSerialGC",
            "-XX:+UseCompactObjectHeaders",
            "-XX:ActiveProcessorCount=1",
            "-XX:+ExitOnOutOfMemoryError",
            "-XX:-CreateCoredumpOnCrash",
            "-XX:ErrorFile=" + crashFile(),
            "-XX:+DisplayVMOutputToStderr",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-Dlogback.configurationFile=io/gauss/router/process/logback.xml",
            "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir")));
    Map<String, String> properties = new TreeMap<>(DEFAULTS);
    properties.put("DJL_CACHE_DIR", directory.toAbsolutePath().toString());
    properties.forEach(
        (name, value) -> command.add("-D" + name + "=" + System.getProperty(name, value)));
    command.add(main);
    if (hasShell) {
      command.add(TrainingMain.DESCRIPTOR_3);
    }
    ProcessBuilder builder = new ProcessBuilder(command);
    Map<String, String> environment = builder.environment();
    environment.keySet().retainAll(HANDED_ON);
    environment.put("CLASSPATH", System.getProperty("java.class.path"));
    environment.put("MALLOC_ARENA_MAX", "1");
    environment.put("OMP_NUM_THREADS", "1");
    environment.put("MKL_NUM_THREADS", "1");
    return builder;
  }
}
