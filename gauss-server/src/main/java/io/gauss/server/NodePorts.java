package io.gauss.server;

import io.gauss.common.config.NodeKind;
import io.gauss.common.config.NodeSettingTable;
import io.gauss.common.config.SettingValues;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Map;

/**
 * Checks that a machine can listen where its node is to, before the cluster is told of the node:
 * one that has joined and cannot start is missing at once, and where two machines have to answer
 * for every commit the other one then stands still.
 */
final class NodePorts {
  private static final String LOCAL = "localhost";

  private final Path data;
  private final NodeDescription node;
  private final HandedSettings settings;

  /**
   * @param data directory of the node, not made yet
   */
  NodePorts(Path data, NodeDescription node, HandedSettings settings) {
    this.data = data;
    this.node = node;
    this.settings = settings;
  }

  /**
   * @param takesOthersIn whether it also listens for machines that join
   * @throws RefusedException when a port is taken, or an address is not one of this machine
   */
  void check(boolean takesOthersIn) {
    if (takesOthersIn) {
      checkForNodes(node.roles().iterator().next(), node.joinPort());
    }
    for (NodeKind role : node.roles()) {
      checkForNodes(role, node.port(role));
    }
    if (node.has(NodeKind.STORAGE)) {
      checkForNodes(NodeKind.STORAGE, node.storageAddress().raftPort());
    }
    if (node.has(NodeKind.COMPUTE)) {
      String address = values(NodeKind.COMPUTE).get(NodeSettingTable.LISTEN_ADDRESS);
      check(address, node.clientPort(), "--port and --set listen.address=... change that");
    }
  }

  private void checkForNodes(NodeKind role, int port) {
    String listen = values(role).get(NodeSettingTable.PEER_LISTEN);
    if (listen.isEmpty()) {
      checkOthersReach(node.host(), new InetSocketAddress(node.host(), port).getAddress());
    }
    check(
        listen.isEmpty() ? node.host() : listen,
        port,
        "--node-port changes the ports; where --advertise names no address of this machine, add"
            + " --set peer.listen=0.0.0.0");
  }

  /**
   * Systems let their own name mean a loopback address, where no other machine reaches anybody. An
   * address, or {@code localhost}, is taken at its word: that is for nodes of one machine.
   *
   * @param address what the name means here; null = nothing
   * @throws RefusedException when others would not reach it
   */
  static void checkOthersReach(String name, InetAddress address) {
    boolean isOwnWill =
        address == null || name.equals(address.getHostAddress()) || name.equals(LOCAL);
    if (!isOwnWill && address.isLoopbackAddress()) {
      throw new RefusedException(
          "--advertise %s: on this machine that is %s, where no other machine reaches it (see /etc/hosts); use its address, or add --set peer.listen=0.0.0.0"
              .formatted(name, address.getHostAddress()));
    }
  }

  private SettingValues values(NodeKind role) {
    Map<String, String> given = settings.of(role);
    return SettingValues.load(role, new MachineDirectory(data).of(node, role), given);
  }

  private static void check(String address, int port, String way) {
    try (ServerSocket socket = new ServerSocket()) {
      InetSocketAddress at = new InetSocketAddress(address, port);
      if (at.isUnresolved()) {
        throw new IOException("the name is not known");
      }
      socket.bind(at);
    } catch (IOException e) {
      throw new RefusedException(
          "this machine cannot listen at %s:%d: %s (%s)"
              .formatted(address, port, e.getMessage(), way));
    }
  }
}
