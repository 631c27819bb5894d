package io.gauss.common.transport.link;

import io.netty.buffer.ByteBuf;

/** Events of a wire for its connection, on the loop. */
public interface WireHandler {
  /**
   * A message with a valid checksum. The handler takes over the payload.
   *
   * @param header reused after the call
   * @param frameBytes size on the wire, for metrics
   */
  void onMessage(MessageHeader header, ByteBuf payload, int frameBytes);

  /**
   * Corrupt bytes were received, and nothing after them can be interpreted. The handler closes the
   * wire.
   *
   * @param reason display text
   */
  void onCorrupt(String reason);

  /** No more messages for now: time to flush. */
  void onBatchEnd();

  /** The wire may be written to again. */
  void onWritable();

  /** The wire is gone; called once, as the last call. */
  void onClosed(String reason);
}
