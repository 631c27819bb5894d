package io.gauss.server;

import io.gauss.common.config.NodeKind;
import io.gauss.common.transport.ClusterKeyFile;
import io.gauss.server.join.ClusterAuthority;
import io.gauss.server.join.JoinAnswer;
import io.gauss.server.join.JoinClient;
import io.gauss.server.join.JoinRequest;
import io.gauss.server.join.JoinToken;
import io.gauss.server.join.NodeCredentials;
import io.gauss.storage.api.StorageAddress;
import io.gauss.storage.disk.DataDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Makes the data directory of a node of a cluster of machines: of the first node, with which the
 * cluster begins, or of one that joins it. Starting the node is left to {@link MachineNode}.
 *
 * @param roles that the node is to have
 * @param host name or address by which the other machines reach this one
 * @param nodePort the first of its ports for other nodes
 * @param clientPort for clients
 * @param zone where the machine stands; empty = not told
 * @param replaces number of the node whose place it takes; 0 = of none
 * @param settings from the command line
 */
record NewMachine(
    Set<NodeKind> roles,
    String host,
    int nodePort,
    int clientPort,
    String zone,
    int replaces,
    Map<String, String> settings) {
  private static final int FIRST = 1;

  /**
   * Makes a new cluster with this node.
   *
   * @param data an empty directory that is for its owner alone
   * @throws RefusedException when that is not possible
   * @throws io.gauss.common.error.GaussException 42704 and 22023 for settings, 58030 when something
   *     cannot be written
   */
  NodeDescription found(Path data) throws IOException {
    checkFirst();
    try (DataDirectory _ = DataDirectory.take(data)) {
      return foundIn(data);
    }
  }

  /**
   * Checks that a cluster can begin with such a node.
   *
   * @throws RefusedException when it cannot
   */
  void checkFirst() {
    if (!roles.contains(NodeKind.STORAGE) || !roles.contains(NodeKind.MEMORY)) {
      throw new RefusedException("the first node of a cluster needs the roles storage and memory");
    }
  }

  private NodeDescription foundIn(Path data) throws IOException {
    MachineDirectory directory = new MachineDirectory(data);
    HandedSettings handed = check(data, directory);
    NodeDescription node = describe(FIRST, false);
    Instant now = Instant.now();
    if (ClusterAuthority.isIn(data)) {
      throw new RefusedException(
          data + " is that of a first node that was not completed; use an empty directory");
    }
    ClusterAuthority authority = ClusterAuthority.create(data, now);
    ClusterKeyFile.ensure(directory.clusterKey());
    NodeCredentials credentials = directory.credentials();
    ClusterAuthority.Issued issued = authority.issue(credentials.makeKey(), host, 0, FIRST, now);
    credentials.keep(issued.pem(), authority.certificate());
    directory.write(node, List.of(node.storageAddress()), zone, handed);
    return node;
  }

  /**
   * Becomes a node of a cluster.
   *
   * @param data an empty directory that is for its owner alone
   * @param at host of the node that is asked, with its port
   * @throws RefusedException when that node does not take this machine in
   * @throws io.gauss.common.error.GaussException as {@link #found}, 08006 when the node is not
   *     reached, and 55006 when another process makes a node in the directory at the same time
   */
  NodeDescription join(Path data, JoinToken token, String at, int port) throws IOException {
    try (DataDirectory _ = DataDirectory.take(data)) {
      return joinIn(data, token, at, port);
    }
  }

  private NodeDescription joinIn(Path data, JoinToken token, String at, int port)
      throws IOException {
    MachineDirectory directory = new MachineDirectory(data);
    HandedSettings handed = check(data, directory);
    NodeCredentials credentials = directory.credentials();
    JoinAnswer answer =
        JoinClient.ask(
            token,
            at,
            port,
            credentials,
            new JoinRequest.Wish(describe(FIRST, false).roleNames(), host, replaces));
    if (answer.refused() != null) {
      throw new RefusedException(at + ":" + port + " refuses: " + answer.refused());
    }
    NodeDescription node = describe(answer.node(), true);
    ClusterKeyFile.write(directory.clusterKey(), answer.clusterKey());
    credentials.keep(answer.certificate(), answer.authority());
    List<StorageAddress> storage = new ArrayList<>(StorageAddress.parse(answer.storageNodes()));
    if (node.has(NodeKind.STORAGE)) {
      storage.add(node.storageAddress());
    }
    directory.write(node, storage, zone, handed);
    return node;
  }

  /**
   * Checks that the node's ports are free, where it will listen: one that has joined and cannot
   * start would be missing at once, and its ports cannot be changed.
   *
   * @param takesOthersIn whether it is the first node
   * @throws RefusedException otherwise
   */
  void checkPorts(Path data, boolean takesOthersIn) {
    NodeDescription node = describe(FIRST, false);
    node.check();
    new NodePorts(data, node, MachineDirectory.check(roles, settings)).check(takesOthersIn);
  }

  private HandedSettings check(Path data, MachineDirectory directory) throws IOException {
    if (NodeDescription.read(data).isPresent()) {
      throw new RefusedException(data + " is a node already; start it by `gauss start`");
    }
    describe(FIRST, false).check();
    directory.checkUnused();
    return MachineDirectory.check(roles, settings);
  }

  private NodeDescription describe(int number, boolean joins) {
    return new NodeDescription(number, roles, host, nodePort, clientPort, joins, replaces);
  }
}
