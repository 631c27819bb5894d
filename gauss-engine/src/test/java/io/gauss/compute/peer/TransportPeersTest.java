package io.gauss.compute.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.LamportClock;
import io.gauss.common.id.Lsn;
import io.gauss.common.transport.EpochGuard;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.TestNodes;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportException;
import io.gauss.common.transport.TransportSettings;
import io.gauss.common.transport.sim.JitterNetwork;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two nodes over connections that break. */
@Timeout(300)
class TransportPeersTest {
  private static final MessageType NUMBER = new MessageType(0x7001, "test.number");
  private static final MessageType LAST = new MessageType(0x7003, "test.last");
  private static final MessageType TWICE = new MessageType(0x7002, "test.twice");

  private final JitterNetwork network = new JitterNetwork(7, 100_000, 600);
  private final AtomicBoolean deadSpoke = new AtomicBoolean();
  private final AtomicLong expected = new AtomicLong();
  private final List<Long> outOfOrder = new CopyOnWriteArrayList<>();
  private final Node one = new Node(1);
  private final Node two = new Node(2);

  private final class Node {
    private final Transport transport;
    private final TransportPeers peers;
    private final NodeAddress address;

    private Node(int slot) {
      TransportSettings settings =
          TransportSettings.DEFAULTS.withPings(Duration.ofMillis(50), Duration.ofMillis(400));
      transport =
          network.transport(
              new TransportConfig(
                  NodeIdentity.of(
                      slot, NodeRole.COMPUTE, 1, new LamportClock(slot, Lsn.of(100, slot))),
                  TestNodes.KEY,
                  EpochGuard.NONE,
                  settings,
                  new SimpleMeterRegistry()));
      NodeSessions sessions = new NodeSessions(transport.self(), transport.allocator());
      peers = new TransportPeers(transport, slot, sessions).on(NUMBER, this::received);
      sessions.on(LAST, (sender, epoch, payload) -> deadSpoke.set(true));
      Handlers handlers = new Handlers();
      sessions.register(handlers);
      handlers.on(
          TWICE,
          request -> {
            long number = request.payload().readLongLE();
            request.reply(transport.allocator().buffer(8).writeLongLE(2 * number));
          });
      address = transport.listen(new NodeAddress("node-" + slot, 0), handlers);
    }

    private void received(int from, int epoch, ByteBuf payload) {
      long number = payload.readLongLE();
      if (from != 1 || number != expected.getAndIncrement()) {
        outOfOrder.add(number);
      }
    }

    private ByteBuf number(long number) {
      return peers.allocator().buffer(8).writeLongLE(number);
    }
  }

  private void meet() {
    one.peers.join(2, 2, 1, two.address);
    two.peers.join(1, 1, 1, one.address);
  }

  private static void eventually(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      assertFalse(Thread.interrupted(), "it did not happen in time");
      Thread.yield();
    }
  }

  @AfterEach
  void close() {
    one.peers.close();
    two.peers.close();
    one.transport.close();
    two.transport.close();
  }

  @Test
  void messagesArriveOnceAndInOrderAlsoWhenThereAreMoreThanTheWindowTakes() {
    meet();
    int count = 20_000;
    for (long i = 0; i < count; i++) {
      one.peers.send(2, NUMBER, one.number(i));
    }
    eventually(() -> expected.get() >= count);
    assertEquals(List.of(), outOfOrder);
    assertEquals(count, expected.get());
  }

  /** Law 7; node 1 is back in epoch 2 for node 2, and its first life does not know that yet. */
  @Test
  void whatADeadLifeSaysIsNotTakenForTheNextOnes() {
    meet();
    one.peers.send(2, NUMBER, one.number(0));
    eventually(() -> expected.get() == 1);
    two.peers.join(1, 1, 2, one.address);
    one.peers.send(2, NUMBER, one.number(1));
    one.peers.send(2, LAST, one.number(2));
    eventually(() -> deadSpoke.get());
    assertEquals(1, expected.get());
    assertFalse(two.peers.has(1, 1));
    assertTrue(two.peers.has(1, 2));
  }

  @Test
  void whatIsForALifeThatIsOverIsNotSentToTheNext() {
    meet();
    ByteBuf late = one.number(7);
    one.peers.send(2, 0, NUMBER, late);
    assertEquals(0, late.refCnt());
    one.peers.send(2, 1, NUMBER, one.number(0));
    eventually(() -> expected.get() == 1);
    assertEquals(List.of(), outOfOrder);
  }

  @Test
  void aQuestionHasItsAnswer() {
    meet();
    while (true) {
      try {
        ByteBuf answer = one.peers.call(2, TWICE, one.number(21), 20_000_000_000L).join();
        assertEquals(42, answer.readLongLE());
        answer.release();
        return;
      } catch (CompletionException e) {
        assertEquals(TransportException.class, e.getCause().getClass()); // broke: asked again
      }
    }
  }

  @Test
  void aNodeThatIsNotThereIsNotAskedAndWhatIsSentToItIsDropped() {
    ByteBuf question = one.number(1);
    ByteBuf message = one.number(1);
    assertThrows(
        CompletionException.class, () -> one.peers.call(2, TWICE, question, 1_000_000).join());
    one.peers.send(2, NUMBER, message);
    assertEquals(0, question.refCnt());
    assertEquals(0, message.refCnt());
  }

  @Test
  void whoLeavesIsToldAsLostAndAnswersNoMore() {
    List<String> told = new CopyOnWriteArrayList<>();
    one.peers.addListener(
        new PeerListener() {
          @Override
          public void lost(int node) {
            told.add("lost " + node);
          }

          @Override
          public void answersChanged(int slot) {
            told.add("answers " + slot);
          }
        });
    meet();
    one.peers.answers(2, new PeerNodes.Answerer(2, 1));
    one.peers.leave(2, 1);
    assertEquals(List.of("answers 2", "answers 2", "lost 2"), told);
    assertEquals(0, one.peers.answering(2));
    assertFalse(one.peers.has(2));
  }
}
