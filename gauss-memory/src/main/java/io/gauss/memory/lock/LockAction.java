package io.gauss.memory.lock;

/** A message from the home of a lock to a node, identified by its epoch. */
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
   * Other nodes request conflicting modes: the node must not give these modes to further
   * transactions, and must give them back as soon as no transaction uses them.
   *
   * @param modes set of modes
   * @param upTo number of the youngest lease meant; to be repeated in the release
   */
  record Recall(int epoch, int modes, long upTo) implements LockAction {}

  /**
   * No node requests conflicting modes any more: the node keeps the modes it has not given back
   * yet.
   */
  record Keep(int epoch, int modes) implements LockAction {}
}
