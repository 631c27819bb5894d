package io.gauss.common.transport.tcp;

import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.link.FrameKeys;
import io.gauss.common.transport.link.FrameMac;
import io.gauss.common.transport.link.Loop;
import io.gauss.common.transport.link.MessageHeader;
import io.gauss.common.transport.link.MessageLayout;
import io.gauss.common.transport.link.NettyLoop;
import io.gauss.common.transport.link.Wire;
import io.gauss.common.transport.link.WireHandler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.zip.CRC32C;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLKeyException;
import javax.net.ssl.SSLSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection over TCP. Confined to its event loop, as {@link Wire} requires.
 *
 * <p>Headers and small payloads are gathered in one buffer, which is sent with the flush; a larger
 * payload follows without a copy, so that a header, a page and the next header are sent in one
 * system call.
 */
final class TcpWire extends ChannelInboundHandlerAdapter implements Wire, FrameReader.Sink {
  private static final Logger LOG = LoggerFactory.getLogger(TcpWire.class);

  /** Up to this size copying is cheaper than one more piece in the system call. */
  private static final int COPIED_PAYLOAD_BYTES = 512;

  private static final int GATHER_BYTES = 8 << 10;

  /** An unauthenticated other side cannot make this side allocate more. */
  private static final int MAX_HELLO_FRAME_BYTES = 8 << 10;

  /** How long a closing side waits for the other to read the reason. */
  private static final long LINGER_MILLIS = 1000;

  /** Of RFC 9266. */
  private static final String CHANNEL_LABEL = "EXPORTER-Channel-Binding";

  private static final int CHANNEL_BYTES = 32;

  private final SocketChannel channel;
  private final Loop loop;
  private final TransportTls tls;
  private final int maxPayloadBytes;
  private final StartingWires starting;
  private final Function<Wire, WireHandler> opener;
  private final FrameReader reader;
  private final CRC32C crc = new CRC32C();
  private FrameMac mac;
  private ByteBuf gathered;
  private WireHandler handler;
  private String closeReason;
  private boolean closing;
  private boolean heard;

  /**
   * @param tls null = not encrypted
   * @param starting bounds the connections that others have opened; null for one of this side
   * @param opener creates the handler once the channel is active
   */
  TcpWire(
      SocketChannel channel,
      TransportTls tls,
      int maxPayloadBytes,
      StartingWires starting,
      Function<Wire, WireHandler> opener) {
    this.channel = channel;
    this.loop = new NettyLoop(channel.eventLoop());
    this.tls = tls;
    this.maxPayloadBytes = maxPayloadBytes;
    this.starting = starting;
    this.opener = opener;
    this.reader = new FrameReader(channel.alloc(), MAX_HELLO_FRAME_BYTES, this);
    if (tls == null) {
      // With TLS the socket's bytes are not those of the messages.
      channel.config().setRecvByteBufAllocator(new FrameBuffers(reader::target));
    }
  }

  @Override
  public Loop loop() {
    return loop;
  }

  @Override
  public String remoteAddress() {
    return String.valueOf(channel.remoteAddress());
  }

  @Override
  public boolean isEncrypted() {
    return tls != null;
  }

  @Override
  public byte[] channel() {
    if (tls == null) {
      return NO_CHANNEL;
    }
    try {
      return ((ExtendedSSLSession) session())
          .exportKeyingMaterialData(CHANNEL_LABEL, new byte[0], CHANNEL_BYTES);
    } catch (SSLKeyException e) {
      throw new IllegalStateException("a message has come, so the keys have been agreed on", e);
    }
  }

  private SSLSession session() {
    return channel.pipeline().get(SslHandler.class).engine().getSession();
  }

  @Override
  public String objection(int node, NodeRole role) {
    return tls == null ? null : tls.objection(session(), node, role);
  }

  @Override
  public void established(FrameKeys keys) {
    started();
    // TLS authenticates what it encrypts.
    mac = tls != null ? null : keys.sent();
    reader.established(maxPayloadBytes, tls != null ? null : keys.received());
  }

  @Override
  public int headerBytes() {
    return MessageLayout.headerBytes(mac);
  }

  @Override
  public void write(MessageHeader header, ByteBuf payload) {
    if (closing || !channel.isActive()) {
      payload.release();
      return;
    }
    int bytes = payload.readableBytes();
    boolean copied = bytes <= COPIED_PAYLOAD_BYTES;
    int needed = headerBytes() + (copied ? bytes : 0);
    if (gathered != null && gathered.writableBytes() < needed) {
      writeGathered();
    }
    if (gathered == null) {
      gathered = channel.alloc().directBuffer(GATHER_BYTES, GATHER_BYTES);
    }
    MessageLayout.encode(header, gathered, payload, crc, mac);
    if (copied) {
      gathered.writeBytes(payload, payload.readerIndex(), bytes);
      payload.release();
    } else {
      writeGathered();
      writeToChannel(payload);
    }
  }

