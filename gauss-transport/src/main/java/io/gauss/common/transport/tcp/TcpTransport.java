package io.gauss.common.transport.tcp;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.link.BaseTransport;
import io.gauss.common.transport.link.Dialer;
import io.gauss.common.transport.link.LinkEnvironment;
import io.gauss.common.transport.link.Loop;
import io.gauss.common.transport.link.NettyLoop;
import io.gauss.common.transport.link.Wire;
import io.gauss.common.transport.link.WireHandler;
import io.gauss.common.transport.local.LocalConnection;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A node's transport over TCP. Thread-safe. */
public final class TcpTransport extends BaseTransport {
  private static final Logger LOG = LoggerFactory.getLogger(TcpTransport.class);
  private static final int BACKLOG = 1024;

  /**
   * Many times as many as a cluster has nodes; each takes up to 100 KB while keys are agreed on.
   */
  private static final int MAX_STARTING = 512;

  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(256 << 10, 1 << 20);

  private final TcpOptions options;
  private final HostLookup hosts;
  private final EventLoopGroup loops;
  private final StartingWires starting = new StartingWires(MAX_STARTING);
  private final List<Channel> listening = new CopyOnWriteArrayList<>();

  /**
   * Starts the event loops.
   *
   * @throws GaussException 0A000 when epoll is requested and not available
   */
  public TcpTransport(TransportConfig config, TcpOptions options) {
    this(config, options, new HostLookup(InetAddress::getByName));
  }

  TcpTransport(TransportConfig config, TcpOptions options, HostLookup hosts) {
    super(new LinkEnvironment(config, () -> ThreadLocalRandom.current().nextDouble()));
    this.options = options;
    this.hosts = hosts;
    this.loops =
        new MultiThreadIoEventLoopGroup(
            options.eventLoops(),
            new DefaultThreadFactory("gauss-net-" + config.self().node(), true),
            options.io().handlers());
  }

  @Override
  protected Loop nextLoop() {
    return new NettyLoop(loops.next());
  }

  @Override
  protected Dialer dialer() {
    return this::dial;
  }

  private ChannelInitializer<SocketChannel> initializer(
      boolean outgoing, Function<Wire, WireHandler> opener) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(SocketChannel channel) {
        if (options.tls() != null) {
          channel.pipeline().addLast(options.tls().handler(outgoing, channel.alloc()));
        }
        channel
            .pipeline()
            .addLast(
                new TcpWire(
                    channel,
                    options.tls(),
                    environment().config().settings().maxPayloadBytes(),
                    outgoing ? null : starting,
                    opener));
      }
    };
  }

  private int pingTimeoutMillis() {
    return (int) environment().config().settings().pingTimeout().toMillis();
  }

  @Override
  protected NodeAddress bind(NodeAddress address, Handlers handlers) {
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(loops)
            .channel(options.io().serverChannel())
            .option(ChannelOption.SO_REUSEADDR, true)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
            .childHandler(initializer(false, wire -> accept(wire, handlers)));
    if (options.io() == SocketIo.EPOLL) {
      // A side that is not reading cannot otherwise notice that its own bytes are no longer
      // acknowledged.
      bootstrap.childOption(EpollChannelOption.TCP_USER_TIMEOUT, pingTimeoutMillis());
    }
    Channel channel;
    try {
      channel =
          bootstrap
              .bind(new InetSocketAddress(address.host(), address.port()))
              .syncUninterruptibly()
              .channel();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Exception e) {
      // Netty throws the BindException itself, undeclared.
      throw new GaussException(
          SqlState.IO_ERROR,
          "could not listen for nodes on %s: %s".formatted(address, e.getMessage()),
          e);
    }
    listening.add(channel);
    if (options.process() != null) {
      options
          .process()
          .add(
              (InetSocketAddress) channel.localAddress(),
              new NodesOfProcess.Listener(
                  self().node(), this::nextLoop, wire -> accept(wire, handlers)));
    }
    NodeAddress bound =
        new NodeAddress(address.host(), ((InetSocketAddress) channel.localAddress()).getPort());
    LOG.info(
        "{} listens for nodes on {} ({}{})",
        self(),
        bound,
        options.io(),
        options.tls() == null ? "" : ", TLS");
    return bound;
  }

  private void dial(Loop loop, NodeAddress address, Dialer.Outcome outcome) {
    EventLoop eventLoop = (EventLoop) ((NettyLoop) loop).executor();
    CompletableFuture<InetAddress> found = hosts.find(address.host());
    if (found.isDone() && !found.isCompletedExceptionally()) {
      dial(eventLoop, new InetSocketAddress(found.join(), address.port()), outcome);
      return;
    }
    found.whenComplete(
        (host, failure) -> {
          try {
            eventLoop.execute(
                () -> {
                  if (failure == null) {
                    dial(eventLoop, new InetSocketAddress(host, address.port()), outcome);
                  } else {
                    outcome.failed("no address is found: " + failure.getMessage());
                  }
                });
          } catch (RejectedExecutionException e) {
            LOG.debug("{} was looked up while this transport closed", address);
          }
        });
  }

  /** On the event loop, as {@link Dialer.Outcome} requires. */
  private void dial(EventLoop eventLoop, InetSocketAddress address, Dialer.Outcome outcome) {
    NodesOfProcess process = options.process();
    NodesOfProcess.Listener near = process == null ? null : process.find(address);
    if (near == null) {
      dialTcp(eventLoop, address, outcome);
      return;
    }
    LocalConnection.dial(
        new LocalConnection.End(
            self().node(), new NettyLoop(eventLoop), self() + " in this process"),
        new LocalConnection.End(near.node(), near.loop().get(), address + " in this process"),
        wire -> {
          process.connected();
          return near.accept().apply(wire);
        },
        outcome);
  }

  private void dialTcp(EventLoop eventLoop, InetSocketAddress address, Dialer.Outcome outcome) {
    Bootstrap bootstrap =
        new Bootstrap()
            .group(eventLoop)
            .channel(options.io().channel())
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.SO_KEEPALIVE, true)
            .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
            .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
            .option(
                ChannelOption.CONNECT_TIMEOUT_MILLIS,
                (int) environment().config().settings().connectTimeout().toMillis())
            .handler(initializer(true, outcome::opened));
    if (options.io() == SocketIo.EPOLL) {
      bootstrap.option(EpollChannelOption.TCP_USER_TIMEOUT, pingTimeoutMillis());
    }
    bootstrap
        .connect(address)
        .addListener(
            (ChannelFutureListener)
                connected -> {
                  if (!connected.isSuccess()) {
                    outcome.failed(connected.cause().getMessage());
                  }
                });
  }

  @Override
  protected void stopListening() {
    for (Channel channel : listening) {
      if (options.process() != null) {
        options.process().remove((InetSocketAddress) channel.localAddress());
      }
      channel.close().syncUninterruptibly();
    }
  }

  @Override
  protected void stopLoops() {
    loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).syncUninterruptibly();
  }
}
