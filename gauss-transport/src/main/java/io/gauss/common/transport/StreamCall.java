package io.gauss.common.transport;

/** An open call whose answer is a stream. Thread-safe. */
public interface StreamCall {
  /**
   * Returns the credit of one item, so that more may be sent; once per item.
   *
   * @param payloadBytes readable bytes of the item as it arrived
   */
  void consumed(int payloadBytes);

  /**
   * Ends the stream from this side; {@link StreamReceiver#onEnd} follows with reason CANCELLED. No
   * item is delivered after this returns if it is called on the event loop; otherwise one may be
   * under way.
   */
  void cancel();
}
