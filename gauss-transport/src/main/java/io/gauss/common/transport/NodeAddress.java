package io.gauss.common.transport;

/**
 * The address at which a node listens for other nodes, or at which they reach it.
 *
 * @param host name or address of the interface
 * @param port TCP port; for listening, 0 lets the system choose
 */
public record NodeAddress(String host, int port) {
  public NodeAddress {
    if (host.isBlank() || port < 0 || port > 65_535) {
      throw new IllegalArgumentException("address '" + host + "', port " + port);
    }
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
