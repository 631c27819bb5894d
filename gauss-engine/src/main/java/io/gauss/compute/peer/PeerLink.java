package io.gauss.compute.peer;

import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportException;
import io.gauss.common.transport.TransportException.Reason;
import io.gauss.common.transport.session.Session;
import io.gauss.common.transport.session.SessionListener;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One other compute node in one of its lives: a connection, and the session to it. Messages for
 * which the session's window has no room wait here, in order; there are about as many as waiting
 * transactions. Thread-safe.
 */
final class PeerLink implements SessionListener, AutoCloseable {
  private static final int WINDOW_MESSAGES = 4096;
  private static final long WINDOW_BYTES = 8L << 20;

  private final int slot;
  private final int node;
  private final int epoch;
  private final Peer peer;
  private final Session session;
  private final Runnable onBroken;
  private final ReentrantLock lock = new ReentrantLock();
  private final ArrayDeque<Message> waiting = new ArrayDeque<>(); // under lock
  private boolean broken; // under lock

  private record Message(MessageType type, ByteBuf payload) {}

  PeerLink(
      Transport transport, int slot, int node, int epoch, NodeAddress address, Runnable onBroken) {
    this.slot = slot;
    this.node = node;
    this.epoch = epoch;
    this.onBroken = onBroken;
    this.peer = transport.connect(address, node);
    this.session =
        new Session(
            peer,
            transport.self(),
            epoch,
            transport.allocator(),
            WINDOW_MESSAGES,
            WINDOW_BYTES,
            this);
  }

  int slot() {
    return slot;
  }

  int node() {
    return node;
  }

  /** Of the other node. */
  int epoch() {
    return epoch;
  }

  CompletableFuture<ByteBuf> call(MessageType type, ByteBuf payload, long timeoutNanos) {
    return peer.call(type, payload, timeoutNanos);
  }

  void send(MessageType type, ByteBuf payload) {
    lock.lock();
    try {
      if (broken) {
        payload.release();
      } else if (!waiting.isEmpty() || !trySend(type, payload)) {
        waiting.add(new Message(type, payload));
      }
    } finally {
      lock.unlock();
    }
  }

  /** False when the window is full; then the payload still belongs to the caller. */
  private boolean trySend(MessageType type, ByteBuf payload) {
    try {
      session.send(type, payload.retain());
    } catch (TransportException e) {
      if (e.reason() == Reason.OVERLOADED) {
        return false;
      }
      // Broken: the listener is notified.
    }
    payload.release();
    return true;
  }

  @Override
  public void onRoom() {
    lock.lock();
    try {
      for (Message next = waiting.peek(); next != null; next = waiting.peek()) {
        if (!trySend(next.type, next.payload)) {
          return;
        }
        waiting.remove();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void onBroken(String reason) {
    drop();
    onBroken.run();
  }

  private void drop() {
    lock.lock();
    try {
      broken = true;
      waiting.forEach(message -> message.payload.release());
      waiting.clear();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    drop();
    session.close();
    peer.close();
  }
}
