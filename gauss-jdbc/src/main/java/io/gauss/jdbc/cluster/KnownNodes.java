package io.gauss.jdbc.cluster;

import io.gauss.jdbc.routing.ClusterNode;
import io.gauss.jdbc.routing.ClusterNode.State;
import io.gauss.jdbc.routing.Topology;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;

/**
 * The compute nodes that the driver knows: those that the URL names and those that the cluster
 * lists, with what this process has found out about them. A node is used when the cluster reports
 * it as up and it has answered. Thread-safe.
 */
final class KnownNodes {
  private final ReentrantLock lock = new ReentrantLock();
  private final List<ClusterNode> fromUrl;
  private final Map<ClusterNode, NodeHealth> found = new HashMap<>();
  private List<ClusterNode> told = List.of();
  private volatile Topology topology;
  private volatile boolean isAnySuspect;

  KnownNodes(List<ClusterNode> fromUrl) {
    this.fromUrl = List.copyOf(fromUrl);
    this.topology = new Topology(1, fromUrl);
  }

  Topology topology() {
    return topology;
  }

  List<ClusterNode> fromUrl() {
    return fromUrl;
  }

  /** Whether a cluster has listed its nodes. */
  boolean areTold() {
    lock.lock();
    try {
      return !told.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Takes the cluster's list. Nodes that are neither in the URL nor in the list are forgotten. */
  void told(List<ClusterNode> nodes) {
    // Before anybody has to wait: it asks for addresses of names.
    List<ClusterNode> named = nodes.stream().map(this::byUrlsAddress).toList();
    lock.lock();
    try {
      told = named;
      publish();
    } finally {
      lock.unlock();
    }
  }

  /** The nodes' loads are not known any more. */
  void forgetLoads() {
    lock.lock();
    try {
      if (told.stream().anyMatch(node -> !Double.isNaN(node.load()))) {
        told =
            told.stream()
                .map(n -> new ClusterNode(n.number(), n.host(), n.port(), n.state(), Double.NaN))
                .toList();
        publish();
      }
    } finally {
      lock.unlock();
    }
  }

  /** The URL may have another name of the same machine, by which the application reaches it. */
  private ClusterNode byUrlsAddress(ClusterNode node) {
    for (ClusterNode named : fromUrl) {
      if (named.port() == node.port() && isSameHost(named.host(), node.host())) {
        return new ClusterNode(
            node.number(), named.host(), named.port(), node.state(), node.load());
      }
    }
    return node;
  }

  private static boolean isSameHost(String one, String other) {
    if (one.equalsIgnoreCase(other)) {
      return true;
    }
    try {
      return InetAddress.getByName(one).equals(InetAddress.getByName(other));
    } catch (UnknownHostException e) {
      return false;
    }
  }

  /** Something was found out about a node. */
  void found(ClusterNode node, UnaryOperator<NodeHealth> event) {
    lock.lock();
    try {
      NodeHealth before = health(node);
      NodeHealth now = event.apply(before);
      found.put(node, now);
      isAnySuspect = found.values().stream().anyMatch(NodeHealth::isSuspect);
      if (before.isUsed() != now.isUsed()) {
        publish();
      }
    } finally {
      lock.unlock();
    }
  }

  /** What is known of a node now. */
  NodeHealth known(ClusterNode node) {
    lock.lock();
    try {
      return health(node);
    } finally {
      lock.unlock();
    }
  }

  /** The nodes of which it is to be found out whether they answer. */
  List<ClusterNode> toProbe(long nowNanos) {
    lock.lock();
    try {
      return topology.nodes().stream().filter(node -> health(node).wantsProbe(nowNanos)).toList();
    } finally {
      lock.unlock();
    }
  }

  /** Whether connections to a node may be broken. Does not wait as long as all nodes are well. */
  boolean isSuspect(ClusterNode node) {
    if (!isAnySuspect) {
      return false;
    }
    lock.lock();
    try {
      return health(node).isSuspect();
    } finally {
      lock.unlock();
    }
  }

  /** Whether a connection may be opened; when not, other nodes come first. */
  boolean takesNew(ClusterNode node) {
    lock.lock();
    try {
      return health(node).takesNew();
    } finally {
      lock.unlock();
    }
  }

  /** The nodes to which connections may be opened. */
  List<ClusterNode> open() {
    lock.lock();
    try {
      return topology.usable().stream().filter(node -> health(node).takesNew()).toList();
    } finally {
      lock.unlock();
    }
  }

  /** Hosts of the URL are assumed to answer. */
  private NodeHealth health(ClusterNode node) {
    NodeHealth known = found.get(node);
    return known != null ? known : fromUrl.contains(node) ? NodeHealth.UP : NodeHealth.UNPROVEN;
  }

  private void publish() {
    List<ClusterNode> now = new ArrayList<>();
    for (ClusterNode node : fromUrl) {
      int at = told.indexOf(node);
      // Of a host that the cluster does not list it is only known whether it answers.
      now.add(seen(at < 0 ? node : told.get(at)));
    }
    for (ClusterNode node : told) {
      if (!fromUrl.contains(node)) {
        now.add(seen(node));
      }
    }
    found.keySet().retainAll(now);
    Topology before = topology;
    topology = new Topology(before.version() + (isSame(before.nodes(), now) ? 0 : 1), now);
  }

  private ClusterNode seen(ClusterNode node) {
    return node.state() == State.UP && !health(node).isUsed()
        ? new ClusterNode(node.number(), node.host(), node.port(), State.DOWN, node.load())
        : node;
  }

  /** Compares everything except the loads. */
  private static boolean isSame(List<ClusterNode> before, List<ClusterNode> now) {
    if (!before.equals(now)) {
      return false;
    }
    for (int i = 0; i < now.size(); i++) {
      if (before.get(i).state() != now.get(i).state()
          || before.get(i).number() != now.get(i).number()) {
        return false;
      }
    }
    return true;
  }
}
