package io.gauss.jdbc.routing;

import java.util.List;

/**
 * The compute nodes at one moment. Immutable; a change makes a new one with a higher version.
 *
 * @param version increases whenever a node, a number or a state differs; loads change without it
 * @param nodes all that are known, whatever their state, each address once, in a stable order
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

  /** What is known now of the node with that address, or null. */
  public ClusterNode byAddress(String host, int port) {
    for (ClusterNode node : nodes) {
      if (node.port() == port && node.host().equals(host)) {
        return node;
      }
    }
    return null;
  }

  /** Nodes that new transactions may go to. */
  public List<ClusterNode> usable() {
    return nodes.stream().filter(ClusterNode::isUsable).toList();
  }
}
