package io.gauss.compute.peer;

import io.gauss.common.id.Xid;
import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.RemoteNode;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportException;
import io.gauss.common.transport.TransportException.Reason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The other compute nodes over a transport: a connection and a session to each, and the receiving
 * side of theirs. The follower of the cluster map reports which nodes are live ({@link #join},
 * {@link #leave}) and which node answers for which slot ({@link #answers}). Thread-safe.
 */
public final class TransportPeers implements PeerNodes, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TransportPeers.class);

  private final int self;
  private final Transport transport;
  private final NodeSessions sessions;
  private final Map<Integer, PeerLink> links = new ConcurrentHashMap<>(); // by slot
  private final Map<Integer, Integer> slots = new ConcurrentHashMap<>(); // by node
  // By slot; the last one is for a slot in an xid that was never written.
  private final AtomicReferenceArray<Answerer> answering =
      new AtomicReferenceArray<>(Xid.MAX_SLOT + 2);
  private final List<PeerListener> listeners = new CopyOnWriteArrayList<>();

  /**
   * @param self slot of this node, for which it answers
   * @param sessions receives the messages of others
   */
  public TransportPeers(Transport transport, int self, NodeSessions sessions) {
    this.transport = transport;
    this.self = self;
    this.sessions = sessions;
    for (int slot = 0; slot < answering.length(); slot++) {
      answering.set(slot, new Answerer(slot == self ? self : NO_SUCH_SLOT, 0));
    }
  }

  /** Sets the receiver of messages of a type that others {@link #send}. Before they can arrive. */
  public TransportPeers on(MessageType type, PeerReceiver receiver) {
    sessions.on(
        type,
        (sender, epoch, payload) -> {
          int slot = slotOf(sender);
          PeerLink link = links.get(slot);
          if (slot == 0) {
            LOG.error("a message of type {} from {}, which is not known here", type, sender);
          } else if (link != null && link.epoch() > epoch) {
            LOG.debug("a message of type {} from a dead life of {}", type, sender);
          } else {
            receiver.receive(slot, epoch, payload);
          }
        });
    return this;
  }

  /**
   * A compute node has joined. It does not answer for its slot until {@link #answers} says so.
   *
   * @param epoch of the node
   */
  public void join(int slot, int node, int epoch, NodeAddress address) {
    PeerLink link =
        new PeerLink(
            transport, slot, node, epoch, address, () -> listeners.forEach(l -> l.lost(slot)));
    slots.put(node, slot);
    Answerer nobody = answerer(slot);
    if (nobody.by() == NO_SUCH_SLOT) {
      answering.compareAndSet(slot, nobody, new Answerer(0, epoch));
    }
    PeerLink before = links.put(slot, link);
    if (before != null) {
      before.close();
    }
  }

  /**
   * A compute node is gone, and this epoch of it never comes back; no node answers for its slot.
   * Without effect when it is not here in this epoch.
   *
   * @param epoch in which it died
   */
  public void leave(int slot, int epoch) {
    PeerLink link = links.get(slot);
    if (link == null || link.epoch() != epoch) {
      return;
    }
    answers(slot, new Answerer(0, epoch));
    links.remove(slot, link);
    link.close();
    sessions.forget(link.node(), epoch);
    listeners.forEach(listener -> listener.lost(slot));
  }

  /** Sets the node that answers for a slot's undo segments from now on. */
  public void answers(int slot, Answerer now) {
    Answerer before = answering.getAndAccumulate(slot, now, (was, is) -> is.equals(was) ? was : is);
    if (!now.equals(before)) {
      listeners.forEach(listener -> listener.answersChanged(slot));
    }
  }

  /** The slot of a node that sent a message; 0 when it is not (yet) known here. */
  int slotOf(RemoteNode node) {
    return slots.getOrDefault(node.node(), 0);
  }

  @Override
  public int self() {
    return self;
  }

  @Override
  public Answerer answerer(int slot) {
    return answering.get(slot);
  }

  @Override
  public boolean has(int node) {
    return links.containsKey(node);
  }

  @Override
  public CompletableFuture<ByteBuf> call(
      int node, MessageType type, ByteBuf payload, long timeoutNanos) {
    PeerLink link = links.get(node);
    if (link == null) {
      payload.release();
      return CompletableFuture.failedFuture(
          new TransportException(
              Reason.DISCONNECTED, false, "there is no compute node in slot " + node));
    }
    return link.call(type, payload, timeoutNanos);
  }

  @Override
  public void send(int node, MessageType type, ByteBuf payload) {
    PeerLink link = links.get(node);
    if (link == null) {
      payload.release();
    } else {
      link.send(type, payload);
    }
  }

  @Override
  public boolean has(int node, int epoch) {
    PeerLink link = links.get(node);
    return link != null && link.epoch() == epoch;
  }

  @Override
  public void send(int slot, int epoch, MessageType type, ByteBuf payload) {
    PeerLink link = links.get(slot);
    if (link == null || link.epoch() != epoch) {
      payload.release();
    } else {
      link.send(type, payload);
    }
  }

  @Override
  public ByteBufAllocator allocator() {
    return transport.allocator();
  }

  @Override
  public void addListener(PeerListener listener) {
    listeners.add(listener);
  }

  @Override
  public void close() {
    links.values().forEach(PeerLink::close);
    links.clear();
  }
}
