package io.gauss.simulation.cluster;

import io.gauss.common.error.SqlState;
import io.gauss.compute.session.CommitScan;

/**
 * A client's connection to a node that forwards its session to another one, and keeps it there.
 * When that one is lost, the client is told by the product's {@link CommitScan} whether it may have
 * committed something.
 */
final class ForwardedConnection {
  private final ClientConnection to;
  private final CommitScan scan = new CommitScan();

  /**
   * @param to the connection between the nodes
   */
  ForwardedConnection(ClientConnection to) {
    this.to = to;
  }

  Answer query(String text) {
    scan.begin(to.inBlock());
    scan.runs(text);
    Answer answer = to.query(text);
    return answer == Answer.LOST
        ? Answer.failed(
            scan.mayCommit()
                ? SqlState.TRANSACTION_RESOLUTION_UNKNOWN
                : SqlState.CONNECTION_FAILURE,
            "the compute node, which had the transaction, is lost",
            false)
        : answer;
  }
}
