package io.gauss.memory.wire;

/**
 * Sends messages about pages, each once and in the order given for each receiver (rule 14).
 * Thread-safe; nothing blocks.
 */
public interface Outbox {

  /**
   * Takes over the message's bytes. Messages to a node that is gone are lost.
   *
   * @param epoch of the node; another process that has taken its slot does not get the message
   */
  void toCompute(int slot, int epoch, ToCompute message);

  /** Sends to the home of the page, as this node knows it, or of the named bucket. */
  void toHome(int bucket, ToHome message);

  /**
   * All messages with the same cause have been handed over. An outbox that gathers messages into
   * frames sends them now.
   */
  default void flush() {}
}
