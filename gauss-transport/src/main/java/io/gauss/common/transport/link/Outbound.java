package io.gauss.common.transport.link;

import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.TransportException;
import io.netty.buffer.ByteBuf;

/** An outgoing message of a peer. Confined to the peer's loop once it is submitted. */
abstract class Outbound {
  final MessageType type;
  final int bytes;

  /** On the loop's clock, as is the deadline. */
  final long startNanos;

  final long deadlineNanos;

  private final boolean hasDeadline;
  private ByteBuf payload;
  private boolean finished;
  long id;

  /**
   * @param startNanos when it was submitted
   * @param deadlineNanos 0 = none, when {@code hasDeadline} is false
   */
  Outbound(
      MessageType type, ByteBuf payload, long startNanos, boolean hasDeadline, long deadlineNanos) {
    this.type = type;
    this.startNanos = startNanos;
    this.payload = payload;
    this.bytes = payload.readableBytes();
    this.hasDeadline = hasDeadline;
    this.deadlineNanos = deadlineNanos;
  }

  abstract int kind();

  /** The header's argument. */
  int argument() {
    return 0;
  }

  /** True when the caller no longer waits, so that it need not be sent. */
  abstract boolean abandoned();

  /** Informs the waiting caller. Called on any thread when the loop has ended. */
  abstract void fail(TransportException failure);

  /** A reply; takes over the payload. */
  void reply(ByteBuf reply) {
    reply.release();
    throw new IllegalStateException(type + " takes no reply");
  }

  /** One item of a stream; takes over the payload. False when this accepts no items. */
  boolean item(ByteBuf item) {
    item.release();
    return false;
  }

  /** The end of a stream. False when this is not a stream. */
  boolean end() {
    return false;
  }

  final boolean hasDeadline() {
    return hasDeadline;
  }

  /** True when the deadline has passed. */
  final boolean late(long nowNanos) {
    return hasDeadline && deadlineNanos - nowNanos <= 0;
  }

  /** Remaining time for the header: at least 1 when there is a deadline. */
  final int remainingMicros(long nowNanos) {
    if (!hasDeadline) {
      return 0;
    }
    long micros = (deadlineNanos - nowNanos) / 1000;
    return (int) Math.max(1, Math.min(micros, 0xFFFF_FFFFL));
  }

  /** The payload, for sending: from here on it belongs to the caller. */
  final ByteBuf takePayload() {
    ByteBuf taken = payload;
    payload = null;
    return taken;
  }

  final boolean sent() {
    return payload == null;
  }

  final void releasePayload() {
    if (payload != null) {
      payload.release();
      payload = null;
    }
  }

  /** True the first time. */
  final boolean finish() {
    boolean first = !finished;
    finished = true;
    return first;
  }
}
