package io.gauss.compute.pgwire;

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
import java.util.concurrent.TimeUnit;
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
  private static final int CONNECT_MILLIS = 1000;
  private static final int OPEN_MILLIS = 2000;
  private static final int TICKET_BYTES = 24;

  private enum Stage {
    ASKING,
    ENCRYPTING,
    ENTERING,
    OPEN,
    CLOSED
  }

  private final Rerouting owner;
  private final int slot;
  private final StateTransfer transfer;
  private final InputBuffer input = new InputBuffer();
  private Stage stage = Stage.ASKING;
  private Answer ticket;
  private Channel channel;

  ForwardLink(Rerouting owner, int slot, Session session) {
    this.owner = owner;
    this.slot = slot;
    this.transfer = new StateTransfer(session);
  }

  int slot() {
    return slot;
  }

  StateTransfer transfer() {
    return transfer;
  }

  /** Bytes that have arrived and were not taken yet. */
  InputBuffer input() {
    return input;
  }

  // ---------------------------------------------------------------- opening

  /** Calls {@link Rerouting#opened} or {@link Rerouting#notOpened}, later. */
  void open(Reroutes reroutes, Session session, String host, Channel client) {
    EventLoop loop = client.eventLoop();
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
                        connect(answer, host, client);
                      }
                    }));
    loop.schedule(
        () -> {
          if (stage != Stage.OPEN) {
            fail("its session was not ready after " + OPEN_MILLIS + " ms");
          }
        },
        OPEN_MILLIS,
        TimeUnit.MILLISECONDS);
  }

  private void connect(Answer answer, String host, Channel client) {
    if (stage == Stage.CLOSED) {
      return;
    }
    ticket = answer;
    new Bootstrap()
        .group(client.eventLoop())
        .channel(SocketIo.of(client).channel())
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.SO_KEEPALIVE, true)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
        .option(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(256 << 10, 1 << 20))
        .handler(this)
        .connect(host, answer.port())
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
      close();
      owner.notOpened(this, why);
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
      fail("it refused the session");
      return;
    }
    input.consume(2 + PgProtocol.LENGTH_BYTES);
    stage = Stage.OPEN;
    owner.opened(this);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (stage == Stage.OPEN) {
      stage = Stage.CLOSED;
      owner.lost(this);
    } else {
      fail("it closed the connection");
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
    if (channel != null) {
      channel.close();
    }
  }
}
