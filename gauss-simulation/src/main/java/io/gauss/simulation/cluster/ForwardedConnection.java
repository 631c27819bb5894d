package io.gauss.simulation.cluster;

import io.gauss.common.error.SqlState;
import io.gauss.compute.session.CommitScan;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A client's connection to a node that forwards its transactions to another one. When that one is
 * lost, the first group of a transaction is run by the client's node, if nothing can have been
 * committed by the product's {@link CommitScan}; else the client is told what that says.
 *
 * <p>BEGIN runs on the client's node, and the block goes with the first statement in it.
 */
final class ForwardedConnection {
  /** Errors that say something about their node, and nothing about the statement. */
  private static final Set<SqlState> OF_THE_NODE =
      Set.of(
          SqlState.INSUFFICIENT_RESOURCES,
          SqlState.DISK_FULL,
          SqlState.OUT_OF_MEMORY,
          SqlState.ADMIN_SHUTDOWN,
          SqlState.CRASH_SHUTDOWN,
          SqlState.CANNOT_CONNECT_NOW,
          SqlState.IO_ERROR);

  private static final Answer BEGUN = Answer.of(List.of(), "BEGIN");

  private final ClientConnection to;
  private final Supplier<ClientConnection> connectsHere;
  private final CommitScan scan = new CommitScan();

  /** Null as long as nothing has run on the client's node but BEGIN. */
  private ClientConnection here;

  /** A block has begun of which nothing has left yet. */
  private boolean isFresh;

  /**
   * @param to the connection between the nodes
   * @param connectsHere connects to the client's node, when that runs something; null = it is lost,
   *     too
   */
  ForwardedConnection(ClientConnection to, Supplier<ClientConnection> connectsHere) {
    this.to = to;
    this.connectsHere = connectsHere;
  }

  /** Whether the client has no connection any more. */
  boolean isBroken() {
    return here == null ? to.isBroken() : here.isBroken();
  }

  /** Whether the session is in a block. */
  boolean inBlock() {
    return isFresh || (here == null ? to.inBlock() : here.inBlock());
  }

  /** Number of the node that has given the last answer; 0 = it says nothing of a node. */
  int answeredBy() {
    return isFresh ? 0 : (here == null ? to : here).number();
  }

  Answer query(String text) {
    if (here != null) {
      return here.query(text);
    }
    if (text.equals("BEGIN") && !inBlock()) {
      isFresh = true;
      return BEGUN;
    }
    boolean isFirst = !to.inBlock();
    boolean takesBlock = isFresh;
    scan.begin(inBlock());
    scan.runs(text);
    isFresh = false;
    if (takesBlock) {
      Answer begun = to.query("BEGIN");
      if (!begun.succeeded()) {
        return again(true, text);
      }
    }
    Answer answer = to.query(text);
    boolean isOfTheNode = isFirst && !answer.succeeded() && OF_THE_NODE.contains(answer.error());
    if (answer.connected() && !isOfTheNode) {
      return answer;
    }
    if (isFirst && !scan.mayCommit() && !scan.hasEffects()) {
      return again(takesBlock, text);
    }
    return answer.connected() ? answer : lost();
  }

  /** The transaction begins again, on the client's node, where the session stays. */
  private Answer again(boolean inBlock, String text) {
    to.close();
    here = connectsHere.get();
    if (here == null) {
      return Answer.LOST;
    }
    Answer begun = inBlock ? here.query("BEGIN") : BEGUN;
    return begun.succeeded() ? here.query(text) : begun;
  }

  private Answer lost() {
    return Answer.failed(
        scan.mayCommit() ? SqlState.TRANSACTION_RESOLUTION_UNKNOWN : SqlState.SERIALIZATION_FAILURE,
        "the compute node, which had the transaction, is lost",
        false);
  }

  /** The client ends; the connection between the nodes is closed by who has made it. */
  void close() {
    if (here != null) {
      here.close();
    }
  }
}
