package io.gauss.memory.node;

import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportException;
import io.gauss.common.transport.TransportException.Reason;
import io.gauss.common.transport.session.Session;
import io.gauss.common.transport.session.SessionListener;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What goes from this node to one compute node in one epoch: everything once and in the order
 * given. Before the cluster map tells where the node is, and while the session's window is full,
 * messages wait here. Thread-safe.
 */
final class ComputeLink implements SessionListener, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ComputeLink.class);
  private static final int WINDOW_MESSAGES = 8_192;
  private static final long WINDOW_BYTES = 32L << 20;

  private final int epoch;
  private final int slot;
  private final int windowMessages;
  private final Deque<Waiting> waiting = new ArrayDeque<>(); // under this object's lock
  private Peer peer;
  private Session session;
  private boolean over;

  private record Waiting(MessageType type, ByteBuf payload) {}

  ComputeLink(int epoch, int slot) {
    this(epoch, slot, WINDOW_MESSAGES);
  }

  /**
   * @param windowMessages most messages that are sent and not acknowledged
   */
  ComputeLink(int epoch, int slot, int windowMessages) {
    this.epoch = epoch;
    this.slot = slot;
    this.windowMessages = windowMessages;
  }

  int epoch() {
    return epoch;
  }

  int slot() {
    return slot;
  }

  /** The cluster map tells where the node is; said again it changes nothing. */
  synchronized void connect(Transport transport, NodeIdentity self, int node, NodeAddress address) {
    if (session != null || over) {
      return;
    }
    peer = transport.connect(address, node);
    session = new Session(peer, self, transport.allocator(), windowMessages, WINDOW_BYTES, this);
    pump();
  }

  /** Sends a message and takes over its payload. What is for a node that has gone is dropped. */
  synchronized void send(MessageType type, ByteBuf payload) {
    if (over) {
      payload.release();
      return;
    }
    waiting.addLast(new Waiting(type, payload));
    pump();
  }

  private void pump() {
    while (session != null && !waiting.isEmpty()) {
      Waiting next = waiting.peekFirst();
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
