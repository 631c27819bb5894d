package io.gauss.compute.txn.wire;

import io.gauss.common.transport.MessageType;

/** Types of messages about transactions; numbers are given out in docs/protocols/transport.md. */
public final class TransactionMessages {
  /** Outcomes of transactions, as far as a snapshot has to know: {@link XidQuestionLayout}. */
  public static final MessageType XIDS = new MessageType(0x0501, "txn.xids");

  /** The final outcome of a transaction: {@link XidOutcomeLayout}. */
  public static final MessageType OUTCOME = new MessageType(0x0502, "txn.outcome");

  /** A wait for a row begins, is given up or over, or has a new state: {@link RowWaitLayout}. */
  public static final MessageType ROW_WAIT = new MessageType(0x0511, "txn.row.wait");

  public static final MessageType ROW_LEAVE = new MessageType(0x0512, "txn.row.leave");

  public static final MessageType ROW_STATE = new MessageType(0x0513, "txn.row.state");

  /** Edges of the wait-for graph, and the detector's results: {@link DeadlockLayout}. */
  public static final MessageType WAIT_REPORT = new MessageType(0x0521, "txn.wait.report");

  public static final MessageType WAIT_OVER = new MessageType(0x0522, "txn.wait.over");

  public static final MessageType WAIT_ASK = new MessageType(0x0523, "txn.wait.ask");

  public static final MessageType WAIT_STANDS = new MessageType(0x0524, "txn.wait.stands");

  public static final MessageType WAIT_KILL = new MessageType(0x0525, "txn.wait.kill");

  private TransactionMessages() {}
}
