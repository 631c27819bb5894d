package io.gauss.compute.txn.wire;

/**
 * The state of a wait for a row of another node's transaction, as the segment's holder reports it.
 */
public sealed interface RowState {

  /**
   * Another transaction has to end first.
   *
   * @param owner that transaction's wait number, for deadlock detection; 0 = unknown
   */
  record Waiting(long owner) implements RowState {}

  /** The transaction has ended, with this outcome: kind and value as in XidQuestionLayout. */
  sealed interface Over extends RowState {
    int kind();

    long value();
  }

  /** It has ended, and other waiters come first. */
  record Ended(int kind, long value) implements Over {}

  /**
   * It has ended, and it is this waiter's turn.
   *
   * @param passedBy how often the waiter has been passed by others
   */
  record Turn(int kind, int passedBy, long value) implements Over {}

  /** The sender does not hold the segment: find out again which node does. */
  record Again() implements RowState {}
}
