package io.gauss.compute.notify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.notify.NotifyNodes.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Notifications between nodes, message by message. */
@Timeout(60)
class NotificationsTest {
  private static final long QUEUE_BYTES = 64 << 10;
  private static final long XID = 77;

  private final NotifyNodes nodes = new NotifyNodes(QUEUE_BYTES);

  private static Listener session(int pid) {
    return new Listener(() -> pid, () -> {});
  }

  private static List<Notification> told(String... payloads) {
    List<Notification> all = new ArrayList<>();
    for (String payload : payloads) {
      all.add(new Notification(1, "a", payload));
    }
    return all;
  }

  private void settle() {
    boolean isQuiet = false;
    while (!isQuiet) {
      isQuiet = true;
      for (Node node : nodes.live.values()) {
        for (int from : node.senders()) {
          node.deliver(from);
          isQuiet = false;
        }
      }
    }
  }

  private Listener listening(Node node) {
    Listener listener = session(node.slot);
    CompletableFuture<Void> known = node.notifications.listen(listener, List.of("a"));
    settle();
    assertTrue(known.isDone());
    node.notifications.listens(listener, List.of("a"));
    return listener;
  }

  private static List<String> taken(Node node, Listener listener) {
    node.notifications.look();
    return node.notifications.take(listener, Long.MAX_VALUE).stream()
        .map(Notification::payload)
        .toList();
  }

  private void commit(Node node, Publication publication, long xid) {
    assertTrue(publication.ready().isDone());
    node.notifications.reserved(publication, node.reserve(xid));
  }

  // ---------------------------------------------------------------- one after the other

  @Test
  void sessionsOfAllNodesAreToldWhenTheTransactionIsVisible() {
    Node one = nodes.start(1);
    Node two = nodes.start(2);
    Listener here = listening(one);
    Listener there = listening(two);
    Publication publication = one.notifications.publish(XID, 1, told("x", "y"));
    assertFalse(publication.ready().isDone());
    settle();
    commit(one, publication, XID);
    settle();
    assertEquals(List.of(), taken(one, here));
    assertEquals(List.of(), taken(two, there));
    one.force();
    settle();
    assertEquals(List.of("x", "y"), taken(one, here));
    assertEquals(List.of("x", "y"), taken(two, there));
    assertEquals(0, one.notifications.state().queueBytes());
    assertEquals(0, two.notifications.state().queueBytes());
  }

  @Test
  void transactionsThatNobodyHearsWaitForNobodyAndNeedNoXid() {
    Node one = nodes.start(1);
    Node two = nodes.start(2);
    settle();
    Publication publication = one.notifications.publish(0, 1, told("x"));
    assertTrue(publication.ready().isDone());
    one.notifications.reserved(publication, 0);
    assertEquals(List.of(), two.senders());
  }

  @Test
  void transactionsThatOtherNodesHearNeedAnXid() {
    Node one = nodes.start(1);
    listening(nodes.start(2));
    assertTrue(one.notifications.isHeardElsewhere(told("x")));
    assertNull(one.notifications.publish(0, 1, told("x")));
  }

  @Test
  void abortedTransactionsAreNotTold() {
    Node one = nodes.start(1);
    Node two = nodes.start(2);
    Listener there = listening(two);
    Publication publication = one.notifications.publish(XID, 1, told("x"));
    settle();
    one.notifications.abandon(publication);
    settle();
    assertEquals(List.of(), taken(two, there));
    assertEquals(0, two.notifications.state().queueBytes());
    assertEquals(0, two.notifications.state().undecided());
  }

  @Test
  void nothingIsKeptOfListensThatWereGivenUpOrRepeated() {
    Node one = nodes.start(1);
    Node two = nodes.start(2);
    settle();
    Publication slow = one.notifications.publish(0, 1, told("x"));
    Listener listener = session(2);
    for (int i = 0; i < 100; i++) {
      CompletableFuture<Void> known = two.notifications.listen(listener, List.of("a"));
      settle();
      assertFalse(known.isDone());
      known.cancel(false);
      two.notifications.unlisten(listener, List.of("a"));
      settle();
      assertTrue(one.notifications.waiting() <= 4, "answers to be given");
      assertTrue(two.notifications.waiting() <= 2, "LISTENs that wait");
    }
    CompletableFuture<Void> known = two.notifications.listen(listener, List.of("a"));
    settle();
    assertFalse(known.isDone());
    one.notifications.reserved(slow, 0);
    settle();
    assertTrue(known.isDone());
  }

