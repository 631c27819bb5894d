package io.gauss.jdbc.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.cluster.NodeHealth.State;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What is found out about a node, and where connections that stay belong. */
class NodeHealthTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private static NodeHealth in(State state) {
    return switch (state) {
      case UNPROVEN -> NodeHealth.UNPROVEN;
      case UP -> NodeHealth.UP;
      case SUSPECT -> NodeHealth.UP.broke();
      case FULL -> NodeHealth.UP.refused(0);
      case DOWN -> NodeHealth.UP.probeFailed();
    };
  }

  /** The table of the class's comment. */
  @Test
  void everyEventInEveryState() {
    for (State state : State.values()) {
      NodeHealth health = in(state);
      assertSame(state, health.state());
      assertSame(State.UP, health.connected().state());
      assertSame(State.FULL, health.refused(0).state());
      assertSame(State.DOWN, health.probeFailed().state());
      State broken =
          switch (state) {
            case UP, SUSPECT, FULL -> State.SUSPECT;
            case UNPROVEN, DOWN -> state;
          };
      assertSame(broken, health.broke().state());
      assertEquals(state == State.UP, health.takesNew());
      assertEquals(state == State.SUSPECT || state == State.DOWN, health.isSuspect());
      assertEquals(state != State.UNPROVEN && state != State.DOWN, health.isUsed());
    }
  }

  /** Or connections that are broken would be used, since a login was a little too early. */
  @Test
  void aLoginThatBeganBeforeSomethingBrokeProvesNothing() {
    for (State begun : State.values()) {
      for (State now : State.values()) {
        boolean hasBroken = in(now).isSuspect() && !in(begun).isSuspect();
        assertSame(hasBroken ? now : State.UP, in(now).connectedSince(in(begun)).state());
      }
    }
  }

  @Test
  void refusalsAreAskedLaterEachTimeAndAllAtOnceCountOnce() {
    NodeHealth full = NodeHealth.UP.refused(0);
    assertFalse(full.wantsProbe(0));
    assertSame(full, full.refused(1));
    long now = 0;
    long before = 0;
    for (int i = 0; i < 20; i++) {
      long wait = full.untilNanos() - now;
      assertTrue(wait >= before && wait <= 32 * SECOND, "" + wait);
      before = wait;
      now = full.untilNanos();
      assertTrue(full.wantsProbe(now));
      full = full.refused(now);
    }
    assertEquals(32 * SECOND, before);
    assertEquals(1, full.connected().refused(now).refusals());
  }
}
