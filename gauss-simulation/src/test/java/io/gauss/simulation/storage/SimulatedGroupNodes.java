package io.gauss.simulation.storage;

import io.gauss.storage.raft.GroupHost;
import io.gauss.storage.raft.GroupMember;
import io.gauss.storage.raft.GroupNodes;
import io.gauss.storage.raft.GroupReplica;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Nodes with simulated groups. */
final class SimulatedGroupNodes implements GroupNodes {
  private final SimulatedGroups groups;
  private final IntFunction<GroupReplica.Factory> replicas;
  private final GroupHost[] hosts;

  SimulatedGroupNodes(
      int nodes, Links links, LogFaults faults, IntFunction<GroupReplica.Factory> replicas) {
    this.groups = new SimulatedGroups(links, faults);
    this.replicas = replicas;
    this.hosts = new GroupHost[nodes];
  }

  SimulatedGroups groups() {
    return groups;
  }

  @Override
  public int size() {
    return hosts.length;
  }

  @Override
  public GroupHost start(int node) {
    if (hosts[node] == null) {
      hosts[node] = groups.start(node, replicas.apply(node));
    }
    return hosts[node];
  }

  @Override
  public void stop(int node) {
    if (hosts[node] != null) {
      hosts[node].close();
      hosts[node] = null;
    }
  }

  /** Its process is killed, or its machine loses power. */
  void kill(int node, boolean powerLost) {
    groups.end(node, powerLost);
    hosts[node] = null;
  }

  @Override
  public GroupHost host(int node) {
    return hosts[node];
  }

  @Override
  public List<GroupMember> members() {
    return IntStream.range(0, hosts.length)
        .mapToObj(node -> new GroupMember(node, "simulated", 7000 + node, hosts.length - node))
        .toList();
  }

  /** Ends the nodes; they can be started again. */
  @Override
  public void close() {
    for (int node = 0; node < hosts.length; node++) {
      stop(node);
    }
  }
}
