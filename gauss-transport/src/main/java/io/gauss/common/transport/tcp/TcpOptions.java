package io.gauss.common.transport.tcp;

/**
 * Options of TCP only.
 *
 * @param io how sockets are watched
 * @param eventLoops threads, each serving many connections; at least 1
 * @param tls null = not encrypted
 */
public record TcpOptions(SocketIo io, int eventLoops, TransportTls tls) {
  public TcpOptions {
    if (eventLoops < 1) {
      throw new IllegalArgumentException(eventLoops + " event loops");
    }
  }
}
