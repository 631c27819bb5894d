package io.gauss.compute.wait;

/** A session or a background task of the engine, as that which it waits for sees it. */
public interface Waiter {
  /** Whether it may wait, and for what. */
  Waits waits();
}
