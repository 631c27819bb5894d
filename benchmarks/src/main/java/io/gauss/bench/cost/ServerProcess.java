package io.gauss.bench.cost;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/**
 * The process of a server that listens on a local port, found by {@code /proc}. Linux only;
 * elsewhere, and for servers on other machines, it is unknown.
 */
public record ServerProcess(long pid) {
  private static final String LISTENING = "0A";

  /** The server that a JDBC URL points at, if it is on this machine and can be seen. */
  public static Optional<ServerProcess> of(String jdbcUrl) {
    try {
      URI uri = URI.create(jdbcUrl.substring(jdbcUrl.indexOf("://") - 1).replaceFirst("^.?", "x"));
      String host = uri.getHost();
      if (host == null || !(host.equals("localhost") || host.startsWith("127."))) {
        return Optional.empty();
      }
      return at(InetAddress.getByName(host), uri.getPort() < 0 ? 5432 : uri.getPort());
    } catch (IOException | RuntimeException e) {
      return Optional.empty();
    }
  }

  /** The server that listens on a port of this machine, if it can be seen. Takes a while. */
  public static Optional<ServerProcess> at(int port) {
    return at(InetAddress.getLoopbackAddress(), port);
  }

  /**
   * The same.
   *
   * @param address of this machine; of several servers on the port it is the one that listens there
   */
  static Optional<ServerProcess> at(InetAddress address, int port) {
    try {
      return listenerInode(address, port)
          .flatMap(ServerProcess::processWithSocket)
          .map(ServerProcess::new);
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static Optional<String> listenerInode(InetAddress address, int port) throws IOException {
    String there = "%s:%04X".formatted(asInTable(address), port);
    String anywhere = ":%04X".formatted(port);
    String inode = null;
    for (String table : new String[] {"/proc/net/tcp", "/proc/net/tcp6"}) {
      if (!Files.exists(Path.of(table))) {
        continue;
      }
      for (String line : Files.readAllLines(Path.of(table))) {
        String[] fields = line.strip().split("\\s+");
        if (fields.length > 9 && fields[3].equals(LISTENING) && fields[1].endsWith(anywhere)) {
          if (fields[1].endsWith(there)) {
            return Optional.of(fields[9]);
          }
          inode = inode == null ? fields[9] : inode;
        }
      }
    }
    return Optional.ofNullable(inode);
  }

  /** IPv4 only: its bytes from last to first, as the machine orders them. */
  private static String asInTable(InetAddress address) {
    StringBuilder text = new StringBuilder();
    for (byte each : address.getAddress()) {
      text.insert(0, "%02X".formatted(each));
    }
    return text.toString();
  }

  private static Optional<Long> processWithSocket(String inode) {
    String wanted = "socket:[" + inode + "]";
    return ProcessHandle.allProcesses()
        .filter(process -> holds(process.pid(), wanted))
        // Children inherit the listening socket; the server is the one whose parent does not have
        // it.
        .filter(
            process -> process.parent().map(parent -> !holds(parent.pid(), wanted)).orElse(true))
        .map(ProcessHandle::pid)
        .findFirst();
  }

  private static boolean holds(long process, String wanted) {
    try (Stream<Path> files = Files.list(Path.of("/proc/" + process + "/fd"))) {
      return files.anyMatch(
          file -> {
            try {
              return Files.readSymbolicLink(file).toString().equals(wanted);
            } catch (IOException e) {
              return false;
            }
          });
    } catch (IOException e) {
      return false;
    }
  }

  /** CPU seconds used so far by the process, its live descendants and its dead children. */
  public OptionalDouble seconds() {
    return ProcessUse.cpuSeconds(pid);
  }

  /** What it has used so far; empty when it has ended. */
  Optional<ProcessUse> use() {
    return ProcessUse.of(pid);
  }
}
