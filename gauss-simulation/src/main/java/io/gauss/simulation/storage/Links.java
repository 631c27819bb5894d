package io.gauss.simulation.storage;

/** The connections between storage nodes, as far as their groups use them. Thread-safe. */
@FunctionalInterface
public interface Links {
  /** Every node reaches every other. */
  Links WHOLE = (from, to) -> true;

  /** Whether what a node sends now reaches another one. */
  boolean reach(int from, int to);
}
