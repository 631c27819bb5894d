package io.gauss.common.transport.link;

import io.gauss.common.error.SqlState;
import io.gauss.common.id.Lsn;
import io.gauss.common.transport.EpochGuard;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.RemoteNode;
import io.gauss.common.transport.TransportConfig;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * One connection, either side: hello, stamps (law 7, clocks travel), pings, closing. Confined to
 * its wire's loop.
 *
 * <p>States: hello, up, closed; only in this order.
 */
abstract class Link implements WireHandler {
  static final Logger LOG = LoggerFactory.getLogger("io.gauss.common.transport");

  final LinkEnvironment environment;
  final TransportConfig config;
  final Wire wire;

  private final boolean outgoing;
  private final Handshake handshake;
  private final MessageHeader out = new MessageHeader();
  private final Runnable flush = this::flushNow;
  private boolean up;
  private boolean inOrder;
  private boolean closed;
  private boolean inBatch;
  private boolean unflushed;
  private boolean flushScheduled;
  private RemoteNode remote;
  private String closeReason;
  private SqlState refusal;
  private long lastReceivedNanos;
  private long tickDueNanos;
  private long lastSentNanos;
  private boolean paused;
  private Loop.Timer timer;

  Link(LinkEnvironment environment, Wire wire, Handshake handshake, boolean outgoing) {
    this.environment = environment;
    this.config = environment.config();
    this.wire = wire;
    this.handshake = handshake;
    this.outgoing = outgoing;
    this.lastReceivedNanos = wire.loop().nanoTime();
    environment.meters().opened();
  }

  /** The hello is over and messages may be sent. */
  abstract void onUp();

  /** Handles a message that the link does not handle itself. Takes over the payload. */
  abstract void onDispatch(MessageHeader header, ByteBuf payload);

  /**
   * The connection is gone, whether or not it was ever up.
   *
   * @param refused the SQLSTATE with which one side refused the hello; null otherwise
   */
  abstract void onDown(String reason, SqlState refused);

  final boolean isUp() {
    return up && !closed;
  }

  final RemoteNode remote() {
    return remote;
  }

  /** Starts the timer for the hello; the connecting side sends its hello. */
  final void begin() {
    timer = wire.loop().schedule(this::helloTimedOut, helloTimeout().toNanos());
    if (outgoing) {
      sendHello(MessageKind.HELLO, handshake.hello());
    }
  }

  private Duration helloTimeout() {
    return config.settings().helloTimeout(wire.isEncrypted());
  }

  private void helloTimedOut() {
    if (!up && !closed) {
      close("the hello took longer than " + helloTimeout());
    }
  }

  private void sendHello(int kind, byte[] payload) {
    out.set(kind, 0, 0);
    out.version = MessageLayout.HELLO_VERSION;
    stamp();
    wire.write(out, Unpooled.wrappedBuffer(payload));
    wire.flush();
  }

  /** Sends a message with the next flush. Takes over the payload. */
  final void send(
      int kind, int type, long requestId, int remainingMicros, int argument, ByteBuf payload) {
    out.set(kind, type, requestId);
    out.version = handshake.version();
    out.remainingMicros = remainingMicros;
    out.argument = argument;
    stamp();
    lastSentNanos = wire.loop().nanoTime();
    environment.meters().sent(wire.headerBytes() + payload.readableBytes());
    wire.write(out, payload);
    unflushed = true;
    if (!inBatch && !flushScheduled) {
      scheduleFlush();
    }
  }

  private void scheduleFlush() {
    flushScheduled = true;
    try {
      wire.loop().execute(flush);
    } catch (RejectedExecutionException e) {
      // The loop has ended: nothing will be sent after this message.
      flushNow();
    }
  }

  /**
   * The clock is read at sending, so it is at or above its value when the content was created (rule
   * 3).
   */
  private void stamp() {
    out.node = config.self().node();
    out.epoch = config.self().epoch().getAsInt();
    out.clock = config.self().clock().now();
  }

