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

  /**
   * Another node requests a conflicting mode, now or not at all: the node gives back what no
   * transaction uses, and answers with {@link NodeLockTransitions.Message.Probed}.
   *
   * @param asker epoch of the other node
   * @param request its number for the request
   */
  record Probe(int epoch, int asker, long request) implements LockAction {}

  /**
   * The request was for now, and others have the lock.
   *
   * @param request the node's number for it
   */
  record Deny(int epoch, long request) implements LockAction {}
}
