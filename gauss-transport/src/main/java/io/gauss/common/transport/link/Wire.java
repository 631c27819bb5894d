package io.gauss.common.transport.link;

import io.netty.buffer.ByteBuf;

/**
 * Carries messages in both directions, in order and each once, until it is closed. Used on its loop
 * only, except where the method says otherwise.
 */
public interface Wire extends WireEnds {
  byte[] NO_CHANNEL = {};

  Loop loop();

  /** Display text of the other end. Any thread. */
  String remoteAddress();

  /** Whether the two sides agree on keys before the first message. Any thread. */
  default boolean isEncrypted() {
    return false;
  }

  @Override
  default byte[] channel() {
    return NO_CHANNEL;
  }

  /**
   * The other side is authenticated: from now on it may send messages of any size allowed, and both
   * sides authenticate each message unless it cannot be changed on its way.
   *
   * @param keys for this connection
   */
  void established(FrameKeys keys);

  /** Bytes of a message's header as it is sent now. */
  default int headerBytes() {
    return MessageLayout.HEADER_BYTES;
  }

  /**
   * Appends a message; it is sent with the next {@link #flush} at the latest. Takes over the
   * payload; on a closed wire it is dropped.
   *
   * @param header copied
   */
  void write(MessageHeader header, ByteBuf payload);

  void flush();

  /** False while too many bytes wait to be sent; {@link WireHandler#onWritable} follows. */
  boolean writable();

  /** Bytes that wait to be sent. Any thread. */
  long pendingBytes();

  /** Sets whether the wire receives messages; while it does not, the sender is blocked. */
  void reading(boolean on);

  /**
   * Sends the written messages, then closes. {@link WireHandler#onClosed} follows, now or soon,
   * with this reason.
   */
  void close(String reason);
}
