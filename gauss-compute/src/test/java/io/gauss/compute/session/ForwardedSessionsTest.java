package io.gauss.compute.session;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.MessageType;
import io.gauss.compute.peer.PeerListener;
import io.gauss.compute.peer.PeerNodes;
import io.gauss.compute.session.ForwardedSessions.Admission;
import io.gauss.compute.session.wire.ForwardLayout.Answer;
import io.gauss.compute.session.wire.ForwardLayout.Question;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sessions for clients of a node that is lost at any moment of their opening. */
class ForwardedSessionsTest {
  private static final int CLIENTS_NODE = 2;
  private static final Question QUESTION = new Question(20_000_017, 10, "client", Map.of());

  private final OneOther peers = new OneOther();
  private final ForwardedSessions sessions = new ForwardedSessions(null, peers);

  private static final class OneOther implements PeerNodes {
    private PeerListener listener;
    private boolean isThere = true;

    void lose() {
      isThere = false;
      listener.lost(CLIENTS_NODE);
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
      return isThere && node == CLIENTS_NODE;
    }

    @Override
    public boolean has(int node, int epoch) {
      return has(node);
    }

    @Override
    public CompletableFuture<ByteBuf> call(
        int node, MessageType type, ByteBuf payload, long timeoutNanos) {
      throw new AssertionError("nothing is asked");
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
      listener = added;
    }
  }

  @BeforeEach
  void open() {
    sessions.register(new Handlers());
    sessions.open(5432, new byte[0]);
  }

  private Admission take(Answer ticket) {
    return sessions.take(ticket.ticket(), ticket.ticketEnd());
  }

  @Test
  void aTicketAdmitsOnce() {
    Answer ticket = sessions.admit(QUESTION);
    Admission admission = take(ticket);
    assertNotNull(admission);
    assertFalse(sessions.isOver(admission));
    assertNull(take(ticket));
  }

  @Test
  void aTicketIsInvalidWhenTheClientsNodeIsLost() {
    Answer ticket = sessions.admit(QUESTION);
    peers.lose();
    assertNull(take(ticket));
  }

  /** Neither among the tickets nor among the sessions at that moment. */
  @Test
  void aSessionThatIsJustBeingOpenedIsOverWhenTheClientsNodeIsLost() {
    Admission admission = take(sessions.admit(QUESTION));
    peers.lose();
    assertTrue(sessions.isOver(admission));
  }

  @Test
  void aNodeThatIsLostGetsNoTicket() {
    peers.lose();
    assertNull(sessions.admit(QUESTION));
  }

  @Test
  void theNextLifeOfTheNodeIsAdmitted() {
    peers.lose();
    peers.isThere = true;
    assertFalse(sessions.isOver(take(sessions.admit(QUESTION))));
  }
}
