package io.gauss.common.transport;

import java.util.Locale;

/**
 * The authenticated other end of a connection.
 *
 * @param epoch its epoch when it connected; messages carry the current one
 */
public record RemoteNode(int node, NodeRole role, int epoch) {
  @Override
  public String toString() {
    return "node " + node + " (" + role.name().toLowerCase(Locale.ROOT) + ")";
  }
}
