package io.gauss.common.transport.session;

import static io.gauss.common.transport.TestNodes.config;
import static io.gauss.common.transport.TestNodes.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.Leaks;
import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportException;
import io.gauss.common.transport.TransportException.Reason;
import io.gauss.common.transport.sim.SimulatedHarness;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Sessions over a simulated network with faults. */
class SessionTest {
  private static final MessageType WORD = new MessageType(7, "test.word");
  private static final Duration MINUTE = Duration.ofMinutes(1);

  @AfterAll
  static void nothingWasLeaked() {
    Leaks.check();
  }

  /** A node with a session to the other one. */
  private static final class Node implements SessionListener, AutoCloseable {
    final List<String> received = new ArrayList<>();
    final AtomicInteger epoch = new AtomicInteger(1);
    final CompletableFuture<String> broken = new CompletableFuture<>();
    final int number;
    final Transport transport;
    final NodeAddress address;
    final MeterRegistry meters;
    int roomTold;
    Peer peer;
    Session session;

    Node(SimulatedHarness harness, int number, NodeAddress wanted) {
      TransportConfig plain = config(number, NodeRole.COMPUTE);
      NodeIdentity self =
          new NodeIdentity(number, NodeRole.COMPUTE, epoch::get, plain.self().clock());
      this.number = number;
      this.meters = plain.meters();
      this.transport =
          harness.open(
              new TransportConfig(
                  self, plain.key(), plain.guard(), plain.settings(), plain.meters()));
      Handlers handlers = new Handlers();
      new SessionServer(self, transport.allocator(), this::deliver).register(handlers);
      this.address = transport.listen(wanted, handlers);
    }

    double sent(MessageType type) {
      return meters
          .counter("gauss.transport.messages", "direction", "sent", "type", type.name())
          .count();
    }

    private void deliver(
        io.gauss.common.transport.RemoteNode sender, int fromEpoch, int type, ByteBuf payload) {
      assertEquals(WORD.id(), type);
      received.add(payload.toString(StandardCharsets.UTF_8));
    }

    void connect(Node other, int maxMessages) {
      connect(other, other.epoch.get(), maxMessages);
    }

    void connect(Node other, int itsEpoch, int maxMessages) {
      connect(other, itsEpoch, maxMessages, 1 << 20);
    }

    void connect(Node other, int itsEpoch, int maxMessages, long maxBytes) {
      peer = transport.connect(other.address, other.number);
      session =
          new Session(
              peer, transport.self(), itsEpoch, transport.allocator(), maxMessages, maxBytes, this);
    }

    void send(int index) {
      session.send(WORD, text(word(number, index)));
    }

    @Override
    public void onRoom() {
      roomTold++;
    }

    @Override
    public void onBroken(String reason) {
      broken.complete(reason);
    }

    @Override
    public void close() {
      if (session != null) {
        session.close();
      }
      transport.close();
    }
  }

  private static String word(int node, int index) {
    return node + ":" + index;
  }

  private static List<String> words(int node, int count) {
    return IntStream.range(0, count).mapToObj(i -> word(node, i)).toList();
  }

  @Test
  void messagesArriveOnceAndInOrderWhateverTheNetworkDoes() {
    for (long seed = 1; seed <= 40; seed++) {
      runWithFaults(seed);
    }
  }

