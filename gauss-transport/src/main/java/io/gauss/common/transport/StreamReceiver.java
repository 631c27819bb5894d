package io.gauss.common.transport;

import io.netty.buffer.ByteBuf;

/** The receiving end of a stream of replies. Called on the peer's event loop; must not block. */
public interface StreamReceiver {
  /**
   * One item, in the order sent. The buffer belongs to the transport, which releases it when this
   * returns; a receiver that needs it longer retains it. Its credit is returned only by {@link
   * StreamCall#consumed}.
   */
  void onItem(StreamCall call, ByteBuf item);

  /**
   * The stream is over; called once, as the last call.
   *
   * @param failure null when the sender ended it normally
   */
  void onEnd(StreamCall call, TransportException failure);
}
