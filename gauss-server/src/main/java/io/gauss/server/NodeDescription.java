package io.gauss.server;

import io.gauss.common.config.NodeKind;
import io.gauss.common.file.WholeFile;
import io.gauss.common.transport.CertifiedNode;
import io.gauss.common.transport.NodeRole;
import io.gauss.storage.api.StorageAddress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A node of a cluster of several machines: one process with one or several roles. Its identity is
 * its number, with the certificate for it; where it is reached says nothing about who it is.
 *
 * <p>It is kept as {@code node.properties} in the node's data directory, which is written last when
 * the directory is made: a directory that has it is complete.
 *
 * <p>In the cluster map each role is a member with a number of its own: {@code N} for compute, 100
 * + N for memory, 200 + N for storage.
 *
 * @param node its number, from 1 on
 * @param roles one at least
 * @param host name or address by which the other machines reach this one
 * @param nodePort the first of {@value #PORTS} ports for other nodes: see {@link #port}
 * @param clientPort for clients, if the node computes
 * @param joins whether it joins the cluster, and its storage may lack what that of others has
 * @param replaces number of the node whose place it is taking; 0 = of none, or it has taken it
 */
record NodeDescription(
    int node,
    Set<NodeKind> roles,
    String host,
    int nodePort,
    int clientPort,
    boolean joins,
    int replaces) {
  static final String FILE = "node.properties";

  /** Ports that a node takes for other nodes, from the first one on. */
  static final int PORTS = 5;

  /** As many as there are numbers for the roles of each. */
  static final int MOST_NODES = 55;

  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,252}");
  private static final int VERSION = 1;
  private static final int MAX_PORT = 65_535;

  NodeDescription {
    roles = EnumSet.copyOf(roles);
    if (node < 1 || node > MOST_NODES) {
      throw new IllegalArgumentException("node " + node);
    }
  }

  /**
   * Roles as they are typed: their names with commas between them.
   *
   * @throws RefusedException for another text
   */
  static Set<NodeKind> parseRoles(String text) {
    Set<NodeKind> roles = EnumSet.noneOf(NodeKind.class);
    for (String name : text.split(",")) {
      NodeKind role =
          Arrays.stream(NodeKind.values())
              .filter(kind -> kind.toString().equals(name.strip()))
              .findAny()
              .orElseThrow(
                  () ->
                      new RefusedException(
                          "--roles %s: \"%s\" is none of %s"
                              .formatted(text, name, Arrays.toString(NodeKind.values()))));
      roles.add(role);
    }
    return roles;
  }

  /** Names of the roles. */
  List<String> roleNames() {
    return roles.stream().map(NodeKind::toString).toList();
  }

  boolean has(NodeKind role) {
    return roles.contains(role);
  }

  /** The number of the node's member of the cluster for a role. */
  int number(NodeKind role) {
    return number(node, role);
  }

  /** The same of any node. */
  static int number(int node, NodeKind role) {
    return new CertifiedNode(node).member(NodeRole.valueOf(role.name()));
  }

  /** The highest number of a node, by the numbers of members; 0 = there is none. */
  static int highest(Collection<Integer> members) {
    return members.stream().mapToInt(CertifiedNode::ofMember).max().orElse(0);
  }

  /** It has everything, and has taken the other one's place. */
  NodeDescription complete() {
    return new NodeDescription(node, roles, host, nodePort, clientPort, false, 0);
  }

  /** The same node, reached by another host. */
  NodeDescription at(String other) {
    return new NodeDescription(node, roles, other, nodePort, clientPort, joins, replaces);
  }

  /** The port at which machines ask to join, if the node takes them in. */
  int joinPort() {
    return nodePort;
  }

  /** The port of a role for other nodes. */
  int port(NodeKind role) {
    return switch (role) {
      case STORAGE -> nodePort + 1; // the next one is Raft's
      case MEMORY -> nodePort + 3;
      case COMPUTE -> nodePort + 4;
    };
  }

  /** Where others reach the node's storage. */
  StorageAddress storageAddress() {
    int port = port(NodeKind.STORAGE);
    return new StorageAddress(number(NodeKind.STORAGE), host, port, port + 1);
  }

  /**
   * Checks what was typed.
   *
   * @throws RefusedException when a port does not exist, or the client's is one of the others
   */
  void check() {
    if (nodePort < 1 || nodePort > MAX_PORT + 1 - PORTS) {
      throw new RefusedException(
          "--node-port %d: a node takes %d ports from this one on".formatted(nodePort, PORTS));
    }
    if (has(NodeKind.COMPUTE) && clientPort >= nodePort && clientPort < nodePort + PORTS) {
      throw new RefusedException(
          "--port %d is one of the %d ports from --node-port %d on, which are for other nodes"
              .formatted(clientPort, PORTS, nodePort));
    }
    if (!isHost(host)) {
      throw new RefusedException(
          "--advertise " + host + ": a name or an IPv4 address by which other machines reach it");
    }
  }

  /** Whether this is a name or an IPv4 address. */
  static boolean isHost(String text) {
    return HOST.matcher(text).matches();
  }

  /**
   * The node with this data directory; empty when it is not one of a cluster of machines.
   *
   * @throws IllegalStateException when the file is damaged
   */
  static Optional<NodeDescription> read(Path data) throws IOException {
    Properties file = new Properties();
    try (var reader = Files.newBufferedReader(data.resolve(FILE), StandardCharsets.UTF_8)) {
      file.load(reader);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
    try {
      if (Integer.parseInt(file.getProperty("version")) != VERSION) {
        throw new RefusedException(data.resolve(FILE) + " is of another version of Gauss");
      }
      return Optional.of(
          new NodeDescription(
              Integer.parseInt(file.getProperty("node")),
              parseRoles(file.getProperty("roles")),
              file.getProperty("host"),
              Integer.parseInt(file.getProperty("node-port")),
              Integer.parseInt(file.getProperty("port")),
              joins(file),
              Integer.parseInt(file.getProperty("replaces"))));
    } catch (IllegalArgumentException | NullPointerException e) {
      throw new IllegalStateException(data.resolve(FILE) + " is damaged: " + e, e);
    }
  }

  /** Files of before told only of those that replace another one. */
  private static boolean joins(Properties file) {
    return Boolean.parseBoolean(file.getProperty("joins"))
        || !"0".equals(file.getProperty("replaces"));
  }

  /** Makes the directory that of this node. */
  void write(Path data) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("# A node of a cluster of machines. Written by gauss; not to be changed.");
    lines.add("version=" + VERSION);
    lines.add("node=" + node);
    lines.add("roles=" + String.join(",", roleNames()));
    lines.add("host=" + host);
    lines.add("node-port=" + nodePort);
    lines.add("port=" + clientPort);
    lines.add("joins=" + joins);
    lines.add("replaces=" + replaces);
    WholeFile.write(
        data.resolve(FILE), lines.stream().map(line -> line + "\n").collect(Collectors.joining()));
  }
}
