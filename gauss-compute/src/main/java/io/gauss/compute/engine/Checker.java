package io.gauss.compute.engine;

/**
 * Checks an invariant over the whole engine; tests, fuzzers and crash runs share the same ones.
 * Runs while nobody writes.
 */
public interface Checker {

  String name();

  /**
   * @throws IllegalStateException naming what is broken and where
   */
  void check(EngineContext ctx);
}
