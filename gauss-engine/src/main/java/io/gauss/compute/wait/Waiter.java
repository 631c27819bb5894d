package io.gauss.compute.wait;

/** A session or a background task of the engine, as seen by the parts for which it waits. */
public interface Waiter {
  /** Whether it may wait, and for what. */
  Waits waits();
}
