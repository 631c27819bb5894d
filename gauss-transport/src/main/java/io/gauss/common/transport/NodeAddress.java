package io.gauss.common.transport;

/**
 * Where a node listens for other nodes, or where they reach it.
 *
 * @param host name or address of the interface
 * @param port TCP port; 0 when listening lets the system choose
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
