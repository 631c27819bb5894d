package io.gauss.common.transport.tcp;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How event loops watch their sockets: by epoll where its native library is present (Linux on
 * x86-64 and aarch64), else by Java's NIO. Both behave the same, except that only epoll can end a
 * connection whose other side does not acknowledge sent bytes (TCP_USER_TIMEOUT); under NIO that is
 * left to the system's retransmissions and to our own pings. Thread-safe.
 */
public enum SocketIo {
  EPOLL(EpollServerSocketChannel.class, EpollSocketChannel.class),
  NIO(NioServerSocketChannel.class, NioSocketChannel.class);

  private static final Logger LOG = LoggerFactory.getLogger(SocketIo.class);

  private final Class<? extends ServerSocketChannel> serverChannel;
  private final Class<? extends SocketChannel> channel;

  SocketIo(
      Class<? extends ServerSocketChannel> serverChannel, Class<? extends SocketChannel> channel) {
    this.serverChannel = serverChannel;
    this.channel = channel;
  }

  /** Logs once why epoll is not used on a system that has it. */
  private static final class Best {
    static final SocketIo CHOSEN = choose();

    private static SocketIo choose() {
      if (Epoll.isAvailable()) {
        return EPOLL;
      }
      if (System.getProperty("os.name").equals("Linux")) {
        LOG.info("epoll is not used: {}", reason());
      }
      return NIO;
    }
  }

  /**
   * Epoll where it is present, else NIO. {@code -Dio.netty.transport.noNative=true} hides epoll.
   */
  public static SocketIo best() {
    return Best.CHOSEN;
  }

  /** The kind that watches a channel: all channels on its event loop must be of the same kind. */
  public static SocketIo of(Channel channel) {
    return channel instanceof EpollSocketChannel || channel instanceof EpollServerSocketChannel
        ? EPOLL
        : NIO;
  }

  /**
   * For the event loops.
   *
   * @throws GaussException 0A000 when this is epoll and epoll is not available
   */
  public IoHandlerFactory handlers() {
    if (this == NIO) {
      return NioIoHandler.newFactory();
    }
    if (!Epoll.isAvailable()) {
      throw new GaussException(
          SqlState.FEATURE_NOT_SUPPORTED, "epoll is not supported here: " + reason());
    }
    return EpollIoHandler.newFactory();
  }

  public Class<? extends ServerSocketChannel> serverChannel() {
    return serverChannel;
  }

  public Class<? extends SocketChannel> channel() {
    return channel;
  }

  /**
   * Has connections end whose other side's system does not say for so long, while nothing is sent,
   * that it is there: nobody closes them when a machine loses its power. Not by a limit for bytes
   * that are not acknowledged, which would also end those on which the other side has stopped
   * reading for so long. Under NIO that takes as long as the system lets it.
   */
  public void limitSilence(Bootstrap of, int seconds) {
    of.option(ChannelOption.SO_KEEPALIVE, true);
    if (this == EPOLL) {
      of.option(EpollChannelOption.TCP_KEEPIDLE, seconds)
          .option(EpollChannelOption.TCP_KEEPINTVL, Math.max(1, seconds / 2))
          .option(EpollChannelOption.TCP_KEEPCNT, 2);
    }
  }

  /** Its name in logs. */
  @Override
  public String toString() {
    return this == EPOLL ? "epoll" : "nio";
  }

  private static String reason() {
    Throwable cause = Epoll.unavailabilityCause();
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause.getMessage();
  }
}
