package io.gauss.compute.pgwire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.runtime.Environment;
import io.gauss.common.transport.tcp.SocketIo;
import io.gauss.compute.session.Session;
import io.gauss.compute.session.StateTransfer;
import io.gauss.compute.session.message.MessageReader;
import io.gauss.compute.session.wire.ForwardLayout.Answer;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import java.net.InetAddress;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection of one client's session to the session that serves it on another node. It lives on
 * the event loop of the client's connection, to which everything here belongs.
 *
 * <p>It begins with a request over the channel between nodes, which returns a ticket; then the
 * connection is made, encrypted if the other node encrypts its clients' connections, and the ticket
 * is sent in place of a start-up packet. The answer is ReadyForQuery or an error.
 */
final class ForwardLink extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(ForwardLink.class);
  private static final int TICKET_BYTES = 24;

  /** After so long without a word the other node's system is asked whether it is there. */
  private static final int SILENT_SECONDS = 10;

  /** Between two looks whether a dead node is recovered. */
  private static final int RECOVERY_MILLIS = 20;

  /** So long what was sent before has the time to arrive, and one packet to be sent again. */
  private static final int LATER_MILLIS = 1000;

  private enum Stage {
    ASKING,
    ENCRYPTING,
    ENTERING,
    OPEN,
    CLOSED
  }

  private final Rerouting owner;
  private final Reroutes reroutes;
  private final int slot;
  private final int processId;
  private final StateTransfer transfer;
  private final InputBuffer input = new InputBuffer();
  private Stage stage = Stage.ASKING;
  private Answer ticket;
  private EventLoop loop;
  private Channel channel;

  /** The {@link Reroutes} has not been told yet how the attempt ended. */
  private boolean isAttempt = true;

  ForwardLink(Rerouting owner, Reroutes reroutes, int slot, Session session) {
    this.owner = owner;
    this.reroutes = reroutes;
    this.slot = slot;
    this.processId = session.processId();
    this.transfer = new StateTransfer(session);
  }

  int slot() {
    return slot;
  }

  StateTransfer transfer() {
    return transfer;
  }

  /** Whether transactions can be forwarded by it. */
  boolean isOpen() {
    return stage == Stage.OPEN;
  }

  /** Bytes that have arrived and were not taken yet. */
  InputBuffer input() {
    return input;
  }

  // ---------------------------------------------------------------- opening

  /** Makes the connection in the background; calls {@link Rerouting#notOpened} if that fails. */
  void open(Session session, String host, Channel client) {
    loop = client.eventLoop();
    reroutes.add(this);
    reroutes
        .forwarded()
        .ask(slot, session)
        .whenComplete(
            (answer, failure) ->
                loop.execute(
                    () -> {
                      if (failure != null) {
                        fail("its answer to the question for a session: " + failure);
                      } else if (answer == null) {
                        fail("it takes no sessions of other nodes now");
                      } else {
                        ticket = answer;
                        find(host, client);
                      }
                    }));
    loop.schedule(
        () -> {
          if (stage != Stage.OPEN) {
            fail("its session was not ready after " + reroutes.openMillis() + " ms");
          }
        },
        reroutes.openMillis(),
        TimeUnit.MILLISECONDS);
  }

  /** The host may be a name, and a name server may be slow: the event loop does not ask it. */
  private void find(String host, Channel client) {
    if (stage == Stage.CLOSED) {
      return;
    }
    reroutes
        .addresses()
        .find(host)
        .whenComplete(
            (address, failure) ->
                loop.execute(
                    () -> {
                      if (failure != null) {
                        fail("its host: " + failure);
                      } else {
                        connect(address, client);
                      }
                    }));
  }

  private void connect(InetAddress address, Channel client) {
    if (stage == Stage.CLOSED) {
      return;
    }
    SocketIo io = SocketIo.of(client);
    Bootstrap bootstrap = new Bootstrap().group(client.eventLoop()).channel(io.channel());
    io.limitSilence(bootstrap, SILENT_SECONDS);
    bootstrap
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, reroutes.openMillis())
        .option(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(256 << 10, 1 << 20))
        .handler(this)
        .connect(address, ticket.port())
        .addListener(
            done -> {
              if (!done.isSuccess()) {
                fail("the connection to its port for clients: " + done.cause());
              }
            });
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    if (stage == Stage.CLOSED) {
      context.close();
      return;
    }
    channel = context.channel();
    if (ticket.certificate().length > 0) {
      stage = Stage.ENCRYPTING;
      write(channel.alloc().buffer(8).writeInt(8).writeInt(PgProtocol.SSL_REQUEST));
      channel.flush();
    } else {
      enter();
    }
  }

  private void enter() {
    stage = Stage.ENTERING;
    write(
        channel
            .alloc()
            .buffer(TICKET_BYTES)
            .writeInt(TICKET_BYTES)
            .writeInt(PgProtocol.PASS_REQUEST)
            .writeLong(ticket.ticket())
            .writeLong(ticket.ticketEnd()));
    channel.flush();
  }

  private void fail(String why) {
    if (stage != Stage.CLOSED && stage != Stage.OPEN) {
      isAttempt = false;
      reroutes.failed(slot, why);
      close();
      owner.notOpened(this);
    }
  }

  // ---------------------------------------------------------------- what comes

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) throws SSLException {
    ByteBuf buffer = (ByteBuf) message;
    if (stage != Stage.CLOSED) {
      input.append(buffer);
    }
    buffer.release();
    switch (stage) {
      case ENCRYPTING -> {
        if (input.available() != 1 || input.byteAt(0) != 'S') {
          fail("it does not encrypt the connection as it said");
          return;
        }
        input.consume(1);
        context.pipeline().addFirst(ForwardTls.handler(ticket.certificate(), context.alloc()));
        enter();
      }
      case ENTERING -> entered();
      case OPEN -> owner.answered(this);
      case ASKING, CLOSED -> {
        // Nothing is expected, or it is not needed.
      }
    }
  }

  private void entered() {
    if (input.available() < 2 + PgProtocol.LENGTH_BYTES) {
      return;
    }
    if (input.byteAt(0) != PgProtocol.READY_FOR_QUERY) {
      if (input.available() >= 1 + input.intAt(1)) {
        refused(new ErrorFields(read(new MessageReader())).fatal());
      }
      return;
    }
    input.consume(2 + PgProtocol.LENGTH_BYTES);
    stage = Stage.OPEN;
    isAttempt = false;
    reroutes.opened(slot);
  }

  private void refused(GaussException why) {
    if (why != null && why.state() == SqlState.INVALID_AUTHORIZATION_SPECIFICATION) {
      // It is there, and does not know the role of this session (yet).
      isAttempt = false;
      reroutes.opened(slot);
      close();
      owner.notOpened(this);
    } else {
      fail("it refused the session: " + why);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (stage == Stage.OPEN) {
      lose(false);
    } else {
      fail("it closed the connection");
    }
  }

  private void lose(boolean isNodeLost) {
    close();
    owner.lost(this, isNodeLost);
  }

  /**
   * Has the other session end, which need not know that the connection is lost.
   *
   * @param then is told, on the event loop, whether it has ended, or its node is dead
   */
  void endOther(Consumer<Boolean> then) {
    new OtherSessionEnd(
            loop,
            slot,
            reroutes.forwarded()::has,
            asked -> reroutes.forwarded().end(slot, processId, asked),
            ticket,
            reroutes.patienceNanos(),
            then)
        .ask();
  }

  /**
   * Waits until the other node, which is dead, is recovered: its transactions are rolled back, and
   * have no locks any more; but no longer than for the end of a session.
   *
   * @param then is called on the event loop
   */
  void onceRecovered(Runnable then) {
    onceRecovered(then, Environment.nanoTime());
  }

  private void onceRecovered(Runnable then, long since) {
    if (!reroutes.isUnrecovered(slot)
        || Environment.nanoTime() - since >= reroutes.patienceNanos()) {
      then.run();
    } else {
      loop.schedule(() -> onceRecovered(then, since), RECOVERY_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /**
   * The same as {@link #endOther} for a client that has gone, once what was sent before has had the
   * time to arrive: that connection has been closed behind it, and the other session ends by itself
   * unless that is lost.
   */
  void endOtherLater() {
    loop.schedule(() -> endOther(isGone -> {}), LATER_MILLIS, TimeUnit.MILLISECONDS);
  }

  /**
   * The cluster has taken the other node for dead. Any thread. Nobody need have closed the
   * connection: a machine that has lost its power does not.
   */
  void nodeLost() {
    try {
      loop.execute(
          () -> {
            if (stage == Stage.OPEN) {
              lose(true);
            } else {
              fail("it is no member of the cluster any more");
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("a connection to slot {} outlives its server", slot);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (stage == Stage.OPEN) {
      LOG.info("the connection to a forwarded session of slot {} ends: {}", slot, cause.toString());
    }
    fail(String.valueOf(cause));
    context.close();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (context.channel().isWritable() && stage == Stage.OPEN) {
      owner.mayForward();
    }
  }

  // ---------------------------------------------------------------- for the owner

  /** Queues bytes for sending; {@link #flush} sends them. */
  void write(ByteBuf buffer) {
    channel.write(buffer, channel.voidPromise());
  }

  void write(byte[] array, int from, int count) {
    write(channel.alloc().buffer(count).writeBytes(array, from, count));
  }

  void flush() {
    channel.flush();
  }

  boolean isWritable() {
    return channel.isWritable();
  }

  /** Whether more answers are taken from the other node now. */
  void reads(boolean more) {
    channel.config().setAutoRead(more);
  }

  /** Reads the content of the complete message at the start of {@link #input}. */
  MessageReader read(MessageReader reader) {
    int body = input.start() + 1 + PgProtocol.LENGTH_BYTES;
    reader.wrap(input.array(), body, input.start() + 1 + input.intAt(1));
    return reader;
  }

  /** The other session ends with it; {@link Rerouting#lost} is not called. */
  void close() {
    stage = Stage.CLOSED;
    reroutes.remove(this);
    if (isAttempt) {
      isAttempt = false;
      reroutes.givenUp(slot);
    }
    if (channel != null) {
      channel.close();
    }
  }
}