  @Test
  void listenersWaitForTransactionsThatHadLookedBefore() {
    Node one = nodes.start(1);
    Node two = nodes.start(2);
    settle();
    Publication before = one.notifications.publish(0, 1, told("x"));
    CompletableFuture<Void> known = two.notifications.listen(session(2), List.of("a"));
    settle();
    assertFalse(known.isDone());
    commit(one, before, XID);
    settle();
    assertTrue(known.isDone());
    assertTrue(two.clock() >= one.clock());
  }

  @Test
  void transactionsThatCommitAfterwardsAreKeptInTheOrderOfTheirTickets() {
    Node one = nodes.start(1);
    Node two = nodes.start(2);
    Listener there = listening(two);
    Publication first = one.notifications.publish(1, 1, told("first"));
    Publication second = one.notifications.publish(2, 1, told("second"));
    settle();
    assertTrue(first.ready().isDone());
    assertFalse(second.ready().isDone());
    commit(one, first, 1);
    commit(one, second, 2);
    one.force();
    settle();
    assertEquals(List.of("first", "second"), taken(two, there));
  }

  @Test
  void whatIsDecidedWaitsForWhatCameBefore() {
    Node one = nodes.start(1);
    Node two = nodes.start(2);
    Node three = nodes.start(3);
    Listener there = listening(three);
    Publication first = one.notifications.publish(1, 1, told("first"));
    settle();
    Publication second = two.notifications.publish(2, 1, told("second"));
    settle();
    commit(two, second, 2);
    two.force();
    settle();
    assertEquals(List.of(), taken(three, there));
    commit(one, first, 1);
    one.force();
    settle();
    assertEquals(List.of("first", "second"), taken(three, there));
  }

  @Test
  void aFullQueueRefusesTransactionsOfAllNodes() {
    Node one = nodes.start(1);
    Node two = nodes.start(2);
    Listener there = listening(two);
    String long1 = "x".repeat(7_000);
    for (long xid = 1; xid <= 4; xid++) {
      Publication publication = one.notifications.publish(xid, 1, told(long1));
      settle();
      commit(one, publication, xid);
    }
    one.force();
    settle();
    Publication refused = one.notifications.publish(9, 1, told(long1));
    settle();
    CompletionException e = assertThrows(CompletionException.class, () -> refused.ready().join());
    assertEquals(SqlState.PROGRAM_LIMIT_EXCEEDED, ((GaussException) e.getCause()).state());
    assertEquals(2, refused.slowest());
    one.notifications.abandon(refused);
    settle();
    assertEquals(4, taken(two, there).size());
    assertEquals(0, two.notifications.state().queueBytes());
    Publication again = one.notifications.publish(10, 1, told(long1));
    settle();
    assertTrue(again.ready().isDone() && !again.ready().isCompletedExceptionally());
  }

  @Test
  void whatEndedSessionsHaveNotTakenTakesNoRoom() {
    Node one = nodes.start(1);
    Node two = nodes.start(2);
    Listener there = listening(two);
    Publication publication = one.notifications.publish(XID, 1, told("x"));
    settle();
    commit(one, publication, XID);
    one.force();
    settle();
    two.notifications.close(there);
    settle();
    assertEquals(0, two.notifications.state().queueBytes());
    assertFalse(one.notifications.isHeardElsewhere(told("x")));
  }

  @Test
  void largeTransactionsAreToldInParts() {
    NotifyNodes roomy = new NotifyNodes(64L << 20);
    Node one = roomy.start(1);
    Node two = roomy.start(2);
    Listener there = session(2);
    two.notifications.listen(there, List.of("a"));
    while (!two.senders().isEmpty() || !one.senders().isEmpty()) {
      one.senders().forEach(one::deliver);
      two.senders().forEach(two::deliver);
    }
    two.notifications.listens(there, List.of("a"));
    String[] many =
        IntStream.range(0, 3_000).mapToObj(i -> i + "x".repeat(3_000)).toArray(String[]::new);
    Publication publication = one.notifications.publish(XID, 1, told(many));
    while (!publication.ready().isDone()) {
      two.senders().forEach(two::deliver);
      one.senders().forEach(one::deliver);
    }
    one.notifications.reserved(publication, one.reserve(XID));
    one.force();
    two.senders().forEach(two::deliver);
    assertEquals(List.of(many), taken(two, there));
  }

  // ---------------------------------------------------------------- deaths and returns

  private static void awaitDecided(Node node) {
    while (node.notifications.state().undecided() > 0) {
      Thread.onSpinWait();
    }
  }

