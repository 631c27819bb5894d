package io.gauss.compute.notify;

import java.util.ArrayList;
import java.util.List;

/**
 * The notifications of a transaction in the queue of a node that listens. Under the lock of {@link
 * Notifications}.
 */
final class Arrival {
  /** Of transactions without changes, which have no place among those that have. */
  static final long NO_CSN = Long.MAX_VALUE;

  enum State {
    /** It has not ended, or it is not known how. */
    OPEN,
    /** It has reserved its CSN on this node, and may be told when that is visible. */
    RESERVED,
    COMMITTED,
    ABORTED
  }

  final Key key;
  final long xid;
  final List<Notification> notifications = new ArrayList<>();
  long bytes;
  boolean isComplete;
  State state = State.OPEN;

  /** Its CSN, once it has one. */
  long csn;

  /** LSN that has to be visible, when it is {@link State#RESERVED}. */
  long lsn;

  /**
   * Names a transaction.
   *
   * @param slot of its node
   * @param epoch of that node's life, 0 for this one: it begins with the same tickets in the next
   * @param ticket of that node
   */
  record Key(int slot, int epoch, long ticket) {}

  Arrival(Key key, long xid) {
    this.key = key;
    this.xid = xid;
  }
}
