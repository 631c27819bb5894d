package io.gauss.compute.engine;

import io.gauss.compute.mtr.EngineContext;

/**
 * Checks an invariant over the whole engine. Tests, fuzzers, crash runs and the view {@code
 * gauss.store_check} share the same ones.
 *
 * <p>While one runs, rows of user tables are not written, and purge rests. Other writes continue on
 * a node that serves clients: catalog rows, sequences, transaction ends. A checker has to cope with
 * them itself; whatever it reports is really broken.
 */
public interface Checker {

  String name();

  /**
   * @throws IllegalStateException naming what is broken and where
   */
  void check(EngineContext ctx);
}
