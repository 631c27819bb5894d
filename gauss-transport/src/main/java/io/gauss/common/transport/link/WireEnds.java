package io.gauss.common.transport.link;

import io.gauss.common.transport.NodeRole;

/** What a connection itself tells of its two ends, for their hello. */
@FunctionalInterface
interface WireEnds {
  /**
   * What only the two ends of this encrypted connection know, the same for both: whoever is between
   * them has another one with each. Empty when the connection is not encrypted.
   */
  byte[] channel();

  /**
   * Why the other end cannot be the node that it says it is; null when nothing speaks against that.
   *
   * @param node its number
   */
  default String objection(int node, NodeRole role) {
    return null;
  }
}
