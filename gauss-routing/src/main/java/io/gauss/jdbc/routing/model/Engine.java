package io.gauss.jdbc.routing.model;

/** Computes a model's network. Thread-safe. */
public interface Engine extends AutoCloseable {
  /**
   * @param input as {@link FeatureEncoder} fills it; not changed
   * @param output gets for each range of page groups the probability that it is touched, 0 to 1
   * @throws IllegalStateException after {@link #close}, or when the engine fails
   */
  void infer(float[] input, float[] output);

  /** For users and metrics: {@code java} or {@code djl}. */
  String name();

  /** Releases the engine's memory outside of the heap. Waits for running calls. */
  @Override
  void close();
}
