package io.gauss.compute.pgwire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.runtime.ArrivalSet;
import io.gauss.common.runtime.Environment;
import io.gauss.common.task.Later;
import io.gauss.common.transport.tcp.SocketIo;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.session.SessionFactory;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for PostgreSQL clients. Threads: one acceptor event loop shared with {@code eventLoops}
 * connection event loops (Netty, see {@link SocketIo}), which must never block; see {@link
 * PgConnection}. Thread-safe.
 */
public final class PgServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PgServer.class);

  /** Connections without a session, in addition to one for each session. */
  private static final int SPARE_CONNECTIONS = 10;

  /** How long sessions may take to end, and then those whose commits are not durable. */
  private static final int END_SECONDS = 5;

  private static final int LAST_SECONDS = 1;

  private final Settings settings;
  private final SessionFactory sessions;
  private final LogBuffer log;
  private final Credentials credentials;
  private final Tls tls;
  private final AnswerGate gate;
  private final Reroutes reroutes;
  private final RefusedLogins refusedLogins;

  /** Changed under its lock, together with {@link #forwarded}. */
  private final Set<PgConnection> admitted = new ArrivalSet<>();

  /** The connections without a session, oldest first; guarded by itself. */
  private final Set<PgConnection> starting = new LinkedHashSet<>();

  /** The admitted connections that serve clients of other nodes. */
  private final Set<PgConnection> forwarded = new ArrivalSet<>();

  /** All connections, also those that have no session yet. */
  private final Set<PgConnection> connected = new ArrivalSet<>();

  private final CompletableFuture<Void> drained = new CompletableFuture<>();
  private volatile boolean isDraining;
  private volatile SessionThreads threads = SessionThreads.VIRTUAL;
  private final EventLoopGroup loops;
  private final Channel listener;

  /**
   * @param address interface to listen on
   * @param port TCP port; 0 lets the system choose
   * @param maxConnections sessions past this are refused with 53300
   * @param reservedConnections so many of them are for superusers only
   * @param maxStarting connections without a session; one more closes the oldest of them
   * @param eventLoops number of event loop threads
   * @param authenticationTimeoutSeconds a connection that has not started a session by then is
   *     closed
   * @param tlsRequired clients that do not encrypt are refused
   */
  public record Settings(
      InetAddress address,
      int port,
      int maxConnections,
      int reservedConnections,
      int maxStarting,
      int eventLoops,
      int authenticationTimeoutSeconds,
      boolean tlsRequired) {}

  /**
   * Starts to listen.
   *
   * @param tls null = requests for encryption are declined
   * @param reroutes forwards transactions to other nodes; null = none is forwarded
   * @throws GaussException 58030 when the port is not available
   */
  public PgServer(
      Settings settings,
      SessionFactory sessions,
      LogBuffer log,
      Credentials credentials,
      Tls tls,
      AnswerGate gate,
      Reroutes reroutes) {
    this.reroutes = reroutes;
    this.refusedLogins = new RefusedLogins(sessions::loginRefused);
    this.gate = gate;
    this.credentials = credentials;
    this.tls = tls;
    this.settings = settings;
    this.sessions = sessions;
    this.log = log;
    SocketIo io = SocketIo.best();
    this.loops =
        new MultiThreadIoEventLoopGroup(
            settings.eventLoops(), new DefaultThreadFactory("gauss-client"), io.handlers());
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(loops)
            .channel(io.serverChannel())
            .option(ChannelOption.SO_REUSEADDR, true)
            .option(ChannelOption.SO_BACKLOG, 1024)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
            .childOption(
                ChannelOption.RCVBUF_ALLOCATOR, new AdaptiveRecvByteBufAllocator(512, 2048, 65536))
            .childOption(
                ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(256 << 10, 1 << 20))
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    channel.pipeline().addLast(new PgConnection(PgServer.this));
                  }
                });
    try {
      this.listener =
          bootstrap
              .bind(new InetSocketAddress(settings.address(), settings.port()))
              .syncUninterruptibly()
              .channel();
    } catch (RuntimeException | Error e) {
      stopLoops();
      throw e;
    } catch (Exception e) {
      // Netty throws the BindException itself, undeclared.
      stopLoops();
      throw new GaussException(
          SqlState.IO_ERROR,
          "could not listen on %s port %d: %s"
              .formatted(settings.address().getHostAddress(), settings.port(), e.getMessage()),
          e);
    }
    LOG.info(
        "listening on {} port {} ({}, {} event loops)",
        settings.address().getHostAddress(),
        port(),
        io,
        settings.eventLoops());
  }

  public int port() {
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  public int connections() {
    return admitted.size();
  }

  /** Connections whose answers wait for the {@link AnswerGate}. */
  int held() {
    return (int) admitted.stream().filter(connection -> connection.answers().isHeld()).count();
  }

  /** Admitted connections that are in this state now. */
  int count(ConnectionState state) {
    return (int) admitted.stream().filter(connection -> connection.state() == state).count();
  }

  Settings settings() {
    return settings;
  }

  /** Null when transactions are not forwarded to other nodes. */
  Reroutes reroutes() {
    return reroutes;
  }

  SessionFactory sessions() {
    return sessions;
  }

  SessionThreads threads() {
    return threads;
  }

  /** Sets where sessions get their threads from now on. */
  void threads(SessionThreads from) {
    threads = from;
  }

  Credentials credentials() {
    return credentials;
  }

  RefusedLogins refusedLogins() {
    return refusedLogins;
  }

  /** Null when there is no encryption. */
  Tls tls() {
    return tls;
  }

  LogBuffer log() {
    return log;
  }

  AnswerGate gate() {
    return gate;
  }

  /**
   * Counts a connection that has not sent anything yet. Those without a session are bounded apart,
   * so that nobody takes sessions without a password. Too many of them cost the oldest its place,
   * and not the newest: one that authenticates is quicker than those that only hold a place.
   *
   * @return false when there are too many, because those that lost their places are not closed yet:
   *     each takes a file descriptor
   */
  boolean connected(PgConnection connection) {
    long most = 2L * settings.maxConnections() + 2L * settings.maxStarting() + SPARE_CONNECTIONS;
    connected.add(connection);
    if (connected.size() > most) {
      return false;
    }
    PgConnection oldest = null;
    synchronized (starting) {
      starting.add(connection);
      if (starting.size() > settings.maxStarting()) {
        Iterator<PgConnection> first = starting.iterator();
        oldest = first.next();
        first.remove();
      }
    }
    if (oldest != null) {
      oldest.giveUpStart();
    }
    return true;
  }

  /** The connection has a session now. */
  void started(PgConnection connection) {
    synchronized (starting) {
      starting.remove(connection);
    }
  }

  /** Called for each connection that was counted, whether it was admitted or not. */
  void disconnected(PgConnection connection) {
    connected.remove(connection);
    started(connection);
  }

  /**
   * Admits a client that has proved who it is.
   *
   * @throws GaussException 53300 when there are too many, 57P03 when this node is being drained
   */
  void admit(PgConnection connection, boolean superuser) {
    if (!isDraining) {
      takePlace(connection, superuser);
    }
    if (isDraining) {
      connectionClosed(connection);
      throw new GaussException(
          SqlState.CANNOT_CONNECT_NOW, "this node is being drained and takes no more connections");
    }
  }

  /** Whoever is refused is never counted: others would be refused because of that. */
  private void takePlace(PgConnection connection, boolean superuser) {
    synchronized (admitted) {
      int free = settings.maxConnections() - (admitted.size() - forwarded.size());
      if (free <= 0) {
        throw new GaussException(SqlState.TOO_MANY_CONNECTIONS, "sorry, too many clients already");
      }
      if (!superuser && free <= settings.reservedConnections()) {
        throw new GaussException(
            SqlState.TOO_MANY_CONNECTIONS,
            "remaining connection slots are reserved for non-replication superuser connections");
      }
      admitted.add(connection);
    }
  }

  /**
   * Admits a connection that another node has made for one of its clients. There may be as many of
   * them as of this node's own clients.
   */
  void admitForwarded(PgConnection connection) {
    boolean isFull;
    synchronized (admitted) {
      isFull = forwarded.size() >= settings.maxConnections();
      if (!isFull) {
        forwarded.add(connection);
        admitted.add(connection);
      }
    }
    if (isFull || isDraining) {
      connectionClosed(connection);
      throw new GaussException(
          SqlState.CANNOT_CONNECT_NOW, "this node takes no more transactions of other nodes");
    }
  }

  void connectionClosed(PgConnection connection) {
    synchronized (admitted) {
      forwarded.remove(connection);
      admitted.remove(connection);
    }
    if (isDraining && admitted.isEmpty()) {
      drained.complete(null);
    }
  }

  /**
   * Refuses new connections with 57P03, and ends each session with 57P01 as soon as it is idle
   * outside a transaction, or when the grace is over. The port stays open, so that clients hear why
   * they are refused.
   *
   * @return completes when no session is left
   */
  public CompletableFuture<Void> drain(Duration grace) {
    isDraining = true; // first: connections admitted from now on see it, all others are found here
    admitted.forEach(PgConnection::retire);
    Future<?> end =
        Later.run(
            grace.toMillis(),
            TimeUnit.MILLISECONDS,
            () -> admitted.forEach(PgConnection::terminate));
    drained.whenComplete((done, failure) -> end.cancel(false));
    if (admitted.isEmpty()) {
      drained.complete(null);
    }
    return drained;
  }

  /**
   * Stops listening, ends every session with 57P01 and waits a few seconds for them to go. A commit
   * that is not durable by then is answered as not known: nobody could answer it later.
   */
  @Override
  public void close() {
    isDraining = true; // whoever is about to log in is refused
    listener.close().syncUninterruptibly();
    connected.forEach(PgConnection::terminate);
    awaitGone(END_SECONDS);
    connected.forEach(PgConnection::giveUpLog);
    awaitGone(LAST_SECONDS);
    stopLoops();
  }

  private void awaitGone(int seconds) {
    long deadline = Environment.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (!connected.isEmpty() && Environment.nanoTime() - deadline < 0) {
      Environment.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  private void stopLoops() {
    loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).syncUninterruptibly();
  }
}