  /** The number of steps that the run took: the same for the same seed. */
  private static long runWithFaults(long seed) {
    Random random = new Random(seed);
    int count = 300;
    try (SimulatedHarness harness = new SimulatedHarness(seed);
        Node one = new Node(harness, 1, harness.anyAddress());
        Node two = new Node(harness, 2, harness.anyAddress())) {
      harness.network().duplicate(SessionLayout.DATA.id(), 0.1);
      one.connect(two, 10_000);
      two.connect(one, 10_000);
      int sentByOne = 0;
      int sentByTwo = 0;
      while (sentByOne < count || sentByTwo < count) {
        for (int i = random.nextInt(8); i > 0 && sentByOne < count; i--) {
          one.send(sentByOne++);
        }
        for (int i = random.nextInt(8); i > 0 && sentByTwo < count; i--) {
          two.send(sentByTwo++);
        }
        switch (random.nextInt(12)) {
          case 0 -> harness.network().reset(1, 2);
          case 1 -> harness.network().cutOneWay(1, 2);
          case 2 -> harness.network().cut(1, 2);
          case 3, 4, 5 -> harness.network().healAll();
          case 6 -> harness.network().slow(2, 1, Duration.ofMillis(5), 100_000);
          default -> {}
        }
        harness
            .time()
            .advance(Duration.ofMillis(random.nextInt(1, random.nextInt(10) == 0 ? 5000 : 20)));
      }
      harness.network().healAll();
      harness
          .time()
          .runUntil(
              () -> one.session.unacknowledged() == 0 && two.session.unacknowledged() == 0, MINUTE);
      assertEquals(words(2, count), one.received, "seed " + seed);
      assertEquals(words(1, count), two.received, "seed " + seed);
      return harness.time().steps();
    }
  }

  @Test
  void theSameSeedGivesTheSameRun() {
    assertEquals(runWithFaults(77), runWithFaults(77));
  }

  @Test
  void aFullWindowRefusesMessagesAndTellsWhenThereIsRoom() {
    try (SimulatedHarness harness = new SimulatedHarness(1);
        Node one = new Node(harness, 1, harness.anyAddress());
        Node two = new Node(harness, 2, harness.anyAddress())) {
      one.connect(two, 10);
      for (int i = 0; i < 10; i++) {
        one.send(i);
      }
      TransportException full = assertThrows(TransportException.class, () -> one.send(10));
      assertEquals(Reason.OVERLOADED, full.reason());
      harness.time().runUntil(() -> one.roomTold == 1, MINUTE);
      one.send(10);
      harness.time().runUntil(() -> two.received.size() == 11, MINUTE);
      assertEquals(words(1, 11), two.received);
    }
  }

  @Test
  void acknowledgementsAreFewAndComeAllTheSame() {
    try (SimulatedHarness harness = new SimulatedHarness(1);
        Node one = new Node(harness, 1, harness.anyAddress());
        Node two = new Node(harness, 2, harness.anyAddress())) {
      one.connect(two, 10_000);
      for (int i = 0; i < 300; i++) {
        one.send(i);
        harness.time().advance(Duration.ofMillis(10));
      }
      double asked = one.sent(SessionLayout.ASK);
      assertTrue(asked <= 3, asked + " requests in three seconds");
      harness.time().runUntil(() -> one.session.unacknowledged() == 0, Duration.ofSeconds(2));
      assertEquals(words(1, 300), two.received);
      assertEquals(300, one.sent(SessionLayout.DATA));
    }
  }

  @Test
  void manyBytesAreAcknowledgedBeforeTheyFillTheMemory() {
    try (SimulatedHarness harness = new SimulatedHarness(1);
        Node one = new Node(harness, 1, harness.anyAddress());
        Node two = new Node(harness, 2, harness.anyAddress())) {
      one.connect(two, two.epoch.get(), 10_000, 64 << 20);
      harness.time().advance(Duration.ofMillis(100));
      int most = 0;
      for (int i = 0; i < 200; i++) {
        one.session.send(WORD, text("x".repeat(64 << 10)));
        harness.time().advance(Duration.ofMillis(1));
        most = Math.max(most, one.session.unacknowledged());
      }
      assertTrue(most <= 32, most + " messages of 64 KiB");
    }
  }

  @Test
  void aReceiverThatRestartsInAnotherEpochBreaksTheSession() {
    try (SimulatedHarness harness = new SimulatedHarness(1);
        Node one = new Node(harness, 1, harness.anyAddress());
        Node two = new Node(harness, 2, harness.anyAddress())) {
      one.connect(two, 100);
      one.send(0);
      harness.time().runUntil(() -> one.session.unacknowledged() == 0, MINUTE);
      NodeAddress address = two.address;
      two.close();
      one.send(1);
      try (Node again = new Node(harness, 2, address)) {
        again.epoch.set(2);
        harness.time().runUntil(one.broken::isDone, MINUTE);
        assertTrue(one.broken.join().contains("was in epoch 1, now 2"), one.broken.join());
        assertEquals(List.of(), again.received);
        assertEquals(0, one.session.unacknowledged());
        assertThrows(TransportException.class, () -> one.send(2));
      }
    }
  }

