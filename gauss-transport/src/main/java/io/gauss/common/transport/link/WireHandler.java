package io.gauss.common.transport.link;

import io.netty.buffer.ByteBuf;

/** What a wire tells its connection, on the loop. */
public interface WireHandler {
  /**
   * A message with a right checksum. The handler takes over the payload.
   *
   * @param header reused after the call
   * @param frameBytes size on the wire, for metrics
   */
  void onMessage(MessageHeader header, ByteBuf payload, int frameBytes);

  /**
   * What came makes no sense, and nothing after it can be understood. The handler closes the wire.
   *
   * @param reason for people
   */
  void onCorrupt(String reason);

  /** No more messages for now: the time to flush. */
  void onBatchEnd();

  /** The wire may be written to again. */
  void onWritable();

  /** The wire is gone; once, and the last call. */
  void onClosed(String reason);
}
