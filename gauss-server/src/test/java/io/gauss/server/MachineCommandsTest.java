package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.config.NodeKind;
import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.task.FreePorts;
import io.gauss.server.join.JoinToken;
import io.gauss.storage.disk.DataDirectory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What the commands for clusters of several machines make, and what they refuse. */
@ExtendWith(NativeProperties.class)
class MachineCommandsTest {
  private static final int REFUSED = 2;

  @TempDir private Path parent;

  private Path directory(String name) throws IOException {
    return Files.createDirectory(
        parent.resolve(name),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }

  private static String refusal(int exitCode, String... arguments) {
    Commands.Outcome outcome = Commands.run(arguments);
    assertEquals(exitCode, outcome.exitCode(), outcome.error());
    return outcome.error();
  }

  private static void assertRefused(String because, String... arguments) {
    String error = refusal(REFUSED, arguments);
    assertTrue(error.contains(because), error);
  }

  private Path founded(Map<String, String> settings) throws IOException {
    Path data = directory("a");
    new NewMachine(EnumSet.allOf(NodeKind.class), "10.0.0.1", 7000, 5432, "east", 0, settings)
        .found(data);
    return data;
  }

  private static Properties properties(Path data, String role) throws IOException {
    Properties properties = new Properties();
    try (var reader = Files.newBufferedReader(data.resolve(role).resolve("gauss.properties"))) {
      properties.load(reader);
    }
    return properties;
  }

  @Test
  void theFirstNodeHasItsRolesSettingsAddressesAndCertificates() throws IOException {
    Path data = founded(Map.of("pool.size", "64MB", "checkpoint.seconds", "60"));
    Properties compute = properties(data, "compute-1");
    Properties memory = properties(data, "memory-101");
    Properties storage = properties(data, "storage-201");
    for (Properties each : List.of(compute, memory, storage)) {
      assertEquals("201@10.0.0.1:7001:7002", each.getProperty("storage.nodes"));
      assertEquals("east", each.getProperty("zone"));
      for (String file : List.of("cluster.key", "peer.tls.key", "peer.tls.authority")) {
        assertTrue(Files.exists(Path.of(each.getProperty(file))), file);
      }
    }
    assertEquals("10.0.0.1", compute.getProperty("peer.address"));
    assertEquals("7004", compute.getProperty("peer.port"));
    assertEquals("7003", memory.getProperty("peer.port"));
    assertEquals("64MB", compute.getProperty("pool.size"));
    assertFalse(memory.containsKey("pool.size"));
    assertEquals("60", storage.getProperty("checkpoint.seconds"));
    assertTrue(compute.getProperty("tls.certificate").endsWith("node.pem"));
  }

  @Test
  void certificatesForClientsThatAreGivenAreUsed() throws IOException {
    Properties compute = properties(founded(Map.of("tls", "generate")), "compute-1");
    assertEquals("generate", compute.getProperty("tls"));
    assertFalse(compute.containsKey("tls.certificate"));
  }

  @Test
  void tokensArePrintedAloneOnStandardOutput() throws IOException {
    Path data = founded(Map.of());
    Commands.Outcome outcome = Commands.run("token", "--data", data.toString());
    assertEquals(0, outcome.exitCode(), outcome.error());
    assertEquals(1, outcome.out().size());
    JoinToken token = JoinToken.parse(outcome.out().getFirst());
    assertEquals("10.0.0.1", token.host());
    assertEquals(7000, token.port());
    assertTrue(outcome.error().contains("the node does not run"), outcome.error());
    assertRefused("--minutes 0", "token", "--data", data.toString(), "--minutes", "0");
  }

  @Test
  void tokensAreGivenOutWhereTheClusterBegan() throws IOException {
    Path plain = directory("plain");
    assertRefused("not the directory of a node", "token", "--data", plain.toString());
    assertRefused("there is no directory", "token", "--data", parent.resolve("none").toString());
    new NodeDescription(2, EnumSet.allOf(NodeKind.class), "10.0.0.2", 7000, 5432, false, 0)
        .write(plain);
    assertRefused("this is node 2", "token", "--data", plain.toString());
  }

  @Test
  void aMachineJoinsWithATokenAnAddressAndAnEmptyDirectory() throws IOException {
    String token = Commands.run("token", "--data", founded(Map.of()).toString()).out().getFirst();
    String data = directory("b").toString();
    int nodePort = FreePorts.consecutive(NodeDescription.PORTS + 1);
    int port = nodePort + NodeDescription.PORTS;
    List<String> join =
        List.of(
            "join",
            "--data",
            data,
            "--token",
            token,
            "--node-port",
            "" + nodePort,
            "--port",
            "" + port);
    assertRefused("--advertise is missing", join.toArray(String[]::new));
    assertRefused("--token", "join", "--data", data, "--token", "x", "--advertise", "10.0.0.2");
    List<String> more = new ArrayList<>(join);
    more.addAll(List.of("--advertise", "127.0.0.1", "127.0.0.1"));
    assertRefused("is not HOST:PORT", more.toArray(String[]::new));
    Files.createDirectory(Path.of(data).resolve("log"));
    more.set(more.size() - 1, "127.0.0.1:1");
    assertRefused("keeps its log itself", more.toArray(String[]::new));
    Files.delete(Path.of(data).resolve("log"));
    String error = refusal(1, more.toArray(String[]::new)); // nobody listens there
    assertTrue(error.contains("127.0.0.1:1 does not take this machine in"), error);
    try (ServerSocket taken = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      assertRefused(
          "cannot listen at 127.0.0.1:" + taken.getLocalPort(), more.toArray(String[]::new));
    }
    more.set(more.indexOf("--advertise") + 1, "192.0.2.1"); // an address of no machine
    assertRefused("cannot listen at 192.0.2.1", more.toArray(String[]::new));
    more.addAll(List.of("--set", "peer.listen=127.0.0.1"));
    error = refusal(1, more.toArray(String[]::new));
    assertTrue(error.contains("127.0.0.1:1 does not take this machine in"), error);
  }

  @Test
  void aClusterDoesNotBeginWherePortsAreTaken() throws IOException {
    Path data = directory("a");
    int nodePort = FreePorts.consecutive(NodeDescription.PORTS + 1);
    int raft = nodePort + 2;
    try (ServerSocket taken = new ServerSocket(raft, 1, InetAddress.getLoopbackAddress())) {
      assertRefused(
          "cannot listen at 127.0.0.1:" + taken.getLocalPort(),
          "up",
          "--advertise",
          "127.0.0.1",
          "--node-port",
          "" + nodePort,
          "--port",
          "" + (nodePort + NodeDescription.PORTS),
          "--data",
          data.toString());
    }
    assertFalse(Files.exists(data.resolve("authority")));
  }

  /** As in /etc/hosts of some systems. */
  @Test
  void aNameThatMeansThisMachineAloneIsRefused() throws IOException {
    InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 1, 1});
    RefusedException refused =
        assertThrows(RefusedException.class, () -> NodePorts.checkOthersReach("db-1", loopback));
    assertTrue(refused.getMessage().contains("is 127.0.1.1"), refused.getMessage());
    NodePorts.checkOthersReach("127.0.1.1", loopback);
    NodePorts.checkOthersReach("localhost", loopback);
    NodePorts.checkOthersReach("db-1", InetAddress.getByAddress(new byte[] {10, 0, 0, 1}));
  }

  /** Each would write its own key, number and certificate over those of the other. */
  @Test
  void twoDoNotMakeANodeInTheSameDirectoryAtOnce() throws IOException {
    JoinToken token =
        JoinToken.parse(
            Commands.run("token", "--data", founded(Map.of()).toString()).out().getFirst());
    Path data = directory("b");
    NewMachine machine =
        new NewMachine(EnumSet.allOf(NodeKind.class), "10.0.0.2", 7000, 5432, "", 0, Map.of());
    try (DataDirectory _ = DataDirectory.take(data)) {
      GaussException inUse =
          assertThrows(GaussException.class, () -> machine.join(data, token, "127.0.0.1", 1));
      assertEquals(SqlState.OBJECT_IN_USE, inUse.state());
      assertThrows(GaussException.class, () -> machine.found(data));
    }
    assertFalse(Files.exists(data.resolve("tls")));
    machine.found(data);
    assertThrows(RefusedException.class, () -> machine.join(data, token, "127.0.0.1", 1));
  }

  @Test
  void detachedIsANodeOfAMachineThatDoesNotRun() throws IOException {
    assertRefused(
        "are for nodes of several machines",
        "start",
        "--detach",
        "--data",
        directory("d").toString());
    Path data = founded(Map.of());
    new ClusterFile(List.of(ClusterFile.thisProcess(1, "compute", "10.0.0.1", 5432))).write(data);
    assertRefused("runs already", "start", "--detach", "--data", data.toString());
  }

  /** A node that is killed while it notes the storage nodes has its settings afterwards. */
  @Test
  void settingsAreReplacedAsAWhole() throws IOException {
    Path data = founded(Map.of());
    Path file = data.resolve("compute-1").resolve("gauss.properties");
    Path before = Files.createLink(parent.resolve("before"), file);
    String text = Files.readString(file);
    new MachineDirectory(data)
        .set(NodeDescription.read(data).orElseThrow(), Map.of("pool.size", "32MB"));
    assertEquals("32MB", properties(data, "compute-1").getProperty("pool.size"));
    assertEquals(text, Files.readString(before), "it was written over");
  }

  @Test
  void whatIsNotThereYetIsRefused() throws IOException {
    String data = founded(Map.of()).toString();
    assertRefused(
        "already; start it", "join", "--data", data, "--token", token(data), "--advertise", "x");
    assertRefused(
        "added and replaced by `gauss",
        "add",
        "--role",
        "storage",
        "--replaces",
        "201",
        "--data",
        data);
    assertRefused("no --processes", "up", "--processes", "--storage", "1", "--data", data);
    assertRefused("another address, port", "up", "--advertise", "10.0.0.9", "--data", data);
    assertRefused("another address, port", "up", "--port", "6000", "--data", data);
    assertRefused("0 to 55", "up", "--tokens", "56", "--data", data);
    assertRefused("--tokens is for --detach", "up", "--tokens", "2", "--data", data);
    assertRefused(
        "add --advertise", "up", "--tokens", "2", "--detach", "--data", "" + directory("e"));
    assertRefused("add --advertise", "up", "--zone", "east", "--data", directory("d").toString());
    assertRefused("start it by `gauss start", "start", "--role", "compute", "--data", data);
    assertRefused("--role is missing", "start", "--data", directory("none").toString());
    assertRefused("peer.address", "up", "--data", data, "--set", "peer.address=10.0.0.9");
    assertRefused("storage.nodes", "up", "--data", data, "--set", "storage.nodes=x");
    assertRefused(
        "needs the roles storage and memory",
        "up",
        "--advertise",
        "10.0.0.1",
        "--roles",
        "compute",
        "--data",
        directory("c").toString());
  }

  private static String token(String data) {
    return Commands.run("token", "--data", data).out().getFirst();
  }

  @Test
  void aDirectoryMayBeMoved() throws IOException {
    Path before = founded(Map.of());
    Path data = Files.move(before, parent.resolve("moved"));
    new MachineDirectory(data).settle(NodeDescription.read(data).orElseThrow());
    for (String role : List.of("compute-1", "memory-101", "storage-201")) {
      Properties now = properties(data, role);
      assertEquals("201@10.0.0.1:7001:7002", now.getProperty("storage.nodes"));
      assertFalse(now.values().stream().anyMatch(value -> ("" + value).startsWith("" + before)));
    }
    assertEquals("" + data.resolve("tls/node.key"), properties(data, "compute-1").get("tls.key"));
  }

  /** Its identity is its number and certificate, which stay. */
  @Test
  void aNodeMayGetAnotherAddress() throws IOException {
    Path data = founded(Map.of());
    NodeDescription node = NodeDescription.read(data).orElseThrow();
    new MachineDirectory(data).move(node, node.at("10.0.0.7"));
    NodeDescription moved = NodeDescription.read(data).orElseThrow();
    assertEquals("10.0.0.7", moved.host());
    assertEquals(1, moved.node());
    for (String role : List.of("compute-1", "memory-101", "storage-201")) {
      assertEquals(
          "201@10.0.0.7:7001:7002", properties(data, role).getProperty("storage.nodes"), role);
    }
    assertEquals("10.0.0.7", properties(data, "compute-1").getProperty("peer.address"));
    assertEquals("10.0.0.7", properties(data, "memory-101").getProperty("peer.address"));
    assertRefused(
        "a name or an IPv4 address", "start", "--data", "" + data, "--advertise", "no host");
    assertRefused(
        "cannot listen at 192.0.2.1", "start", "--data", "" + data, "--advertise", "192.0.2.1");
    assertEquals(moved, NodeDescription.read(data).orElseThrow());
  }

  @Test
  void nodesOfMachinesAreRemovedByTheirNumbers() throws IOException {
    String data = founded(Map.of()).toString();
    assertRefused("numbers from 1 to 55", "remove", "201", "--data", data);
    assertRefused(
        "not the directory of a node", "remove", "1", "--data", directory("plain").toString());
  }

  @Test
  void certificatesForClientsOfAnotherPlaceStayWhereTheyAre() throws IOException {
    Map<String, String> given = Map.of("tls.certificate", "/etc/db.pem", "tls.key", "/etc/db.key");
    Path data = Files.move(founded(given), parent.resolve("moved"));
    new MachineDirectory(data).settle(NodeDescription.read(data).orElseThrow());
    assertEquals("/etc/db.key", properties(data, "compute-1").getProperty("tls.key"));
  }

  @Test
  void settingsAreKeptForLaterStarts() throws IOException {
    Path data = founded(Map.of());
    NodeDescription node = NodeDescription.read(data).orElseThrow();
    new MachineDirectory(data).set(node, Map.of("pool.size", "32MB", "metrics.port", "9187"));
    assertEquals("32MB", properties(data, "compute-1").getProperty("pool.size"));
    assertEquals("9187", properties(data, "compute-1").getProperty("metrics.port"));
    assertFalse(properties(data, "storage-201").containsKey("metrics.port"));
    assertEquals("10.0.0.1", properties(data, "compute-1").getProperty("peer.address"));
  }
}
