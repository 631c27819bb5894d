package io.gauss.compute.notify;

import io.gauss.common.error.GaussException;
import io.gauss.common.transport.MessageType;
import io.gauss.compute.peer.PeerListener;
import io.gauss.compute.peer.PeerNodes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Nodes with {@link Notifications}, and around them what a cluster does as far as these depend on
 * it: sessions between nodes in which messages arrive in order and whenever the test says so,
 * clocks, logs that become visible late, deaths that each node learns of by itself. One thread,
 * except that outcomes are asked for.
 */
final class NotifyNodes {
  private static final int LSN_STEP = 64; // a clock's low digits are the slot

  final Map<Integer, Node> live = new TreeMap<>();
  private final Map<Integer, Node> newest = new TreeMap<>();

  /** Outcomes of transactions of dead nodes, once their streams are sealed. */
  private final Map<Long, Boolean> outcomes = new ConcurrentHashMap<>();

  private final long queueBytes;
  private int lastEpoch;
  private long sealed;

  NotifyNodes(long queueBytes) {
    this.queueBytes = queueBytes;
  }

  private record Message(long clock, byte[] bytes) {}

  /** A commit that waits for the log. */
  private record Wait(long lsn, Consumer<GaussException> done) {}

  /** A node in one life. */
  final class Node implements PeerNodes, Notifications.Log {
    final int slot;
    final int epoch;
    final Notifications notifications;
    private final List<PeerListener> listeners = new ArrayList<>();
    private final Map<Integer, Integer> known = new TreeMap<>(); // slots and epochs
    private final Map<Integer, ArrayDeque<Message>> arriving = new TreeMap<>(); // by sender
    private final List<Wait> waits = new ArrayList<>();
    private final TreeMap<Long, Long> unfinished = new TreeMap<>(); // xids by LSN
    private long clock;
    private long visible;
    private boolean mayRead = true;

    private Node(int slot) {
      this.slot = slot;
      this.epoch = ++lastEpoch;
      this.notifications = new Notifications(this, () -> clock, queueBytes);
    }

    long clock() {
      return clock;
    }

    /** Whether a snapshot may be taken: the streams of all that are known to be dead are sealed. */
    boolean mayRead() {
      return mayRead;
    }

    /** The next LSN. */
    long reserve(long xid) {
      clock = (clock / LSN_STEP + 1) * LSN_STEP + slot;
      unfinished.put(clock, xid);
      return clock;
    }

    /** The log is forced, and the clocks of all others pass it. */
    void force() {
      if (unfinished.isEmpty()) {
        return;
      }
      long now = unfinished.lastKey();
      live.values().forEach(node -> node.clock = Math.max(node.clock, now));
      visible = now;
      unfinished.clear();
      List<Wait> done = List.copyOf(waits);
      waits.clear();
      done.forEach(wait -> wait.done().accept(null));
    }

    /** Senders from which something has come. */
    List<Integer> senders() {
      return arriving.entrySet().stream()
          .filter(entry -> !entry.getValue().isEmpty())
          .map(Map.Entry::getKey)
          .toList();
    }

    void deliver(int from) {
      Message message = arriving.get(from).remove();
      clock = Math.max(clock, message.clock());
      notifications.receive(from, known.get(from), Unpooled.wrappedBuffer(message.bytes()));
    }

    /** Nodes whose death it does not know yet. */
    List<Integer> unknownDeaths() {
      return known.entrySet().stream()
          .filter(
              entry ->
                  !live.containsKey(entry.getKey())
                      || live.get(entry.getKey()).epoch != entry.getValue())
          .map(Map.Entry::getKey)
          .toList();
    }

    void learnsOfDeath(int other) {
      known.remove(other);
      arriving.remove(other);
      mayRead = false;
      listeners.forEach(listener -> listener.lost(other));
    }

    @Override
    public int self() {
      return slot;
    }

    @Override
    public Answerer answerer(int of) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean has(int node) {
      return known.containsKey(node);
    }

    @Override
    public boolean has(int node, int itsEpoch) {
      return known.containsKey(node) && known.get(node) == itsEpoch;
    }

    @Override
    public CompletableFuture<ByteBuf> call(int node, MessageType type, ByteBuf p, long nanos) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void send(int node, MessageType type, ByteBuf payload) {
      Node to = live.get(node);
      byte[] bytes = new byte[payload.readableBytes()];
      payload.readBytes(bytes);
      payload.release();
      if (has(node) && to != null && to.epoch == known.get(node) && to.has(slot, epoch)) {
        to.arriving.computeIfAbsent(slot, s -> new ArrayDeque<>()).add(new Message(clock, bytes));
      }
    }

    @Override
    public void send(int node, int itsEpoch, MessageType type, ByteBuf payload) {
      if (has(node, itsEpoch)) {
        send(node, type, payload);
      } else {
        payload.release();
      }
    }

    @Override
    public ByteBufAllocator allocator() {
      return UnpooledByteBufAllocator.DEFAULT;
    }

    @Override
    public void addListener(PeerListener listener) {
      listeners.add(listener);
    }

    @Override
    public void whenVisible(long lsn, Consumer<GaussException> done) {
      if (lsn <= visible) {
        done.accept(null);
      } else {
        waits.add(new Wait(lsn, done));
      }
    }

    @Override
    public long visibleLsn() {
      return visible;
    }
  }

  /** A node joins: all others have installed it, and it them, before it does anything. */
  Node start(int slot) {
    Node node = new Node(slot);
    for (Node other : live.values()) {
      other.known.put(slot, node.epoch);
      node.known.put(other.slot, other.epoch);
      node.clock = Math.max(node.clock, other.clock);
    }
    node.clock = Math.max(node.clock, sealed);
    live.put(slot, node);
    newest.put(slot, node);
    node.addListener(node.notifications);
    node.notifications.begin(node, outcomes::get);
    return node;
  }

  /**
   * A node dies.
   *
   * @param last LSN up to which its log has got to the storage nodes
   */
  void kill(Node node, long last) {
    live.remove(node.slot);
    node.unfinished.tailMap(last, false).clear();
  }

  /** Its stream is sealed: all clocks are above it, and outcomes are known. */
  void seal(Node node, List<Long> xids) {
    long end = node.unfinished.isEmpty() ? node.visible : node.unfinished.lastKey();
    sealed = Math.max(sealed, end);
    live.values().forEach(other -> other.clock = Math.max(other.clock, end));
    for (long xid : xids) {
      outcomes.putIfAbsent(xid, node.unfinished.containsValue(xid));
    }
  }

  /** Nodes that know of all deaths may read again. */
  void streamsAreSealed() {
    live.values().forEach(node -> node.mayRead = true);
  }

  /** An outcome that everybody knows. */
  void committed(long xid) {
    outcomes.put(xid, true);
  }

  /** An outcome that everybody knows. */
  void aborted(long xid) {
    outcomes.put(xid, false);
  }
}