  private void writeGathered() {
    ByteBuf full = gathered;
    gathered = null;
    writeToChannel(full);
  }

  private void writeToChannel(ByteBuf bytes) {
    if (tls != null) {
      channel.write(bytes);
    } else {
      channel.write(bytes, channel.voidPromise());
    }
  }

  @Override
  public void flush() {
    if (gathered != null) {
      writeGathered();
    }
    channel.flush();
  }

  @Override
  public boolean writable() {
    return channel.isWritable();
  }

  @Override
  public long pendingBytes() {
    ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
    return buffer == null ? 0 : buffer.totalPendingWriteBytes();
  }

  @Override
  public void reading(boolean on) {
    if (closing) {
      return;
    }
    channel.config().setAutoRead(on);
    if (on) {
      loop.execute(
          () -> {
            if (channel.config().isAutoRead()) {
              reader.pause(false);
              batchEnded();
            }
          });
    } else {
      reader.pause(true);
    }
  }

  @Override
  public void close(String reason) {
    if (closing) {
      return;
    }
    closeReason = reason;
    flush();
    closing = true;
    reader.close();
    if (!channel.isActive()) {
      channel.close();
    } else if (tls != null) {
      channel.close();
    } else {
      lingeringClose();
    }
  }

  /**
   * Closing with unread input resets the connection, and the other side might never read the
   * reason. So only the sending direction is closed, and input is dropped until the other side
   * closes, or for a limited time.
   */
  private void lingeringClose() {
    channel.config().setAutoRead(true);
    channel
        .writeAndFlush(Unpooled.EMPTY_BUFFER)
        .addListener((ChannelFutureListener) written -> channel.shutdownOutput());
    channel.eventLoop().schedule(() -> channel.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    if (starting != null) {
      starting.add(this);
    }
    handler = opener.apply(this);
  }

  private void started() {
    if (starting != null) {
      starting.remove(this);
    }
  }

  /** Too many connections have no hello yet, and this one is the oldest. Any thread. */
  void giveUpStart() {
    loop.execute(
        () -> {
          if (closeReason == null) {
            closeReason = "too many connections had no hello yet";
          }
          channel.close(); // at once: it takes a file descriptor
        });
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    heard = true;
    ByteBuf in = (ByteBuf) message;
    if (closing) {
      in.release();
    } else {
      reader.read(in);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    batchEnded();
  }

  private void batchEnded() {
    if (handler != null && !closing) {
      handler.onBatchEnd();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (channel.isWritable() && handler != null && !closing) {
      handler.onWritable();
    }
  }

  @Override
  public void onMessage(MessageHeader header, ByteBuf payload, int frameBytes) {
    handler.onMessage(header, payload, frameBytes);
  }

  @Override
  public void onCorrupt(String reason) {
    handler.onCorrupt(reason);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (!(cause instanceof IOException || cause instanceof DecoderException)) {
      LOG.error("the connection with {} failed by a defect", remoteAddress(), cause);
    }
    if (closeReason == null) {
      closeReason = reason(cause);
    }
    channel.close();
  }

  /** The messages from the failure down to its cause: only there does TLS report what happened. */
  private static String reason(Throwable failure) {
    if (failure.getCause() instanceof NotSslRecordException
        || failure instanceof NotSslRecordException) {
      return "what came is not TLS"; // without all of the bytes, which its message has
    }
    Throwable outermost =
        failure instanceof DecoderException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    StringJoiner reason = new StringJoiner(": ");
    String last = null;
    for (Throwable each = outermost; each != null; each = each.getCause()) {
      String message = each.getMessage() == null ? each.toString() : each.getMessage();
      if (last == null || !last.contains(message)) {
        reason.add(message);
        last = message;
      }
    }
    return reason.toString();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    started();
    closing = true;
    reader.close();
    if (gathered != null) {
      gathered.release();
      gathered = null;
    }
    if (handler != null) {
      handler.onClosed(closeReason == null ? closedByOther() : closeReason);
    }
  }

  private String closedByOther() {
    boolean isOutgoing = starting == null;
    return isOutgoing && !heard && tls == null
        ? "the other side closed it without a word, as one does that wants encryption (peer.tls)"
        : "the other side closed it";
  }
}
