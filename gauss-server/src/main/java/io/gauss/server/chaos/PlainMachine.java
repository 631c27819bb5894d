package io.gauss.server.chaos;

import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** All nodes on the loopback address; nothing can be done to their links and disks. */
final class PlainMachine implements Machine {
  /** Of a range that systems do not give to outgoing connections. */
  private static final int FIRST_PORT = 20_000;

  private static final int LAST_PORT = 30_000;

  private final Map<String, Integer> ports = new HashMap<>();

  @Override
  public String address(int node) {
    return "127.0.0.1";
  }

  @Override
  public synchronized int port(int node, Port which) throws IOException {
    String name = node + " " + which;
    Integer known = ports.get(name);
    if (known == null) {
      do {
        known = free();
      } while (ports.containsValue(known));
      ports.put(name, known);
    }
    return known;
  }

  private static int free() throws IOException {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT);
      try (ServerSocket held = new ServerSocket(port)) {
        return held.getLocalPort();
      } catch (BindException e) {
        // Somebody has it: another try.
      }
    }
  }

  @Override
  public List<String> prefix(int node) {
    return List.of();
  }

  @Override
  public boolean isIsolated() {
    return false;
  }

  @Override
  public void prepareDisk(Path directory) {}

  @Override
  public void cut(int from, int to) {
    throw new IllegalStateException("links of a machine that is not isolated are not cut");
  }

  @Override
  public void heal(int from, int to) {
    throw new IllegalStateException("links of a machine that is not isolated are not cut");
  }
}
