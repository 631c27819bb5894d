package io.gauss.memory.wire;

/**
 * Sends messages about pages, each once and in the order given for each receiver (rule 14).
 * Thread-safe; nothing blocks.
 */
public interface Outbox {

  /**
   * Takes over the message's bytes. What is said to a node that is gone is lost.
   *
   * @param epoch of the node; another process that has come in its place does not get it
   */
  void toCompute(int slot, int epoch, ToCompute message);

  /** To the home of the page, as this node knows it, or of the bucket that is named. */
  void toHome(int bucket, ToHome message);

  /**
   * Everything is said that one cause had to say. Whoever gathers messages into frames sends them
   * now.
   */
  default void flush() {}
}
