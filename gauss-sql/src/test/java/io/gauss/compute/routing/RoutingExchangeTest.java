package io.gauss.compute.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.TransportException;
import io.gauss.compute.peer.PeerListener;
import io.gauss.compute.peer.PeerNodes;
import io.gauss.compute.routing.data.GroupOwners;
import io.gauss.compute.routing.data.NodeLoad;
import io.gauss.compute.routing.data.PublishedRouting;
import io.gauss.compute.routing.wire.RoutingLayout;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** When a node that was restarted learns again: node 1 of three, which is to learn. */
class RoutingExchangeTest {
  private static final PublishedRouting PUBLISHED =
      new PublishedRouting(77, 0, null, null, null, GroupOwners.NONE);

  private final Others others = new Others();
  private int trainer = 1; // slot
  private final AccessSampling sampling = new AccessSampling(() -> 1, 1, () -> 0, () -> 0, 7);
  private final RoutingExchange routing =
      new RoutingExchange(
          sampling,
          others,
          () -> trainer,
          () -> new NodeLoad(0, 0, 0),
          new PagePlacement(new FakePages(), others, sampling, () -> 0, () -> 0, 1000));

  /** Answers when it is told to. */
  private static final class Others implements PeerNodes {
    private final Set<Integer> there = new TreeSet<>(Set.of(2, 3));
    private final Map<Integer, CompletableFuture<ByteBuf>> asked = new TreeMap<>();

    void answer(int slot, PublishedRouting newer) {
      asked.remove(slot).complete(RoutingLayout.writeAnswer(allocator().buffer(), newer));
    }

    void fail(int slot) {
      asked
          .remove(slot)
          .completeExceptionally(
              new TransportException(TransportException.Reason.TIMEOUT, true, "no answer"));
    }

    @Override
    public int self() {
      return 1;
    }

    @Override
    public Answerer answerer(int slot) {
      return new Answerer(slot, 1);
    }

    @Override
    public boolean has(int node) {
      return there.contains(node);
    }

    @Override
    public boolean has(int node, int epoch) {
      return has(node);
    }

    @Override
    public CompletableFuture<ByteBuf> call(
        int node, MessageType type, ByteBuf payload, long timeoutNanos) {
      payload.release();
      return asked.computeIfAbsent(node, n -> new CompletableFuture<>());
    }

    @Override
    public void send(int node, MessageType type, ByteBuf payload) {
      throw new AssertionError("nothing is sent");
    }

    @Override
    public void send(int node, int epoch, MessageType type, ByteBuf payload) {
      send(node, type, payload);
    }

    @Override
    public ByteBufAllocator allocator() {
      return UnpooledByteBufAllocator.DEFAULT;
    }

    @Override
    public void addListener(PeerListener added) {
      // Nobody gets lost.
    }
  }

  @Test
  void itLearnsWhenItHasHeardWhatWasPublishedBefore() {
    assertFalse(routing.learns(), "it has asked nobody yet");
    routing.turn();
    others.fail(2);
    others.answer(3, null);
    assertFalse(routing.learns(), "node 3 may have begun just now as well");
    routing.turn();
    others.answer(2, PUBLISHED);
    assertTrue(routing.learns());
    assertEquals(77, routing.published().version());
    others.there.add(4);
    assertTrue(routing.learns(), "it waits for no node that joins");
    trainer = 2;
    assertFalse(routing.learns());
  }

  @Test
  void aNodeThatIsGoneOrDoesNotAnswerKeepsItFromLearningNotForLong() {
    others.there.remove(2);
    for (int turn = 1; turn < RoutingExchange.MOST_TURNS; turn++) {
      routing.turn();
      assertFalse(routing.learns());
    }
    routing.turn();
    assertTrue(routing.learns());
  }

  @Test
  void aNodeAloneLearnsAtOnce() {
    others.there.clear();
    assertTrue(routing.learns());
  }
}
