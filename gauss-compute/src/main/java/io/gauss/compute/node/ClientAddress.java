package io.gauss.compute.node;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * Where clients reach a compute node, as drivers and other nodes are told.
 *
 * @param host name or address, IPv6 without brackets
 * @param port 0 = the one on which the node listens
 */
record ClientAddress(String host, int port) {
  private static final String LOOPBACK = "127.0.0.1";
  private static final int MAX_PORT = 65_535;

  /**
   * Parses {@code host}, {@code host:port}, or either with an IPv6 address in brackets. An IPv6
   * address without a port may be written without brackets.
   *
   * @throws IllegalArgumentException when it is neither
   */
  static ClientAddress parse(String text) {
    if (text.startsWith("[")) {
      int end = text.indexOf(']');
      if (end < 0 || end + 1 < text.length() && text.charAt(end + 1) != ':') {
        throw new IllegalArgumentException(text);
      }
      return of(text.substring(1, end), text.substring(end + 1));
    }
    int colon = text.indexOf(':');
    return colon < 0 || colon != text.lastIndexOf(':')
        ? of(text, "")
        : of(text.substring(0, colon), text.substring(colon));
  }

  /**
   * @param port with a colon before it; empty = none
   */
  private static ClientAddress of(String host, String port) {
    int number = port.isEmpty() ? 0 : Integer.parseInt(port.substring(1));
    boolean isPort = port.isEmpty() || number >= 1 && number <= MAX_PORT;
    if (host.isEmpty() || host.chars().anyMatch(c -> c <= ' ' || c == '@' || c == '/') || !isPort) {
      throw new IllegalArgumentException(host + port);
    }
    return new ClientAddress(host, number);
  }

  /**
   * An address of this machine at which a node that listens there is reached from this machine.
   *
   * @param listen as the setting {@code listen.address} has it
   */
  static String onThisMachine(String listen) {
    try {
      return InetAddress.getByName(listen).isAnyLocalAddress() ? LOOPBACK : listen;
    } catch (UnknownHostException e) {
      return listen; // whoever listens there reports it
    }
  }

  ClientAddress withPort(int listening) {
    return port != 0 ? this : new ClientAddress(host, listening);
  }
}
