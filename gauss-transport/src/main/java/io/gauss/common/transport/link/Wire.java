package io.gauss.common.transport.link;

import io.netty.buffer.ByteBuf;

/**
 * Carries messages in both directions, in order and each once, until it is closed. Used on its loop
 * only, except where the method says otherwise.
 */
public interface Wire {
  Loop loop();

  /** The other end, for people. Any thread. */
  String remoteAddress();

  /** Whether the two sides agree on keys before the first message gets through. Any thread. */
  default boolean isEncrypted() {
    return false;
  }

  /** The other side is authenticated: from now on it may send messages of any size allowed. */
  void established();

  /**
   * Appends a message; it leaves with the next {@link #flush} at the latest. Takes over the
   * payload; on a closed wire it is dropped.
   *
   * @param header copied
   */
  void write(MessageHeader header, ByteBuf payload);

  void flush();

  /** False while more is waiting to leave than is good; {@link WireHandler#onWritable} follows. */
  boolean writable();

  /** Bytes that wait to leave. Any thread. */
  long pendingBytes();

  /** Whether the wire takes messages in; while it does not, the sender is held up. */
  void reading(boolean on);

  /**
   * Sends what was written, then closes. {@link WireHandler#onClosed} follows, now or soon, with
   * this reason.
   */
  void close(String reason);
}