  @Test
  void committedTransactionsOfADeadNodeAreTold() {
    Node one = nodes.start(1);
    Node two = nodes.start(2);
    Listener there = listening(two);
    Publication publication = one.notifications.publish(XID, 1, told("x"));
    settle();
    commit(one, publication, XID);
    nodes.kill(one, one.clock());
    two.learnsOfDeath(1);
    assertEquals(List.of(), taken(two, there));
    nodes.seal(one, List.of(XID));
    awaitDecided(two);
    assertEquals(List.of("x"), taken(two, there));
  }

  @Test
  void transactionsThatADeathTakesBackAreNotTold() {
    Node one = nodes.start(1);
    Node two = nodes.start(2);
    Listener there = listening(two);
    Publication publication = one.notifications.publish(XID, 1, told("x"));
    settle();
    commit(one, publication, XID);
    nodes.kill(one, 0);
    nodes.seal(one, List.of(XID));
    two.learnsOfDeath(1);
    awaitDecided(two);
    assertEquals(List.of(), taken(two, there));
    assertEquals(0, two.notifications.state().queueBytes());
  }

  @Test
  void nobodyWaitsForTheDead() {
    Node one = nodes.start(1);
    Node two = nodes.start(2);
    listening(two);
    Publication publication = one.notifications.publish(XID, 1, told("x"));
    CompletableFuture<Void> listens = one.notifications.listen(session(1), List.of("b"));
    nodes.kill(two, 0);
    assertFalse(publication.ready().isDone());
    one.learnsOfDeath(2);
    assertTrue(publication.ready().isDone());
    assertFalse(listens.isDone()); // the transaction had looked before
    commit(one, publication, XID);
    assertTrue(listens.isDone());
  }

  @Test
  void nodesThatStartAskWhoListens() {
    Node one = nodes.start(1);
    Listener here = listening(one);
    Node two = nodes.start(2);
    CompletableFuture<Void> known = two.notifications.whenOthersAreKnown();
    assertFalse(known.isDone());
    settle();
    assertTrue(known.isDone());
    Publication publication = two.notifications.publish(XID, 2, told("x"));
    settle();
    commit(two, publication, XID);
    two.force();
    settle();
    assertEquals(List.of("x"), taken(one, here));
  }

  /** The connection to the life before ends when it likes. */
  @Test
  void aLateLossIsNotThatOfTheNextLife() {
    Node one = nodes.start(1);
    listening(nodes.start(2));
    one.notifications.lost(2);
    assertTrue(one.notifications.isHeardElsewhere(told("x")));
  }

  /** The next life begins with the same numbers. */
  @Test
  void whatALifeWasToHearIsNotSaidToTheNext() {
    Node one = nodes.start(1);
    Node two = nodes.start(2);
    settle();
    Publication before = one.notifications.publish(XID, 1, told("x"));
    two.notifications.listen(session(2), List.of("a"));
    one.deliver(2);
    nodes.kill(two, 0);
    one.learnsOfDeath(2);
    nodes.seal(two, List.of());
    Node again = nodes.start(2);
    settle();
    CompletableFuture<Void> known = again.notifications.listen(session(2), List.of("a"));
    commit(one, before, XID);
    again.senders().forEach(again::deliver);
    assertFalse(known.isDone());
    settle();
    assertTrue(known.isDone());
  }

  @Test
  void ticketsOfTheNextLifeAreOthers() {
    Node one = nodes.start(1);
    Node two = nodes.start(2);
    Listener there = listening(two);
    Publication publication = one.notifications.publish(XID, 1, told("of the first life"));
    settle();
    commit(one, publication, XID);
    long durable = one.clock();
    nodes.kill(one, durable);
    two.learnsOfDeath(1);
    Node again = nodes.start(1);
    settle();
    Publication next = again.notifications.publish(XID + 1, 1, told("of the second"));
    settle();
    commit(again, next, XID + 1);
    again.force();
    settle();
    assertEquals(List.of(), taken(two, there));
    nodes.seal(one, List.of(XID));
    awaitDecided(two);
    assertEquals(List.of("of the first life", "of the second"), taken(two, there));
  }

  // ---------------------------------------------------------------- at random

  static IntStream seeds() {
    return IntStream.range(1, 201);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void whoListensMissesNothingAndHearsNothingElse(int seed) {
    assertEquals(List.of(), new NotifyRun(seed).wrong(), () -> "seed " + seed);
  }
}