  /** Runs the action, followed by one flush. */
  final void batch(Runnable action) {
    if (inBatch) {
      action.run();
      return;
    }
    inBatch = true;
    try {
      action.run();
    } finally {
      endBatch();
    }
  }

  private void flushNow() {
    flushScheduled = false;
    if (unflushed && !closed) {
      unflushed = false;
      wire.flush();
    }
  }

  @Override
  public final void onBatchEnd() {
    // Bytes arrived, if not yet a whole message: a large message on a slow line is not silence.
    lastReceivedNanos = wire.loop().nanoTime();
    endBatch();
  }

  private void endBatch() {
    inBatch = false;
    if (unflushed && !closed) {
      unflushed = false;
      wire.flush();
    }
  }

  @Override
  public final void onMessage(MessageHeader header, ByteBuf payload, int frameBytes) {
    if (closed) {
      payload.release();
      return;
    }
    inBatch = true;
    lastReceivedNanos = wire.loop().nanoTime();
    environment.meters().received(frameBytes);
    if (!up) {
      onHello(header, payload);
    } else if (admit(header)) {
      dispatch(header, payload);
    } else {
      payload.release();
    }
  }

  private void onHello(MessageHeader header, ByteBuf payload) {
    byte[] bytes;
    try {
      bytes = ByteBufUtil.getBytes(payload);
    } finally {
      payload.release();
    }
    if (!MessageKind.isHello(header.kind) || header.version != MessageLayout.HELLO_VERSION) {
      refuse(
          new Handshake.Refuse(
              SqlState.PROTOCOL_VIOLATION,
              "message %d of version %d before the hello".formatted(header.kind, header.version)));
      return;
    }
    switch (handshake.onMessage(header.kind, bytes)) {
      case Handshake.Send send -> {
        if (send.done()) {
          // This happens before the other side can know that it is connected.
          config.self().clock().observe(handshake.remoteClock());
        }
        sendHello(send.kind(), send.payload());
        if (send.done()) {
          becomeUp();
        }
      }
      case Handshake.Done _ -> becomeUp();
      case Handshake.Refuse refuse -> refuse(refuse);
      case Handshake.Refused refused -> {
        refusal = refused.state();
        closeWire("the other side refused: " + refused.reason());
      }
    }
  }

  private void refuse(Handshake.Refuse refuse) {
    // In that case the other side's epoch is dead.
    refusal = refuse.state() == EpochGuard.DEAD ? SqlState.CONNECTION_REJECTED : refuse.state();
    if (refuse.challenge() != null) {
      sendHello(MessageKind.CHALLENGE, refuse.challenge());
    }
    sendHello(MessageKind.REFUSE, FailureLayout.encode(refuse.state(), refuse.reason()));
    closeWire("refused: " + refuse.reason());
  }

  private void becomeUp() {
    up = true;
    wire.established(handshake.frameKeys());
    remote = handshake.remote();
    config.self().clock().observe(handshake.remoteClock());
    timer.cancel();
    scheduleTick();
    environment.connected(remote, outgoing);
    LOG.atLevel(level(Level.INFO))
        .log("{} {} at {}", outgoing ? "connected to" : "accepted", remote, wire.remoteAddress());
    onUp();
  }

  /** Checks law 7, and the rules that an authenticated node must obey. */
  private boolean admit(MessageHeader header) {
    if (header.version != handshake.version()) {
      close("message of version " + header.version + ", agreed was " + handshake.version());
    } else if (header.node != remote.node()) {
      close("message of node " + header.node + " on the connection of " + remote);
    } else if (!config.guard().alive(header.node, header.epoch)) {
      close("epoch %d of %s is dead".formatted(header.epoch, remote));
    } else if (!raiseClock(header.clock)) {
      close(
          "clock %s of %s cannot be right, this one is at %s"
              .formatted(
                  Lsn.toString(header.clock), remote, Lsn.toString(config.self().clock().now())));
    } else {
      return true;
    }
    return false;
  }

  private boolean raiseClock(long lsn) {
    long now = config.self().clock().now();
    if (lsn > now) {
      if (Lsn.counter(lsn) - Lsn.counter(now) > config.settings().maxClockJump()) {
        return false;
      }
      config.self().clock().observe(lsn);
    }
    return lsn >= 0;
  }

