package io.gauss.jdbc.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.gauss.jdbc.routing.ClusterNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BalanceTest {
  private static final ClusterNode FIRST = node(1);
  private static final ClusterNode OTHER = node(2);

  private static final long SECOND = 1_000_000_000L;
  private static final Cluster.Idle SESSION = idleNanos -> {};

  private final Balance balance = new Balance(10);
  private final List<Cluster.Idle> sessions = new ArrayList<>();

  private static ClusterNode node(int number) {
    return new ClusterNode(number, "host", number, ClusterNode.State.UP, Double.NaN);
  }

  @BeforeEach
  void bothNodesHaveBeenThereForLong() {
    look(0);
    look(2);
  }

  private void look(int seconds) {
    balance.look(List.of(FIRST, OTHER), false, seconds * SECOND);
  }

  private Seat arrive(ClusterNode node) {
    Cluster.Idle session = idleNanos -> {};
    sessions.add(session);
    return balance.arrived(node, session);
  }

  private ClusterNode target() {
    look(3);
    return balance.target(FIRST, 20 * SECOND);
  }

  @Test
  void aSessionMovesFromTheNodeThatHasTwoMore() {
    arrive(FIRST);
    assertNull(target());
    arrive(FIRST);
    assertEquals(OTHER, target());
  }

  @Test
  void aSessionThatIsClosedDoesNotCount() {
    arrive(FIRST);
    Seat closed = arrive(FIRST);
    balance.left(closed);
    assertFalse(balance.left(closed));
    assertNull(target());
  }

  @Test
  void aSessionThatIsForgottenDoesNotCount() {
    Seat kept = arrive(FIRST);
    Seat forgotten = arrive(FIRST);
    forgotten.enqueue(); // as the garbage collector does
    assertEquals(1, balance.forget());
    assertEquals(0, balance.forget());
    assertNull(target());
    assertEquals(List.of(kept.get()), balance.sessions());
  }

  @Test
  void aSessionThatIsClosedIsNotForgottenAsWell() {
    Seat closed = arrive(FIRST);
    balance.left(closed);
    closed.enqueue();
    assertEquals(0, balance.forget());
    balance.moved(closed, OTHER);
    assertEquals(List.of(), balance.sessions());
  }

  @Test
  void aNodeThatIsBackGetsItsShareSlowly() {
    Balance balance = new Balance(60);
    balance.look(List.of(node(1)), false, 0);
    List<Seat> seats = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      seats.add(balance.arrived(node(1), SESSION));
    }
    assertNull(balance.target(node(1), 0));
    balance.look(List.of(node(1), node(2)), false, SECOND);
    assertNull(balance.target(node(1), 5 * SECOND), "it has just come back");
    long now = 7 * SECOND;
    balance.look(List.of(node(1), node(2)), false, now);
    for (int i = 0; i < 3; i++) {
      assertEquals(node(2), balance.target(node(1), now));
      balance.moved(seats.get(i), node(2));
      assertNull(balance.target(node(1), now + 9 * SECOND), "one in ten seconds");
      now += 10 * SECOND;
    }
    assertNull(balance.target(node(1), now), "three on each");
    balance.left(seats.get(0));
    assertNull(balance.target(node(1), now), "one more is no reason to move");
  }

  @Test
  void withoutACatalogOfNodesConnectionsBelongToTheFirstOfTheUrl() {
    Balance balance = new Balance(10);
    Seat seat = balance.arrived(node(2), SESSION);
    balance.look(List.of(node(1), node(2)), true, 0);
    balance.look(List.of(node(1), node(2)), true, SECOND);
    assertEquals(node(1), balance.target(node(2), SECOND));
    balance.moved(seat, node(1));
    assertNull(balance.target(node(1), 20 * SECOND));
  }

  @Test
  void nobodyIsMovedWhereThatIsSwitchedOff() {
    Balance balance = new Balance(0);
    balance.arrived(node(2), SESSION);
    balance.look(List.of(node(1), node(2)), true, 0);
    balance.look(List.of(node(1), node(2)), true, SECOND);
    assertNull(balance.target(node(2), SECOND));
  }
}
