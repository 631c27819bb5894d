package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.fault.FaultPoints;
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
import java.util.concurrent.atomic.AtomicLong;
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
  private final AtomicLong lastTicket = new AtomicLong();
  private final Map<Integer, Served> sessions = new ConcurrentHashMap<>(); // by client's number

  /**
   * How often each slot's node was lost. What was asked for before and is opened afterwards would
   * be seen by none of the two: {@link #clientsLost} does not find it yet.
   */
  private final Map<Integer, Integer> losses = new ConcurrentHashMap<>();

  private volatile Entrance entrance;

  private record Key(long ticket, long end) {}

  /**
   * @param losses of the client's node when it asked
   * @param number by which the other node names the session that it lets in
   * @param order later ones have higher numbers
   */
  private record Ticket(Question question, int losses, int number, long order, long nanos) {
    int slot() {
      return SessionKeys.slotOf(question.session());
    }
  }

  /**
   * A session that serves another node's client.
   *
   * @param number of its ticket
   * @param order of its ticket
   */
  private record Served(Session session, int number, long order) {}

  /** A session may be opened for another node's client, unless that node is lost meanwhile. */
  static final class Admission {
    private final Ticket ticket;

    private Admission(Ticket ticket) {
      this.ticket = ticket;
    }

    Question question() {
      return ticket.question;
    }
  }

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
    losses.merge(slot, 1, Integer::sum);
    tickets.values().removeIf(ticket -> ticket.slot() == slot);
    sessions.forEach(
        (number, served) -> {
          if (SessionKeys.slotOf(number) == slot) {
            served.session.terminate(clientLost());
          }
        });
  }

  private static GaussException clientLost() {
    return new GaussException(
        SqlState.CONNECTION_FAILURE, "the node of the session's client is lost");
  }

  private int losses(int slot) {
    return losses.getOrDefault(slot, 0);
  }

  private void asked(Request request) {
    Answer answer = admit(ForwardLayout.readQuestion(request.payload()));
    request.reply(ForwardLayout.writeAnswer(peers.allocator().buffer(), answer));
  }

  /** Makes a ticket; null when there is none now. */
  Answer admit(Question question) {
    int slot = SessionKeys.slotOf(question.session());
    int lossesBefore = losses(slot); // before it is looked whether the node is there
    Entrance to = entrance;
    if (to == null || !peers.has(slot)) {
      return null;
    }
    long now = Environment.nanoTime();
    tickets.values().removeIf(ticket -> now - ticket.nanos > TICKET_NANOS);
    if (tickets.size() >= MOST_TICKETS) {
      return null;
    }
    Key key = new Key(random.nextLong(), random.nextLong());
    long order = lastTicket.incrementAndGet();
    tickets.put(key, new Ticket(question, lossesBefore, (int) key.ticket, order, now));
    return new Answer(to.port, key.ticket, key.end, to.certificate);
  }

  /** Redeems a ticket, which is invalid afterwards; null when it is not valid. */
  Admission take(long ticket, long end) {
    Ticket taken = tickets.remove(new Key(ticket, end));
    return taken == null || Environment.nanoTime() - taken.nanos > TICKET_NANOS
        ? null
        : new Admission(taken);
  }

  /**
   * Registers a session that serves another node's client. Of two only the one that was asked for
   * last can be found; the connection of the other one is given up, which need not be known here
   * yet, and it ends.
   */
  void opened(Admission admission, Session session) {
    Served fresh = new Served(session, admission.ticket.number, admission.ticket.order);
    Served[] ends = new Served[1];
    sessions.merge(
        admission.question().session(),
        fresh,
        (before, now) -> {
          boolean isLater = now.order > before.order;
          ends[0] = isLater ? before : now;
          return isLater ? now : before;
        });
    if (ends[0] != null) {
      ends[0].session.terminate(
          new GaussException(
              SqlState.CONNECTION_FAILURE, "another session serves the client by now"));
    }
    if (isOver(admission)) { // looked at after the session can be found
      session.terminate(clientLost());
    }
  }

  /** Whether the client's node was lost after it had asked. */
  boolean isOver(Admission admission) {
    return losses(admission.ticket.slot()) != admission.ticket.losses;
  }

  void closed(int number, Session session) {
    sessions.computeIfPresent(number, (key, served) -> served.session == session ? null : served);
  }

  /**
   * Ends the session that serves a client, whose node has lost the connection to it.
   *
   * @param ticket number of the ticket that let it in: it is not to be another session by now
   * @return whether it is still there, and may have locks
   */
  boolean end(int number, int ticket) {
    FaultPoints.hit("forward.end");
    Served served = sessions.get(number);
    if (served == null || served.number != ticket) {
      return false;
    }
    served.session.terminate(
        new GaussException(
            SqlState.CONNECTION_FAILURE, "the connection to the node of the client is lost"));
    return true;
  }

  /** Null when no session serves that client. */
  Session find(int number) {
    Served served = sessions.get(number);
    return served == null ? null : served.session;
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

  /**
   * Has the session that serves a client on another node end, to which the connection is lost.
   *
   * @param ticket that let it in
   * @return whether it has ended; fails when the other node does not answer
   */
  public CompletableFuture<Boolean> end(int slot, int processId, Answer ticket) {
    return services.cluster().endForwarded(slot, processId, (int) ticket.ticket());
  }
}
