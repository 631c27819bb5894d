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

/**
 * The compute nodes that the driver knows: those that the URL names and those that the cluster
 * lists, with their reachability. A node is used when the cluster reports it as up and it was not
 * found unreachable since. Thread-safe.
 */
final class KnownNodes {
  private final ReentrantLock lock = new ReentrantLock();
  private final List<ClusterNode> fromUrl;
  private final Map<ClusterNode, Boolean> reachable = new HashMap<>();
  private List<ClusterNode> told = List.of();
  private volatile Topology topology;

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
    lock.lock();
    try {
      told = nodes.stream().map(this::byUrlsAddress).toList();
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

  /** Records whether the node could be reached just now. */
  void found(ClusterNode node, boolean isReachable) {
    lock.lock();
    try {
      Boolean before = reachable.put(node, isReachable);
      if (before == null || before != isReachable) {
        publish();
      }
    } finally {
      lock.unlock();
    }
  }

  /** The nodes that are not known to be reachable. */
  List<ClusterNode> unproven() {
    lock.lock();
    try {
      return topology.nodes().stream().filter(node -> !isProven(node)).toList();
    } finally {
      lock.unlock();
    }
  }

  /** Hosts of the URL are assumed to be reachable. */
  private boolean isProven(ClusterNode node) {
    return reachable.getOrDefault(node, fromUrl.contains(node));
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
    reachable.keySet().retainAll(now);
    Topology before = topology;
    topology = new Topology(before.version() + (isSame(before.nodes(), now) ? 0 : 1), now);
  }

  private ClusterNode seen(ClusterNode node) {
    return node.state() == State.UP && !isProven(node)
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
