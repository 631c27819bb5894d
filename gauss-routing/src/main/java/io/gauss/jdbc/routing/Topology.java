package io.gauss.jdbc.routing;

import java.util.List;

/**
 * The compute nodes at one moment. Immutable; a change makes a new one with a higher version.
 *
 * @param version increases whenever a node, a number or a state differs; loads change without it
 * @param nodes all known nodes, whatever their state, each address once, in a stable order
 */
public record Topology(long version, List<ClusterNode> nodes) {
  public Topology {
    nodes = List.copyOf(nodes);
  }

  /** The node with that number, or null. */
  public ClusterNode byNumber(int number) {
    for (ClusterNode node : nodes) {
      if (node.number() == number && number > 0) {
        return node;
      }
    }
    return null;
  }

  /** The present state of the node with that address, or null. */
  public ClusterNode byAddress(String host, int port) {
    for (ClusterNode node : nodes) {
      if (node.port() == port && node.host().equals(host)) {
        return node;
      }
    }
    return null;
  }

  /** Nodes to which new transactions may go. */
  public List<ClusterNode> usable() {
    return nodes.stream().filter(ClusterNode::isUsable).toList();
  }
}
