package io.gauss.jdbc.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.cluster.NodeHealth.State;
import io.gauss.jdbc.routing.ClusterNode;
import java.util.List;
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

  private static ClusterNode node(int number) {
    return new ClusterNode(number, "n" + number, 1, ClusterNode.State.UP, 0);
  }

  @Test
  void aNodeThatIsBackGetsItsShareSlowly() {
    Balance balance = new Balance(60);
    balance.look(List.of(node(1)), false, 0);
    for (int i = 0; i < 6; i++) {
      balance.arrived(node(1));
    }
    assertNull(balance.target(node(1), 0));
    balance.look(List.of(node(1), node(2)), false, SECOND);
    assertNull(balance.target(node(1), 5 * SECOND), "it has just come back");
    long now = 7 * SECOND;
    balance.look(List.of(node(1), node(2)), false, now);
    for (int i = 0; i < 3; i++) {
      assertEquals(node(2), balance.target(node(1), now));
      balance.moved(node(1), node(2));
      assertNull(balance.target(node(1), now + 9 * SECOND), "one in ten seconds");
      now += 10 * SECOND;
    }
    assertNull(balance.target(node(1), now), "three on each");
    balance.left(node(2));
    assertNull(balance.target(node(1), now), "one more is no reason to move");
  }

  @Test
  void withoutACatalogOfNodesConnectionsBelongToTheFirstOfTheUrl() {
    Balance balance = new Balance(10);
    balance.arrived(node(2));
    balance.look(List.of(node(1), node(2)), true, 0);
    balance.look(List.of(node(1), node(2)), true, SECOND);
    assertEquals(node(1), balance.target(node(2), SECOND));
    balance.moved(node(2), node(1));
    assertNull(balance.target(node(1), 20 * SECOND));
  }

  @Test
  void nobodyIsMovedWhereThatIsSwitchedOff() {
    Balance balance = new Balance(0);
    balance.arrived(node(2));
    balance.look(List.of(node(1), node(2)), true, 0);
    balance.look(List.of(node(1), node(2)), true, SECOND);
    assertNull(balance.target(node(2), SECOND));
  }
}