  @Test
  void aSenderInANewEpochBeginsANewSessionAndTheOldOneIsOver() {
    try (SimulatedHarness harness = new SimulatedHarness(1);
        Node one = new Node(harness, 1, harness.anyAddress());
        Node two = new Node(harness, 2, harness.anyAddress())) {
      one.connect(two, 100);
      one.send(0);
      harness.time().runUntil(() -> two.received.size() == 1, MINUTE);
      Session old = one.session;
      one.epoch.set(2);
      old.send(WORD, text("of the old epoch"));
      one.connect(two, 100);
      one.send(1);
      harness.time().runUntil(() -> two.received.size() == 2, MINUTE);
      harness.time().runUntil(one.broken::isDone, MINUTE);
      assertThrows(TransportException.class, () -> old.send(WORD, text("of the old epoch")));
      assertEquals(words(1, 2), two.received);
    }
  }

  /**
   * A node is killed and its next process listens at the same address, before it is registered and
   * while others still know the last epoch. Once they know the new one they begin another session.
   */
  @Test
  void aSessionWithOneEpochNeverBecomesOneWithTheNext() {
    try (SimulatedHarness harness = new SimulatedHarness(1);
        Node one = new Node(harness, 1, harness.anyAddress());
        Node two = new Node(harness, 2, harness.anyAddress())) {
      two.epoch.set(0);
      one.connect(two, 3, 100);
      one.send(0);
      harness.time().advance(Duration.ofSeconds(1));
      assertEquals(List.of(), two.received);
      two.epoch.set(4);
      harness.time().runUntil(one.broken::isDone, MINUTE);
      one.connect(two, 4, 100);
      one.send(1);
      harness.time().runUntil(() -> one.session.unacknowledged() == 0, MINUTE);
      assertEquals(List.of(word(1, 1)), two.received);
    }
  }

  @Test
  void aSessionBeginsWhenTheOtherNodeKnowsItsEpoch() {
    try (SimulatedHarness harness = new SimulatedHarness(1);
        Node one = new Node(harness, 1, harness.anyAddress());
        Node two = new Node(harness, 2, harness.anyAddress())) {
      two.epoch.set(0);
      one.connect(two, 3, 100);
      one.send(0);
      harness.time().advance(Duration.ofSeconds(1));
      assertEquals(List.of(), two.received);
      two.epoch.set(3);
      harness.time().runUntil(() -> two.received.size() == 1, MINUTE);
      assertEquals(words(1, 1), two.received);
    }
  }

  /**
   * A connection breaks before all was sent on it, and the rest goes on the next one, which leads
   * to the next process at the address. The sender has a session with that one by then.
   */
  @Test
  void whatWasLeftForAnotherProcessIsNoPartOfTheSession() {
    try (SimulatedHarness harness = new SimulatedHarness(1);
        Node one = new Node(harness, 1, harness.anyAddress());
        Node two = new Node(harness, 2, harness.anyAddress())) {
      one.connect(two, 100);
      one.send(0);
      harness.time().runUntil(() -> one.session.unacknowledged() == 0, MINUTE);
      try (Peer late = one.transport.connect(two.address, two.number)) {
        late.send(
            SessionLayout.DATA,
            SessionLayout.dataHeader(one.transport.allocator(), 2, 1, WORD.id(), 0)
                .writeBytes("late".getBytes(StandardCharsets.UTF_8)));
        harness.time().advance(Duration.ofSeconds(1));
        assertTrue(late.isConnected());
      }
      one.send(1);
      harness.time().runUntil(() -> one.session.unacknowledged() == 0, MINUTE);
      assertEquals(words(1, 2), two.received);
    }
  }
}
