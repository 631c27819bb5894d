package io.gauss.compute.engine;

import io.gauss.compute.mtr.EngineContext;

/**
 * Checks an invariant over the whole engine. Tests, fuzzers, crash runs and the view {@code
 * gauss.store_check} share the same ones.
 *
 * <p>Nobody writes rows of user tables, and purge rests, while one runs. Other writing continues in
 * a node that serves clients: catalog rows, sequences, transaction ends. A checker copes with that
 * by itself, and what it finds to be wrong is wrong.
 */
public interface Checker {

  String name();

  /**
   * @throws IllegalStateException naming what is broken and where
   */
  void check(EngineContext ctx);
}
