package io.gauss.server.chaos;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Where nodes run: how they are reached, and what can be done to their links and disks. */
interface Machine {
  /** Where a node is reached by others and by clients. */
  String address(int node);

  /** A port of a node, the same whenever it is asked for. */
  int port(int node, Port which) throws IOException;

  /** What stands before the command of a node's process. */
  List<String> prefix(int node) throws IOException;

  /** Whether links can be cut and disks be filled. */
  boolean isIsolated();

  /** A directory for a node's data; one that can be filled if the machine is isolated. */
  void prepareDisk(Path directory) throws IOException;

  /** Nothing gets from a node to another one any more. */
  void cut(int from, int to) throws IOException;

  void heal(int from, int to) throws IOException;

  /** Ports of a node. */
  enum Port {
    CLIENTS,
    PEERS,
    RAFT
  }
}
