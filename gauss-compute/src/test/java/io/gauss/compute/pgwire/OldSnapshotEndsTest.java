package io.gauss.compute.pgwire;

import static io.gauss.compute.pgwire.WireMessages.query;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A transaction that keeps its snapshot for too long is ended, and undo is free for reuse. */
@Timeout(180)
class OldSnapshotEndsTest {
  private static final int MAX_AGE_SECONDS = 1;

  @RegisterExtension
  static final GaussNode NODE =
      new GaussNode(Map.of("snapshot.max-age", Integer.toString(MAX_AGE_SECONDS)));

  private static WireClient start() throws IOException {
    return WireClient.started(NODE.port(), "gauss");
  }

  @Test
  void aForgottenSnapshotEndsItsConnection() throws Exception {
    try (WireClient client = start()) {
      // At once: on a busy machine the second may be over before an answer is read.
      client.send(query("BEGIN ISOLATION LEVEL REPEATABLE READ"), query("SELECT 1"));
      String last = client.readUntilClosed();
      assertTrue(last.contains("FATAL 25P04 terminating connection because its snapshot"), last);
    }
    while (NODE.node().transactions().openSnapshots() > 0) {
      Thread.onSpinWait();
    }
  }

  @Test
  void aCursorCountsToo() throws Exception {
    try (WireClient client = start()) {
      client.send(
          query("BEGIN"),
          query("DECLARE c CURSOR FOR SELECT * FROM generate_series(1, 10)"),
          query("FETCH 1 FROM c"));
      String last = client.readUntilClosed();
      assertTrue(last.contains("FATAL 25P04"), last);
    }
  }

  /** Nothing is written meanwhile, so all its snapshots have the same clock value. */
  @Test
  void aSessionThatTakesNewSnapshotsAllTheTimeIsNotEnded() throws Exception {
    WireClient client = start();
    try {
      for (int i = 0; i < 2; i++) {
        Thread forgotten = Thread.ofPlatform().start(OldSnapshotEndsTest::forget);
        while (forgotten.isAlive()) {
          long began = System.nanoTime();
          String answer = client.query("SELECT pg_sleep(0.1)");
          if (!answer.contains("CommandComplete")) {
            long nanos = System.nanoTime() - began;
            assertTrue(nanos >= TimeUnit.SECONDS.toNanos(MAX_AGE_SECONDS), answer);
            client.close(); // the machine paused: that snapshot was too old
            client = start();
          }
        }
      }
    } finally {
      client.close();
    }
  }

  /** Returns when a snapshot has become too old. */
  private static void forget() {
    try (WireClient client = start()) {
      client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
      client.query("SELECT 1");
      client.readUntilClosed();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aStatementIsInterrupted() throws Exception {
    try (WireClient client = start()) {
      client.send(query("SELECT pg_sleep(60)"));
      String last = client.readUntilClosed();
      assertTrue(last.contains("25P04"), last);
      assertFalse(last.contains("CommandComplete"), last);
    }
  }
}
