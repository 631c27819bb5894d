package io.gauss.common.transport.tcp;

/**
 * What only TCP has.
 *
 * @param io how sockets are watched
 * @param eventLoops threads, each serving many connections; at least 1
 * @param tls null = not encrypted
 */
public record TcpOptions(Io io, int eventLoops, TransportTls tls) {
  /** How sockets are watched. */
  public enum Io {
    /** Epoll where it is present, NIO otherwise. */
    BEST,
    EPOLL,
    NIO
  }

  public TcpOptions {
    if (eventLoops < 1) {
      throw new IllegalArgumentException(eventLoops + " event loops");
    }
  }
}
