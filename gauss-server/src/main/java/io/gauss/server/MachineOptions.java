package io.gauss.server;

import io.gauss.common.config.NodeKind;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** Options of commands that make a node of a cluster of machines. */
final class MachineOptions {
  private static final String ADVERTISE = "--advertise";
  private static final int NODE_PORT = 7000;

  @Option(
      names = ADVERTISE,
      paramLabel = "HOST",
      description =
          "Name or IPv4 address by which the other machines reach this one: this is a node of a"
              + " cluster of several machines.")
  private String host;

  @Option(
      names = "--node-port",
      paramLabel = "P",
      description =
          "First of 5 ports for the cluster's other nodes (default: 7000); with --advertise.")
  private Integer nodePort;

  @Option(
      names = "--roles",
      paramLabel = "ROLE[,ROLE]",
      description = "What the node does (default: compute,memory,storage); with --advertise.")
  private String roles;

  @Option(
      names = "--zone",
      description = "Where the machine stands, for copies in several places; with --advertise.")
  private String zone;

  /** Whether this is to be a node of a cluster of several machines. */
  boolean areGiven() {
    if (host == null && (nodePort != null || roles != null || zone != null)) {
      throw new RefusedException(
          "--node-port, --roles and --zone are for nodes of several machines: add " + ADVERTISE);
    }
    return host != null;
  }

  /**
   * Refuses what a node that is there does not have.
   *
   * @param port for clients; null = not given
   */
  void checkSame(NodeDescription known, Integer port) {
    boolean isSame =
        (host == null || host.equals(known.host()))
            && (nodePort == null || nodePort == known.nodePort())
            && (roles == null || NodeDescription.parseRoles(roles).equals(known.roles()))
            && (port == null || port == known.clientPort())
            && zone == null;
    if (!isSame) {
      throw new RefusedException(
          "the node is there already, as %s at %s with --node-port %d and --port %d; another address, port, role or zone is not supported yet"
              .formatted(known.roles(), known.host(), known.nodePort(), known.clientPort()));
    }
  }

  /**
   * @param replaces number of the node whose place it takes; 0 = of none
   */
  NewMachine machine(int clientPort, int replaces, Map<String, String> settings) {
    if (host == null) {
      throw new RefusedException(
          ADVERTISE + " is missing: the name or address by which other machines reach this one");
    }
    return new NewMachine(
        roles == null ? EnumSet.allOf(NodeKind.class) : NodeDescription.parseRoles(roles),
        host,
        nodePort == null ? NODE_PORT : nodePort,
        clientPort,
        zone == null ? "" : zone,
        replaces,
        new LinkedHashMap<>(settings));
  }
}
