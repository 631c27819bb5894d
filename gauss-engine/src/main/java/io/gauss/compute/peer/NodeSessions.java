package io.gauss.compute.peer;

import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.RemoteNode;
import io.gauss.common.transport.session.SessionServer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The receiving side of all sessions to this compute node, of compute and memory nodes alike:
 * passes each message to the receiver of its type.
 *
 * <p>Other nodes send messages to a node as soon as it is in the cluster map, which is before its
 * receivers exist. Messages of a type without a receiver wait here, in order, until there is one;
 * they are few, since other nodes send first only to ask what the node has. Thread-safe.
 */
public final class NodeSessions implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeSessions.class);

  private final SessionServer server;
  private final Map<Integer, Inbox> inboxes = new ConcurrentHashMap<>(); // by type
  private volatile boolean complete;

  /** Takes messages of one type, in the order in which each node sent them. Must not block. */
  @FunctionalInterface
  public interface Receiver {
    /**
     * @param epoch of the sender
     * @param payload released when this returns
     */
    void receive(RemoteNode sender, int epoch, ByteBuf payload);
  }

  /** Messages of one type. */
  private final class Inbox {
    private final Queue<Held> held = new ArrayDeque<>(); // under this object's lock
    private volatile Receiver receiver;

    synchronized void open(MessageType type, Receiver to) {
      if (receiver != null) {
        throw new IllegalArgumentException("two receivers for " + type);
      }
      for (Held next = held.poll(); next != null; next = held.poll()) {
        try {
          to.receive(next.sender, next.epoch, next.payload);
        } catch (RuntimeException e) {
          LOG.error("a message of {} from {} failed in its handler", type, next.sender, e);
        } finally {
          next.payload.release();
        }
      }
      receiver = to;
    }

    /** Null when the message has been kept, or will never have a receiver. */
    synchronized Receiver receiverOrHold(RemoteNode sender, int epoch, int type, ByteBuf payload) {
      if (receiver == null && complete) {
        LOG.error("a message of type {} from {} is for nobody here", type, sender);
      } else if (receiver == null) {
        held.add(new Held(sender, epoch, payload.retain()));
      }
      return receiver;
    }

    synchronized void drop() {
      held.forEach(one -> one.payload.release());
      held.clear();
    }
  }

  private record Held(RemoteNode sender, int epoch, ByteBuf payload) {}

  public NodeSessions(NodeIdentity self, ByteBufAllocator allocator) {
    this.server = new SessionServer(self, allocator, this::deliver);
  }

  /** Adds the handlers of sessions' messages. Before listening. */
  public void register(Handlers handlers) {
    server.register(handlers);
  }

  /**
   * Sets the receiver of a type's messages: it gets the waiting ones, and all later ones.
   *
   * @throws IllegalArgumentException when the type has a receiver already
   */
  public void on(MessageType type, Receiver receiver) {
    inbox(type.id()).open(type, receiver);
  }

  /** No further receivers will be added. */
  public void complete() {
    complete = true;
    inboxes.values().forEach(Inbox::drop);
  }

  private Inbox inbox(int type) {
    return inboxes.computeIfAbsent(type, t -> new Inbox());
  }

  private void deliver(RemoteNode sender, int epoch, int type, ByteBuf payload) {
    Inbox inbox = inbox(type);
    Receiver receiver = inbox.receiver;
    if (receiver == null) {
      receiver = inbox.receiverOrHold(sender, epoch, type, payload);
    }
    if (receiver != null) {
      receiver.receive(sender, epoch, payload);
    }
  }

  /** Forgets a node that is dead. */
  void forget(int node, int epoch) {
    server.forget(node, epoch);
  }

  /** Drops messages that got no receiver. */
  @Override
  public void close() {
    complete();
  }
}
