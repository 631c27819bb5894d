package io.gauss.common.transport.session;

import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportException;
import io.gauss.common.transport.TransportException.Reason;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The messages from this node to another one in one of its epochs, each once and in the order
 * given. Until the cluster map has the other node's address, and while the session's window is
 * full, messages wait here; the sender bounds their number. Thread-safe.
 */
public final class SessionLink implements SessionListener, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SessionLink.class);
  private static final int WINDOW_MESSAGES = 8_192;
  private static final long WINDOW_BYTES = 32L << 20;

  private final int epoch;
  private final int windowMessages;
  private final Deque<Waiting> waiting = new ArrayDeque<>(); // under this object's lock
  private Peer peer;
  private Session session;
  private boolean over;
  private long waitingBytes;

  private record Waiting(MessageType type, ByteBuf payload) {}

  /**
   * @param epoch of the other node
   */
  public SessionLink(int epoch) {
    this(epoch, WINDOW_MESSAGES);
  }

  /**
   * @param windowMessages maximum number of sent and unacknowledged messages
   */
  SessionLink(int epoch, int windowMessages) {
    this.epoch = epoch;
    this.windowMessages = windowMessages;
  }

  /** Epoch of the other node. */
  public int epoch() {
    return epoch;
  }

  /** Connects to the node's address in the cluster map; repeated calls have no effect. */
  public synchronized void connect(
      Transport transport, NodeIdentity self, int node, NodeAddress address) {
    if (session != null || over) {
      return;
    }
    peer = transport.connect(address, node);
    session =
        new Session(peer, self, epoch, transport.allocator(), windowMessages, WINDOW_BYTES, this);
    pump();
  }

  /** Sends a message and takes over its payload. Messages for a node that is gone are dropped. */
  public synchronized void send(MessageType type, ByteBuf payload) {
    if (over) {
      payload.release();
      return;
    }
    waiting.addLast(new Waiting(type, payload));
    waitingBytes += payload.readableBytes();
    pump();
  }

  /**
   * Sends a request to the node outside the session: the answer may arrive before or after messages
   * that were sent.
   *
   * @param payload taken over
   * @return the answer's payload, which the caller releases; or fails with {@link
   *     TransportException}
   */
  public CompletableFuture<ByteBuf> call(MessageType type, ByteBuf payload, long timeoutNanos) {
    Peer to;
    synchronized (this) {
      to = over ? null : peer;
    }
    if (to == null) {
      payload.release();
      return CompletableFuture.failedFuture(
          new TransportException(Reason.DISCONNECTED, false, "there is no node in epoch " + epoch));
    }
    return to.call(type, payload, timeoutNanos);
  }

  /** Bytes that wait for room in the session's window, or for a first connection. */
  public synchronized long waitingBytes() {
    return waitingBytes;
  }

  /** Number of messages that wait likewise, or are sent and not acknowledged. */
  public synchronized int waitingMessages() {
    return waiting.size() + (session == null ? 0 : session.unacknowledged());
  }

  private void pump() {
    while (session != null && !waiting.isEmpty()) {
      Waiting next = waiting.peekFirst();
      int bytes = next.payload().readableBytes();
      try {
        session.send(next.type(), next.payload().retain());
      } catch (TransportException e) {
        if (e.reason() == Reason.OVERLOADED) {
          return; // onRoom follows
        }
        LOG.debug("nothing more goes to epoch {}", epoch, e);
        end();
        return;
      }
      waiting.removeFirst();
      waitingBytes -= bytes;
      next.payload().release();
    }
  }

  @Override
  public synchronized void onRoom() {
    pump();
  }

  @Override
  public synchronized void onBroken(String reason) {
    LOG.info("the session with epoch {} is over: {}", epoch, reason);
    end();
  }

  private void end() {
    over = true;
    waiting.forEach(one -> one.payload().release());
    waiting.clear();
    waitingBytes = 0;
  }

  @Override
  public void close() {
    Session ended;
    Peer closed;
    synchronized (this) {
      ended = session;
      closed = peer;
      end();
    }
    if (ended != null) {
      ended.close();
      closed.close();
    }
  }
}
