package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.runtime.Environment;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.Request;
import io.gauss.compute.peer.PeerListener;
import io.gauss.compute.peer.PeerNodes;
import io.gauss.compute.session.wire.ForwardLayout;
import io.gauss.compute.session.wire.ForwardLayout.Answer;
import io.gauss.compute.session.wire.ForwardLayout.Question;
import io.gauss.compute.session.wire.SessionMessages;
import io.netty.buffer.ByteBuf;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/**
 * Sessions of this node that serve clients of other nodes' sessions. To get one, another node sends
 * a request over the channel between nodes, which identifies the sender. It gets a ticket that
 * admits one connection to the port for clients, once and within a short time. Thread-safe; nothing
 * here waits.
 */
public final class ForwardedSessions {
  private static final long TICKET_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int MOST_TICKETS = 10_000; // unused ones
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final SessionServices services;
  private final PeerNodes peers;
  private final SecureRandom random = new SecureRandom();
  private final Map<Key, Ticket> tickets = new ConcurrentHashMap<>();
  private final Map<Integer, Session> sessions = new ConcurrentHashMap<>(); // by client's number
  private volatile Entrance entrance;

  private record Key(long ticket, long end) {}

  private record Ticket(Question question, long nanos) {}

  private record Entrance(int port, byte[] certificate) {}

  ForwardedSessions(SessionServices services, PeerNodes peers) {
    this.services = services;
    this.peers = peers;
  }

  /**
   * Admits sessions of other nodes from now on.
   *
   * @param port for clients
   * @param certificate SHA-256 of it; empty = there is none
   */
  public void open(int port, byte[] certificate) {
    entrance = new Entrance(port, certificate.clone());
  }

  /** Answers requests of other nodes from now on. */
  void register(Handlers handlers) {
    handlers.on(SessionMessages.FORWARD, this::asked);
    whenLost(this::clientsLost);
  }

  /** Has something done whenever the cluster has taken a node for dead. It must not wait. */
  public void whenLost(IntConsumer action) {
    peers.addListener(
        new PeerListener() {
          @Override
          public void lost(int node) {
            action.accept(node);
          }

          @Override
          public void answersChanged(int slot) {
            // Nothing here depends on it.
          }
        });
  }

  /**
   * A node is dead: so are its clients' sessions, whose transactions would keep their locks. Its
   * connections need not be closed by anybody: a machine that has lost its power does not.
   */
  private void clientsLost(int slot) {
    tickets.values().removeIf(ticket -> SessionKeys.slotOf(ticket.question.session()) == slot);
    sessions.forEach(
        (number, session) -> {
          if (SessionKeys.slotOf(number) == slot) {
            clientLost(session);
          }
        });
  }

  private static void clientLost(Session session) {
    session.terminate(
        new GaussException(
            SqlState.CONNECTION_FAILURE, "the node of the session's client is lost"));
  }

  private void asked(Request request) {
    Question question = ForwardLayout.readQuestion(request.payload());
    Entrance to = entrance;
    Answer answer = null;
    if (to != null) {
      long now = Environment.nanoTime();
      tickets.values().removeIf(ticket -> now - ticket.nanos > TICKET_NANOS);
      if (tickets.size() < MOST_TICKETS) {
        Key key = new Key(random.nextLong(), random.nextLong());
        tickets.put(key, new Ticket(question, now));
        if (peers.has(SessionKeys.slotOf(question.session()))) {
          answer = new Answer(to.port, key.ticket, key.end, to.certificate);
        } else {
          tickets.remove(key); // its loss may have been before
        }
      }
    }
    request.reply(ForwardLayout.writeAnswer(peers.allocator().buffer(), answer));
  }

  /** Redeems a ticket, which is invalid afterwards; null when it is not valid. */
  Question take(long ticket, long end) {
    Ticket taken = tickets.remove(new Key(ticket, end));
    return taken == null || Environment.nanoTime() - taken.nanos > TICKET_NANOS
        ? null
        : taken.question;
  }

  /**
   * Registers a session that serves another node's client, and ends it when that node was lost
   * after the ticket was redeemed: the loss has found neither of both.
   */
  void opened(int number, Session session) {
    sessions.put(number, session);
    if (!peers.has(SessionKeys.slotOf(number))) {
      clientLost(session);
    }
  }

  void closed(int number, Session session) {
    sessions.remove(number, session);
  }

  /** Null when no session serves that client. */
  Session find(int number) {
    return sessions.get(number);
  }

  /**
   * Asks a node to run transactions of a client's session.
   *
   * @return null when it refuses; fails when it does not answer
   */
  public CompletableFuture<Answer> ask(int slot, Session session) {
    Question question =
        new Question(
            session.processId(),
            session.state().roles().authenticatedOid(),
            session.state().client(),
            session.state().settings().startValues());
    ByteBuf message = ForwardLayout.writeQuestion(peers.allocator().buffer(), question);
    return peers
        .call(slot, SessionMessages.FORWARD, message, PATIENCE_NANOS)
        .thenApply(
            answer -> {
              try {
                return ForwardLayout.readAnswer(answer);
              } finally {
                answer.release();
              }
            });
  }

  /** Whether a node is available, as far as is known. */
  public boolean has(int slot) {
    return peers.has(slot);
  }

  /**
   * Cancels the statement that a client's session runs on another node.
   *
   * @param forward which of the transactions that went there
   */
  public void cancel(int slot, Session session, int forward) {
    services.cluster().cancelForwarded(slot, session.processId(), forward);
  }
}
