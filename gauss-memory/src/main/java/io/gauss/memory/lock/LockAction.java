package io.gauss.memory.lock;

/** What the home of a lock tells a node, by its epoch. */
public sealed interface LockAction {
  int epoch();

  /**
   * The request is granted: the node has the mode on lease.
   *
   * @param request the node's number for it
   * @param number of the lease
   */
  record Grant(int epoch, long request, LockMode mode, long number) implements LockAction {}

  /**
   * Others want what conflicts with these modes: give them no more, and give them back as soon as
   * nobody uses them.
   *
   * @param modes set of modes
   * @param upTo number of the youngest lease meant; to be told when giving back
   */
  record Recall(int epoch, int modes, long upTo) implements LockAction {}

  /** Nobody wants these modes any more: keep what has not been given back yet. */
  record Keep(int epoch, int modes) implements LockAction {}
}
