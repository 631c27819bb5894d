package io.gauss.compute.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which sessions are ended because of their snapshots, with simulated time. */
class OldSnapshotsTest {
  private static final class Session implements OldSnapshots.Holder {
    private long snapshot;
    private GaussException ended;
    private int endings;

    @Override
    public int processId() {
      return 7;
    }

    @Override
    public long oldestSnapshot() {
      return snapshot;
    }

    @Override
    public void terminate(GaussException why) {
      ended = why;
      endings++;
    }
  }

  private final List<Session> sessions = new ArrayList<>();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private long now = 5;

  private OldSnapshots limit(Duration limit) {
    return new OldSnapshots(sessions, limit, () -> now, registry);
  }

  private Session session(long snapshot) {
    Session session = new Session();
    session.snapshot = snapshot;
    sessions.add(session);
    return session;
  }

  private void pass(Duration time, OldSnapshots old) {
    now += time.toNanos();
    old.run();
  }

  @Test
  void aSessionThatKeepsItsSnapshotForTooLongIsEnded() {
    OldSnapshots old = limit(Duration.ofSeconds(10));
    Session forgotten = session(100);
    Session without = session(0);
    old.run();
    pass(Duration.ofSeconds(9), old);
    assertNull(forgotten.ended);
    pass(Duration.ofSeconds(1), old);
    assertEquals(SqlState.TRANSACTION_TIMEOUT, forgotten.ended.state());
    pass(Duration.ofSeconds(60), old);
    assertEquals(1, forgotten.endings, "once");
    assertNull(without.ended);
    assertEquals(1, registry.get("gauss.txn.snapshots.ended").counter().count());
  }

  @Test
  void aNewSnapshotCountsAnew() {
    OldSnapshots old = limit(Duration.ofSeconds(10));
    Session busy = session(100);
    for (int i = 0; i < 30; i++) {
      old.run();
      pass(Duration.ofSeconds(9), old);
      busy.snapshot++;
    }
    busy.snapshot = 0;
    old.run();
    pass(Duration.ofSeconds(60), old);
    assertNull(busy.ended);
  }

  @Test
  void withoutALimitNoneIsEnded() {
    OldSnapshots old = limit(Duration.ZERO);
    Session forgotten = session(100);
    old.run();
    pass(Duration.ofDays(40), old);
    assertNull(forgotten.ended);
  }
}
