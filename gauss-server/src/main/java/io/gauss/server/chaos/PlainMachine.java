package io.gauss.server.chaos;

import io.gauss.common.task.ChosenPorts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** All nodes on the loopback address; nothing can be done to their links and disks. */
final class PlainMachine implements Machine {
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
      known = ChosenPorts.one();
      ports.put(name, known);
    }
    return known;
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
