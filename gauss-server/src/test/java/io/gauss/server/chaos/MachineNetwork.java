package io.gauss.server.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Machines that have nothing in common but a network ({@link FrameSwitch}), to which this process
 * is connected, too. For a process with namespaces of its own ({@link Isolation}). Thread-safe
 * except for adding machines.
 */
final class MachineNetwork implements AutoCloseable {
  static final int MOST = 8;
  private static final String NETWORK = "10.77.0.";
  private static final int OWN = 254;
  private static final int ELSEWHERE = 100;
  private static final String PASSWORD = "machines";

  private final Path base;
  private final Path home;
  private final Optional<Path> fakeTime;
  private final FrameSwitch wires = new FrameSwitch();
  private final List<TestMachine> machines = new ArrayList<>();
  private final Map<String, String> hosts = new TreeMap<>();

  /**
   * @param base an empty directory of this process's own
   * @param home of the launcher
   * @throws IOException when the system does not allow it
   */
  MachineNetwork(Path base, Path home) throws IOException {
    this.base = base;
    this.home = home;
    this.fakeTime = FakeTime.library();
    Programs.run("ip", "link", "set", "lo", "up");
    wires.plug(OWN, TapDevice.open("clients"));
    Programs.run("ip", "address", "add", NETWORK + OWN + "/24", "dev", "clients");
    Programs.run("ip", "link", "set", "clients", "up");
    writeHosts();
  }

  Path base() {
    return base;
  }

  Path home() {
    return home;
  }

  FrameSwitch wires() {
    return wires;
  }

  static String password() {
    return PASSWORD;
  }

  String address(int machine) {
    return NETWORK + machine;
  }

  /** Another address for a machine, which none has had. */
  String otherAddress(int machine) {
    return NETWORK + (ELSEWHERE + machine);
  }

  /** One machine more, called db-1 and so on. */
  TestMachine add() throws IOException {
    int number = machines.size() + 1;
    hosts.put("db-" + number, address(number));
    writeHosts();
    TestMachine machine = new TestMachine(this, number, PASSWORD);
    machines.add(machine);
    return machine;
  }

  /** From now on all machines take a name for another address. */
  void rename(TestMachine machine) throws IOException {
    hosts.put(machine.name(), machine.address());
    writeHosts();
  }

  /** In its place: the machines have mounted this file. */
  private void writeHosts() throws IOException {
    StringBuilder text = new StringBuilder("127.0.0.1 localhost\n");
    hosts.forEach((name, address) -> text.append(address).append(' ').append(name).append('\n'));
    Files.writeString(base.resolve("hosts"), text);
  }

  /** Connects the namespace of a process, in which the device is called eth0. */
  void plug(int machine, long process) throws IOException {
    String name = "machine" + machine;
    TapDevice device = TapDevice.open(name);
    Programs.run("ip", "link", "set", name, "netns", Long.toString(process), "name", "eth0");
    wires.plug(machine, device);
  }

  /** Cuts a machine off from all others and from clients. */
  void cutOff(int machine) {
    isolate(machine);
    wires.cut(machine, OWN);
  }

  /** Cuts a machine off from all others; clients reach it. */
  void isolate(int machine) {
    for (int other = 1; other <= MOST; other++) {
      wires.cut(machine, other);
    }
  }

  /** Undoes it. */
  void reconnect(int machine) {
    for (int other = 1; other <= MOST; other++) {
      wires.heal(machine, other);
    }
    wires.heal(machine, OWN);
  }

  /** Small nodes, which several of fit a laptop; and a wall clock that differs, if there is one. */
  List<String> environment(int machine) {
    Map<String, String> variables = new TreeMap<>();
    variables.put("PATH", System.getenv("PATH"));
    variables.put("HOME", "/var/lib");
    variables.put("GAUSS_JAVA_HOME", System.getProperty("java.home"));
    variables.put("GAUSS_JDK_DOWNLOAD", "no");
    variables.put("GAUSS_HEAP", "400m");
    variables.put("GAUSS_JAVA_OPTS", "-Xms64m -XX:+UseSerialGC -XX:TieredStopAtLevel=1");
    variables.put("GAUSS_POOL_SIZE", "32MB");
    variables.put("GAUSS_CACHE_SIZE", "16MB");
    variables.put("GAUSS_DIRECTORY_ENTRIES", "50000");
    variables.put("GAUSS_PAGES_REDO_MEMORY", "16MB");
    variables.put("GAUSS_CHECKPOINT_SECONDS", "5");
    // A busy machine may stand still for longer than usual.
    variables.put("GAUSS_CLUSTER_LEASE", "10");
    variables.put("GAUSS_CLUSTER_CLOCK_LEASE", "1000");
    fakeTime.ifPresent(library -> variables.putAll(FakeTime.ahead(library, machine)));
    return variables.entrySet().stream()
        .map(each -> each.getKey() + "=" + each.getValue())
        .toList();
  }

  @Override
  public void close() {
    machines.forEach(TestMachine::close);
  }
}
