package io.gauss.common.transport.tcp;

/**
 * Options of TCP only.
 *
 * @param io how sockets are watched
 * @param eventLoops threads, each serving many connections; at least 1
 * @param tls null = not encrypted
 * @param process other nodes of this process, which are reached within the JVM; null = by TCP, too
 */
public record TcpOptions(SocketIo io, int eventLoops, TransportTls tls, NodesOfProcess process) {
  /** Options of a node that reaches all others by TCP. */
  public TcpOptions(SocketIo io, int eventLoops, TransportTls tls) {
    this(io, eventLoops, tls, null);
  }

  public TcpOptions {
    if (eventLoops < 1) {
      throw new IllegalArgumentException(eventLoops + " event loops");
    }
  }
}