  private void dispatch(MessageHeader header, ByteBuf payload) {
    switch (header.kind) {
      case MessageKind.PING -> payload.release();
      case MessageKind.GOODBYE -> {
        FailureLayout.Failure failure = FailureLayout.decode(payload);
        payload.release();
        inOrder = failure.state() == SqlState.ADMIN_SHUTDOWN;
        closeWire("closed by the other side: " + failure.message());
      }
      default -> onDispatch(header, payload);
    }
  }

  /** At multiples of the interval, so that a loop wakes once for all its connections. */
  private void scheduleTick() {
    long interval = config.settings().pingInterval().toNanos();
    long now = wire.loop().nanoTime();
    tickDueNanos = now + interval - Math.floorMod(now, interval);
    timer = wire.loop().schedule(this::tick, tickDueNanos - now);
  }

  /** Sets whether messages are received; silence counts only while they are. */
  final void reading(boolean on) {
    if (paused == on) {
      paused = !on;
      lastReceivedNanos = wire.loop().nanoTime();
      wire.reading(on);
    }
  }

  /**
   * Each side sends something once per interval and expects the same of the other: there are no
   * answers to pings, since a side that receives nothing for a while could not send them.
   *
   * <p>A tick that is late by an interval or more shows that this side was paused: messages that
   * the other side sent meanwhile may not have been received. The next tick judges the other side's
   * silence.
   */
  private void tick() {
    if (closed) {
      return;
    }
    long now = wire.loop().nanoTime();
    long silent = now - lastReceivedNanos;
    boolean stoodStill = now - tickDueNanos >= config.settings().pingInterval().toNanos();
    if (!paused && !stoodStill && silent >= config.settings().pingTimeout().toNanos()) {
      close("nothing came for " + silent / 1_000_000 + " ms");
      return;
    }
    // Nearly: the tick before may have been a little late.
    long quiet = config.settings().pingInterval().toNanos() * 7 / 8;
    if (now - lastSentNanos >= quiet && wire.writable()) {
      send(MessageKind.PING, 0, 0, 0, 0, Unpooled.EMPTY_BUFFER);
    }
    scheduleTick();
  }

  @Override
  public final void onCorrupt(String reason) {
    close(reason);
  }

  /** Sends the other side the reason, and closes. */
  final void close(String reason) {
    close(SqlState.CONNECTION_FAILURE, reason);
  }

  /** The connection is no longer needed: informs the other side, and closes. */
  final void closeInOrder(String reason) {
    inOrder = true;
    close(SqlState.ADMIN_SHUTDOWN, reason);
  }

  private void close(SqlState state, String reason) {
    if (closed) {
      return;
    }
    if (up) {
      send(MessageKind.GOODBYE, 0, 0, 0, 0, FailureLayout.encodeBuffer(state, reason));
    }
    closeWire(reason);
  }

  private void closeWire(String reason) {
    if (closeReason == null) {
      closeReason = reason;
      wire.close(reason);
      finish();
    }
  }

  @Override
  public final void onClosed(String reason) {
    if (closeReason == null) {
      closeReason = reason;
    }
    finish();
  }

  private void finish() {
    if (closed) {
      return;
    }
    closed = true;
    timer.cancel();
    environment.meters().closed();
    if (up) {
      LOG.atLevel(level(inOrder ? Level.INFO : Level.WARN))
          .log("connection with {} at {} ended: {}", remote, wire.remoteAddress(), closeReason);
      environment.disconnected(remote, outgoing, closeReason);
    } else if (!outgoing) {
      environment.refused(wire.remoteAddress(), closeReason, wire.loop().nanoTime());
    }
    onDown(closeReason, refusal);
  }

  /** A tool sends a query and disconnects, which is not worth logging. */
  private Level level(Level otherwise) {
    boolean tool = config.self().role() == NodeRole.TOOL || remote.role() == NodeRole.TOOL;
    return tool ? Level.DEBUG : otherwise;
  }
}
