package io.gauss.compute.txn.wire;

/** How a wait for a row of another node's transaction stands, as the segment's holder says. */
public sealed interface RowState {

  /**
   * Somebody has to end first.
   *
   * @param owner that transaction's wait number, for deadlock detection; 0 = nobody knows
   */
  record Waiting(long owner) implements RowState {}

  /** The transaction has ended. */
  sealed interface Over extends RowState {
    XidAnswer outcome();
  }

  /** It has ended, and other waiters come first. */
  record Ended(XidAnswer outcome) implements Over {}

  /**
   * It has ended, and it is this waiter's turn.
   *
   * @param passedBy how often the waiter has been passed by others
   */
  record Turn(XidAnswer outcome, int passedBy) implements Over {}

  /** The sender does not hold the segment: ask again who does. */
  record Again() implements RowState {}
}
