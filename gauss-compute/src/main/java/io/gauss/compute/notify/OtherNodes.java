package io.gauss.compute.notify;

import io.gauss.compute.notify.wire.NotifyLayout;
import io.gauss.compute.notify.wire.NotifyMessage;
import io.gauss.compute.peer.PeerNodes;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * The other compute nodes, as far as notifications concern them: to what they listen, and messages
 * to them. Under the lock of {@link Notifications}.
 */
final class OtherNodes {
  private final PeerNodes peers;
  private final Map<Integer, OtherNode> bySlot = new TreeMap<>();
  private final List<CompletableFuture<Void>> untilKnown = new ArrayList<>();

  OtherNodes(PeerNodes peers) {
    this.peers = peers;
  }

  static long bit(int slot) {
    return 1L << slot;
  }

  int self() {
    return peers.self();
  }

  /** Whether another node is in this slot. */
  boolean isLive(int slot) {
    return slot != peers.self() && peers.has(slot);
  }

  boolean isLive(int slot, int epoch) {
    return peers.has(slot, epoch);
  }

  OtherNode of(int slot) {
    return bySlot.computeIfAbsent(slot, OtherNode::new);
  }

  /** Those from which something was heard, or that were asked. */
  Collection<OtherNode> all() {
    return bySlot.values();
  }

  /** A node's life is over. */
  void lost(int slot) {
    OtherNode gone = bySlot.remove(slot);
    if (gone != null) {
      gone.giveUp();
    }
    checkKnown();
  }

  // ---------------------------------------------------------------- to what they listen

  /** Asks a node to what it listens. */
  void ask(int slot) {
    of(slot).isAwaited = true;
    send(slot, new NotifyMessage.Ask());
  }

  /** A node has said to what it listens. */
  void listens(int slot, long[] classes) {
    OtherNode other = of(slot);
    other.classes = classes;
    other.isAwaited = false;
    checkKnown();
  }

  /** Completes when all that were asked have answered, or are gone. */
  CompletableFuture<Void> whenKnown() {
    untilKnown.removeIf(CompletableFuture::isDone); // who waited has given up
    CompletableFuture<Void> known = new CompletableFuture<>();
    untilKnown.add(known);
    checkKnown();
    return known;
  }

  private void checkKnown() {
    if (bySlot.values().stream().noneMatch(other -> other.isAwaited)) {
      untilKnown.forEach(known -> known.complete(null));
      untilKnown.clear();
    }
  }

  // ---------------------------------------------------------------- messages

  void send(int slot, NotifyMessage message) {
    send(slot, encoded(message));
  }

  void send(int slot, ByteBuf message) {
    peers.send(slot, NotifyLayout.NOTIFY, message);
  }

  /** To this life of the node, and no later one. */
  void send(int slot, int epoch, NotifyMessage message) {
    peers.send(slot, epoch, NotifyLayout.NOTIFY, encoded(message));
  }

  ByteBuf encoded(NotifyMessage message) {
    return NotifyLayout.write(peers.allocator().buffer(), message);
  }
}
