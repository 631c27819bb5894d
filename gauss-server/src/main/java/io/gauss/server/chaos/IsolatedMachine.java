package io.gauss.server.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Every node has a network namespace of its own, with an address and a link to this process's
 * namespace, which passes packets on unless a rule drops them. Disks of storage nodes are file
 * systems in memory. All of it is gone with the process, which has namespaces that nobody else is
 * in ({@link Isolation}).
 *
 * <p>A namespace lives as long as a process is in it, and a killed node has to refuse connections
 * as a dead process does, not be silent as a dead machine is: so a {@code sleep} holds it.
 */
final class IsolatedMachine implements Machine, AutoCloseable {
  private static final String NETWORK = "10.99.0.";
  private static final String HUB = NETWORK + "254";
  private static final String DISK_SIZE = "512m";

  private final Map<Integer, Process> holders = new HashMap<>();
  private final Set<String> cut = ConcurrentHashMap.newKeySet();

  IsolatedMachine(Shape shape) throws IOException {
    Programs.run("ip", "link", "set", "lo", "up");
    Files.writeString(Path.of("/proc/sys/net/ipv4/ip_forward"), "1");
    for (int node : shape.allNodes()) {
      connect(node);
    }
  }

  private void connect(int node) throws IOException {
    List<String> command = new ArrayList<>(Isolation.diesWithItsParent());
    command.addAll(List.of("unshare", "-n", "sleep", "infinity"));
    Process holder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    holders.put(node, holder);
    String pid = Long.toString(holder.pid());
    awaitOwnNamespace(pid);
    String link = "node" + node;
    String address = address(node);
    Programs.run("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", pid);
    Programs.run("ip", "address", "add", HUB + "/32", "dev", link, "peer", address);
    Programs.run("ip", "link", "set", link, "up");
    inside(pid, "ip", "link", "set", "lo", "up");
    inside(pid, "ip", "address", "add", address + "/32", "peer", HUB, "dev", "eth0");
    inside(pid, "ip", "link", "set", "eth0", "up");
    inside(pid, "ip", "route", "add", "default", "via", HUB);
  }

  private static void awaitOwnNamespace(String pid) throws IOException {
    Path own = Path.of("/proc/self/ns/net");
    Path its = Path.of("/proc/" + pid + "/ns/net");
    for (int tries = 0; tries < 500; tries++) {
      if (!Files.readSymbolicLink(own).equals(Files.readSymbolicLink(its))) {
        return;
      }
      Waits.sleep(10);
    }
    throw new IOException("process " + pid + " gets no network namespace");
  }

  private static void inside(String pid, String... command) throws IOException {
    List<String> all = new ArrayList<>(enter(pid));
    all.addAll(List.of(command));
    Programs.run(all);
  }

  private static List<String> enter(String pid) {
    return List.of("nsenter", "--net=/proc/" + pid + "/ns/net");
  }

  @Override
  public String address(int node) {
    return NETWORK + node;
  }

  @Override
  public int port(int node, Port which) {
    return switch (which) {
      case CLIENTS -> 5432;
      case PEERS -> 7000;
      case RAFT -> 7100;
    };
  }

  @Override
  public List<String> prefix(int node) {
    return enter(Long.toString(holders.get(node).pid()));
  }

  @Override
  public boolean isIsolated() {
    return true;
  }

  @Override
  public void prepareDisk(Path directory) throws IOException {
    Programs.run(
        "mount", "-t", "tmpfs", "-o", "size=" + DISK_SIZE + ",mode=700", "chaos", "" + directory);
  }

  @Override
  public void cut(int from, int to) throws IOException {
    if (cut.add(from + " " + to)) {
      rule("add", from, to);
    }
  }

  @Override
  public void heal(int from, int to) throws IOException {
    if (cut.remove(from + " " + to)) {
      rule("del", from, to);
    }
  }

  private void rule(String what, int from, int to) throws IOException {
    Programs.run("ip", "rule", what, "from", address(from), "to", address(to), "blackhole");
  }

  @Override
  public void close() {
    holders.values().forEach(Process::destroyForcibly);
  }
}
