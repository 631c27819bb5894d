package io.gauss.server;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * {@code nodes.json} in a data directory: the nodes of the cluster that runs there, for {@code
 * status} and {@code down}.
 *
 * @param watcher the process that has started the nodes and keeps the file up to date; null = none
 */
record ClusterFile(List<Node> nodes, Watcher watcher) {
  private static final String NAME = "nodes.json";
  private static final int CONNECT_TIMEOUT_MS = 1000;
  private static final List<String> STOPPED_IN_ORDER = List.of("compute", "memory", "storage");
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  /** A file that the only node of its directory keeps. */
  ClusterFile(List<Node> nodes) {
    this(nodes, null);
  }

  /**
   * A process of {@code up --processes}, which ends soon after the last of its nodes.
   *
   * @param startedAtMillis as that of a node
   */
  record Watcher(long pid, long startedAtMillis) {
    static Watcher thisProcess() {
      return new Watcher(ProcessHandle.current().pid(), startOfThisProcess());
    }

    Optional<ProcessHandle> process() {
      return running(pid, startedAtMillis);
    }
  }

  /**
   * @param startedAtMillis start of the process by the system's count, so that a reused pid is not
   *     taken for the node
   * @param health the state that the node reported last: UP or "degraded: ..."
   */
  record Node(
      int id, String role, String host, int port, long pid, long startedAtMillis, String health) {
    Optional<ProcessHandle> process() {
      return running(pid, startedAtMillis);
    }

    /** Whether it answers connections, however well. */
    boolean answers() {
      return answers(state());
    }

    /** Whether a node in this state answers connections. */
    static boolean answers(String state) {
      return !state.equals("DOWN") && !state.equals("STARTING");
    }

    Node withHealth(String now) {
      return new Node(id, role, host, port, pid, startedAtMillis, now);
    }

    /**
     * UP: answers connections; "degraded: ...": answers them too, but needs an operator; STARTING:
     * the process exists; DOWN: it does not.
     */
    String state() {
      if (process().isEmpty()) {
        return "DOWN";
      }
      try (Socket socket = new Socket()) {
        socket.connect(
            new InetSocketAddress(InetAddress.getByName(host), port), CONNECT_TIMEOUT_MS);
        return health == null ? "UP" : health;
      } catch (IOException e) {
        return "STARTING";
      }
    }
  }

  private static Optional<ProcessHandle> running(long pid, long startedAtMillis) {
    return ProcessHandle.of(pid)
        .filter(ProcessHandle::isAlive)
        .filter(
            handle ->
                handle
                    .info()
                    .startInstant()
                    .map(start -> start.toEpochMilli() == startedAtMillis)
                    .orElse(true));
  }

  private static long startOfThisProcess() {
    return ProcessHandle.current().info().startInstant().map(Instant::toEpochMilli).orElse(0L);
  }

  static Node thisProcess(int id, String role, String host, int port) {
    long pid = ProcessHandle.current().pid();
    return new Node(id, role, host, port, pid, startOfThisProcess(), "UP");
  }

  /** Empty where there is none, be it that its directory has just been moved away. */
  static Optional<ClusterFile> read(Path data) throws IOException {
    byte[] content;
    try {
      content = Files.readAllBytes(data.resolve(NAME));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
    return Optional.of(JSON.readValue(content, ClusterFile.class));
  }

  /**
   * All nodes of a directory: those that its file names, and running ones in the directories of
   * nodes below it. {@code gauss start} starts these again after {@code up}, which keeps the file,
   * has ended. In the order in which they stop: compute nodes need the others for that.
   *
   * @return empty when no node was ever started there
   */
  static Optional<ClusterFile> find(Path data) throws IOException {
    Optional<ClusterFile> told = read(data);
    List<Node> nodes = new ArrayList<>(told.map(ClusterFile::nodes).orElse(List.of()));
    boolean isAny = told.isPresent();
    for (String role : STOPPED_IN_ORDER) {
      for (Path own : directoriesOf(data, role)) {
        Optional<ClusterFile> file = read(own);
        isAny |= file.isPresent();
        for (Node node : file.map(ClusterFile::nodes).orElse(List.of())) {
          if (node.process().isPresent()
              && nodes.stream().noneMatch(known -> known.pid() == node.pid())) {
            nodes.removeIf(known -> known.id() == node.id() && known.role().equals(node.role()));
            nodes.add(node);
          }
        }
      }
    }
    nodes.sort(Comparator.comparingInt(node -> STOPPED_IN_ORDER.indexOf(node.role())));
    Watcher watcher = told.map(ClusterFile::watcher).orElse(null);
    return isAny ? Optional.of(new ClusterFile(nodes, watcher)) : Optional.empty();
  }

  private static List<Path> directoriesOf(Path data, String role) throws IOException {
    List<Path> found = new ArrayList<>();
    if (Files.isDirectory(data)) {
      try (var below = Files.newDirectoryStream(data, role + "-*")) {
        below.forEach(found::add);
      }
    }
    found.sort(Comparator.naturalOrder());
    return found;
  }

  void write(Path data) throws IOException {
    Path temporary = data.resolve(NAME + ".new");
    JSON.writeValue(temporary.toFile(), this);
    Files.move(
        temporary,
        data.resolve(NAME),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }
}
