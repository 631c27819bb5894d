package io.gauss.common.transport.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.RemoteNode;
import io.gauss.common.transport.ReplyStream;
import io.gauss.common.transport.Request;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The receiving side of all sessions to this node. Thread-safe.
 *
 * <p>One state per sending node, in its highest epoch seen. A message is delivered under that
 * state's lock, so that the next one, which may arrive on another connection and event loop, waits
 * for it: handlers must not block. The state lasts as long as this process: a node restarts in
 * another epoch, and the senders' sessions break.
 */
public final class SessionServer {
  private static final Logger LOG = LoggerFactory.getLogger(SessionServer.class);

  private final NodeIdentity self;
  private final ByteBufAllocator allocator;
  private final SessionHandler handler;
  private final Map<Integer, Incoming> sessions = new ConcurrentHashMap<>();

  /** Receives the messages of sessions, each once and in the order sent. */
  @FunctionalInterface
  public interface SessionHandler {
    /**
     * @param epoch of the sender
     * @param type number of the message type
     * @param payload released when this returns; a handler that needs it longer retains it
     */
    void deliver(RemoteNode sender, int epoch, int type, ByteBuf payload);
  }

  private static final class Incoming {
    private final int epoch;
    private final ReceiveState state = new ReceiveState();
    private Object connection; // on which the attempt was opened
    private ReplyStream stream;
    private boolean owesState;

    private Incoming(int epoch) {
      this.epoch = epoch;
    }
  }

  public SessionServer(NodeIdentity self, ByteBufAllocator allocator, SessionHandler handler) {
    this.self = self;
    this.allocator = allocator;
    this.handler = handler;
  }

  /** Adds the handlers of sessions' messages. */
  public void register(Handlers handlers) {
    handlers
        .on(SessionLayout.OPEN, this::open)
        .on(SessionLayout.DATA, this::receive)
        .on(SessionLayout.ASK, this::asked);
  }

  private void open(Request request) {
    ByteBuf payload = request.payload();
    if (payload.readableBytes() != SessionLayout.OPEN_BYTES
        || payload.readIntLE() != SessionLayout.VERSION) {
      throw new GaussException(
          SqlState.FEATURE_NOT_SUPPORTED, self + " does not know this version of sessions");
    }
    int senderEpoch = payload.readIntLE();
    int expectedEpoch = payload.readIntLE();
    int attempt = payload.readIntLE();
    int ownEpoch = self.epoch().getAsInt();
    if (ownEpoch < expectedEpoch) {
      // A process listens before it is registered, and others may know its epoch before it does.
      throw new GaussException(
          SqlState.CONNECTION_FAILURE,
          "%s is in epoch %d, and not in %d yet".formatted(self, ownEpoch, expectedEpoch));
    }
    if (ownEpoch > expectedEpoch) {
      throw over(
          "%s has lost its state: it was in epoch %d, now %d"
              .formatted(self, expectedEpoch, ownEpoch));
    }
    if (senderEpoch != request.epoch()) {
      throw over("%s is in epoch %d now".formatted(request.sender(), request.epoch()));
    }
    Incoming session =
        sessions.compute(
            request.sender().node(),
            (node, old) ->
                old == null || old.epoch < senderEpoch ? new Incoming(senderEpoch) : old);
    if (session.epoch != senderEpoch) {
      throw over("%s has a session in epoch %d".formatted(request.sender(), session.epoch));
    }
    synchronized (session) {
      if (!session.state.open(attempt)) {
        throw new GaussException(SqlState.CONNECTION_FAILURE, "attempt " + attempt + " came late");
      }
      if (session.stream != null) {
        session.stream.end();
      }
      ReplyStream stream = request.openStream();
      session.connection = request.connection();
      session.stream = stream;
      session.owesState = true;
      stream.onReady(() -> tellState(session, stream));
    }
  }

  private static GaussException over(String reason) {
    return new GaussException(SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE, reason);
  }

  private void tellState(Incoming session, ReplyStream stream) {
    synchronized (session) {
      if (session.stream == stream && session.owesState && stream.ready()) {
        session.owesState = false;
        stream.push(
            SessionLayout.state(
                allocator,
                self.epoch().getAsInt(),
                session.state.attempt(),
                session.state.delivered()));
      }
    }
  }

  /** The session of a message, null when there is none. */
  private Incoming sessionOf(Request request) {
    Incoming session = sessions.get(request.sender().node());
    if (session == null || session.epoch != request.epoch()) {
      LOG.debug("a message of no session from {}", request.sender());
      return null;
    }
    return session;
  }

  private void asked(Request request) {
    Incoming session = sessionOf(request);
    if (session == null) {
      return;
    }
    int attempt = request.payload().readIntLE();
    synchronized (session) {
      if (isOfAttempt(request, session) && attempt == session.state.attempt()) {
        acknowledge(session);
      }
    }
  }

  /**
   * Whether a message came on the connection on which the attempt was opened. What a connection has
   * not sent when it breaks goes on the next one, and that may lead to the next process at the
   * address: messages for the last one must not count there, in the session that the sender has
   * opened with the new process, and under the same number of an attempt.
   */
  private static boolean isOfAttempt(Request request, Incoming session) {
    return request.connection() == session.connection;
  }

  private void acknowledge(Incoming session) {
    if (session.stream != null) {
      session.owesState = true;
      tellState(session, session.stream);
    }
  }

  private void receive(Request request) {
    Incoming session = sessionOf(request);
    if (session == null) {
      return;
    }
    ByteBuf payload = request.payload();
    long number = payload.readLongLE();
    int attempt = payload.readIntLE();
    int type = payload.readUnsignedShortLE();
    int flags = payload.readUnsignedShortLE();
    synchronized (session) {
      if (!isOfAttempt(request, session)) {
        LOG.debug("message {} came on another connection than its attempt", number);
        return;
      }
      switch (session.state.receive(attempt, number)) {
        case DELIVER -> deliver(request, type, payload);
        case DUPLICATE, STALE -> LOG.debug("message {} came again", number);
        case GAP -> {
          LOG.error(
              "message {} of {} came, {} was expected; the session is opened anew",
              number,
              request.sender(),
              session.state.delivered() + 1);
          session.stream.fail(SqlState.PROTOCOL_VIOLATION, "a message before it is missing");
        }
      }
      if ((flags & SessionLayout.ACKNOWLEDGE_NOW) != 0) {
        acknowledge(session);
      }
    }
  }

  private void deliver(Request request, int type, ByteBuf payload) {
    try {
      handler.deliver(request.sender(), request.epoch(), type, payload);
    } catch (RuntimeException e) {
      // It counts as delivered: if it were sent again it would fail again, and block all later
      // ones.
      LOG.error("message of type {} from {} failed in its handler", type, request.sender(), e);
    }
  }

  /** Forgets a node that is dead. */
  public void forget(int node, int epoch) {
    sessions.computeIfPresent(node, (n, session) -> session.epoch <= epoch ? null : session);
  }
}
