package io.gauss.compute.pgwire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.fault.FaultPoints;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The contract, kept by Gauss. */
class GaussNotificationsTest extends NotificationsContract {
  @RegisterExtension static final GaussNode NODE = new GaussNode();

  @Override
  WireServer server() {
    return NODE;
  }

  /** The block goes on from its savepoint; nobody may wait for the commit that has failed. */
  @Test
  @Timeout(60)
  void aCommitThatFailsBehindASavepointHoldsUpNobody() throws IOException {
    WireClient sender = start();
    WireClient listener = start();
    sender.query("CREATE TABLE stalled (id int)");
    listener.query("LISTEN stalled");
    sender.query("BEGIN");
    sender.query("INSERT INTO stalled VALUES (1)");
    sender.query("NOTIFY stalled, 'first'");
    sender.query("SAVEPOINT s");
    try (var refused = FaultPoints.arm("txn.pending", GaussNotificationsTest::refuse)) {
      String answer = sender.query("COMMIT");
      assertTrue(answer.contains("57P03"), answer);
    }
    WireClient another = start();
    another.query("NOTIFY stalled, 'meanwhile'");
    assertEquals(
        "NotificationResponse stalled by " + another.processId() + ": meanwhile", listener.read(1));
    start().query("LISTEN stalled");
    sender.query("ROLLBACK TO s");
    sender.query("COMMIT");
    assertEquals(
        "NotificationResponse stalled by " + sender.processId() + ": first", listener.read(1));
    sender.query("DROP TABLE stalled");
  }

  private static void refuse() {
    throw new GaussException(SqlState.CANNOT_CONNECT_NOW, "the log does not answer");
  }
}
