package io.gauss.compute.txn;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.Xid;
import io.gauss.common.page.UndoSpaces;
import io.gauss.common.transport.EpochGuard;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.TestNodes;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportSettings;
import io.gauss.common.transport.sim.JitterNetwork;
import io.gauss.compute.engine.TestEngine;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.peer.NodeSessions;
import io.gauss.compute.peer.PeerNodes;
import io.gauss.compute.peer.TransportPeers;
import io.gauss.compute.txn.base.TransactionSettings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/**
 * Compute nodes in one JVM, each with an engine, clock and log of its own, that share {@link
 * SharedRows} and talk over a network that is slow at random and breaks. Slots and node numbers are
 * 1 to n; node 1 runs the deadlock detector until another one is set. Nothing runs in the
 * background.
 */
public final class NodesFixture implements AutoCloseable {
  private static final int FRAMES = 64;

  private final JitterNetwork network;
  private final Map<Integer, Node> nodes = new HashMap<>();
  private final Set<Long> deadEpochs = ConcurrentHashMap.newKeySet(); // node << 32 | epoch
  private final Map<Integer, Integer> lives = new HashMap<>(); // epochs by slot, 1 at first
  private final SharedRows rows;
  private final TransactionSettings settings;
  private volatile int deadlockHost = 1;
  private volatile Runnable atClock = () -> {};

  NodesFixture(int count, int rowCount, long seed, int breaksEvery) {
    this(count, rowCount, seed, breaksEvery, engine -> engine);
  }

  /** Nodes without breaks, for tests of who comes first. */
  NodesFixture(int count, int rowCount, long seed, TransactionSettings settings) {
    this(count, rowCount, seed, 0, settings, engine -> engine);
  }

  /**
   * @param prepare is given each node's engine first, and returns the one to use
   */
  public NodesFixture(
      int count, int rowCount, long seed, int breaksEvery, UnaryOperator<TestEngine> prepare) {
    this(count, rowCount, seed, breaksEvery, TransactionFixture.SETTINGS, prepare);
  }

  private NodesFixture(
      int count,
      int rowCount,
      long seed,
      int breaksEvery,
      TransactionSettings settings,
      UnaryOperator<TestEngine> prepare) {
    this.settings = settings;
    network = new JitterNetwork(seed, 300_000, breaksEvery);
    rows = new SharedRows(rowCount);
    for (int slot = 1; slot <= count; slot++) {
      Node node = new Node(slot, 1, prepare.apply(TestEngine.ofNode(slot, FRAMES)));
      nodes.put(slot, node);
      node.transactions.recover(node.engine.newContext());
    }
    for (Node node : nodes.values()) {
      for (Node other : nodes.values()) {
        node.meet(other);
      }
    }
    for (int slot = 1; slot <= count; slot++) {
      answers(slot, slot);
    }
  }

  /** One life of a compute node. */
  public final class Node {
    public final int slot;
    final int epoch;
    public final TestEngine engine;
    final Transport transport;
    final TransportPeers peers;
    public final Transactions transactions;
    final NodeAddress address;

    private Node(int slot, int epoch, TestEngine engine) {
      this.slot = slot;
      this.epoch = epoch;
      this.engine = engine;
      EpochGuard guard = (node, e) -> !deadEpochs.contains((long) node << 32 | e);
      // The network tells both sides of what it breaks, so pings find nothing but pauses.
      TransportSettings pings =
          TransportSettings.DEFAULTS.withPings(Duration.ofMillis(50), Duration.ofSeconds(30));
      transport =
          network.transport(
              new TransportConfig(
                  NodeIdentity.of(slot, NodeRole.COMPUTE, epoch, engine.clock()),
                  TestNodes.KEY,
                  guard,
                  pings,
                  new SimpleMeterRegistry()));
      NodeSessions sessions = new NodeSessions(transport.self(), transport.allocator());
      peers = new TransportPeers(transport, slot, sessions);
      transactions =
          new Transactions(
              engine.log(),
              engine.pool(),
              engine.spaces(),
              settings,
              NodesFixture.this::nanoTime,
              peers,
              () -> deadlockHost);
      transactions.applier(rows.applier(engine.log()));
      transactions.horizon().others(this::boundOfOthers);
      Handlers handlers = new Handlers();
      sessions.register(handlers);
      transactions.register(handlers, peers);
      address = transport.listen(new NodeAddress("node-" + slot + "-" + epoch, 0), handlers);
    }

    private long boundOfOthers() {
      return nodes.values().stream()
          .filter(node -> node != this)
          .mapToLong(node -> node.transactions.horizon().localBound())
          .min()
          .orElse(Long.MAX_VALUE);
    }

    private void meet(Node other) {
      if (other != this) {
        peers.join(other.slot, other.slot, other.epoch, other.address);
      }
    }

    public Transaction session() {
      return transactions.session(engine.newContext());
    }

    int waitsElsewhere() {
      return transactions.links().remoteWaits().size();
    }

    public int waitersFromElsewhere() {
      return transactions.links().rowWaits().size();
    }
  }

  public Node node(int slot) {
    return nodes.get(slot);
  }

  Iterable<Node> all() {
    return nodes.values();
  }

  SharedRows rows() {
    return rows;
  }

  private long nanoTime() {
    atClock.run();
    return System.nanoTime();
  }

  /** Something to do from now on for each thread that looks at the time. */
  void atClock(Runnable action) {
    atClock = action;
  }

  /** All nodes report to another node's deadlock detector from now on. */
  void deadlockHost(int slot) {
    deadlockHost = slot;
  }

  /** The purge horizon of all nodes rises as far as their snapshots allow. */
  void refreshHorizon() {
    for (int round = 0; round < 2; round++) {
      nodes.values().forEach(node -> node.engine.quiesce());
      nodes.values().forEach(node -> node.transactions.refreshHorizon());
    }
  }

  /** All live nodes learn who answers for a slot. */
  void answers(int slot, int by) {
    PeerNodes.Answerer now = answerer(slot, by);
    nodes.values().forEach(node -> node.peers.answers(slot, now));
  }

  PeerNodes.Answerer answerer(int slot, int by) {
    return new PeerNodes.Answerer(by, lives.getOrDefault(slot, 1));
  }

  /**
   * A node dies with everything in its memory: the part of its log that was not forced, and what
   * that did to rows. Its stream is sealed, everybody's clock is above it, its pages are where its
   * recoverer finds them; nobody answers for it yet.
   */
  TestEngine kill(int slot, int recoverer) {
    Node dead = nodes.remove(slot);
    deadEpochs.add((long) slot << 32 | dead.epoch);
    rows.lost(dead.engine.log(), dead.engine.crash());
    dead.transport.close();
    for (Node node : nodes.values()) {
      node.peers.leave(slot, dead.epoch);
      node.engine.clock().observe(dead.engine.clock().now());
    }
    for (int held = 1; held <= Xid.MAX_SLOT; held++) {
      if (dead.transactions.slots().find(held) != null) { // it may have stood in for others
        int space = UndoSpaces.of(held);
        nodes.get(recoverer).engine.store().adopt(dead.engine.store(), space);
      }
    }
    return dead.engine;
  }

  /** A live node takes the slot of a dead one over. */
  int takeOver(int slot, int recoverer) {
    Node node = nodes.get(recoverer);
    int active = node.transactions.takeOver(node.engine.newContext(), slot);
    answers(slot, recoverer);
    return active;
  }

  /** The recoverer does not answer any more, and the map does not know yet. */
  void resign(int slot, int recoverer) {
    Node standIn = nodes.get(recoverer);
    standIn.peers.answers(slot, answerer(slot, 0));
    assertTrue(standIn.transactions.giveBack(slot), "not all is rolled back");
  }

  /** A dead node's last transaction is rolled back: all read its segments for themselves. */
  void recovered(int slot, int recoverer, TestEngine before) {
    resign(slot, recoverer);
    atRest(slot, recoverer, before);
    for (Node node : nodes.values()) {
      node.peers.answers(slot, answerer(slot, node.slot));
    }
  }

  /** The dead node's pages are where every node finds them. */
  void atRest(int slot, int recoverer, TestEngine before) {
    TestEngine standIn = nodes.get(recoverer).engine;
    standIn.quiesce();
    int space = UndoSpaces.of(slot);
    before.store().adopt(standIn.store(), space);
    for (Node node : nodes.values()) {
      if (node.slot != recoverer) {
        node.engine.store().adopt(standIn.store(), space);
      }
    }
  }

  /** Slots of the nodes that hold a slot's segments. */
  List<Integer> holding(int slot) {
    return nodes.values().stream()
        .filter(node -> node.transactions.slots().find(slot) != null)
        .map(node -> node.slot)
        .sorted()
        .toList();
  }

  /** The dead node comes back, recovered before, and gets its slot. */
  void restart(int slot, int epoch, TestEngine before) {
    lives.put(slot, epoch);
    answers(slot, 0);
    restartUnnoticed(slot, epoch, before);
    comesBack(slot, epoch);
  }

  /** The maps of all nodes show a node that is back, and that it answers for itself. */
  void comesBack(int slot, int epoch) {
    lives.put(slot, epoch);
    answers(slot, 0);
    answers(slot, slot);
  }

  /** As {@link #restart}; the other nodes' maps do not show it yet. */
  void restartUnnoticed(int slot, int epoch, TestEngine before) {
    TestEngine engine = before.restart(FRAMES);
    for (Node other : nodes.values()) {
      engine.clock().observe(other.engine.clock().now());
    }
    Node node = new Node(slot, epoch, engine);
    nodes.put(slot, node);
    for (Node other : nodes.values()) {
      node.meet(other);
      if (other != node) {
        other.meet(node);
        node.peers.answers(other.slot, answerer(other.slot, other.slot));
      }
    }
    EngineContext ctx = engine.newContext();
    node.transactions.recover(ctx);
  }

  @Override
  public void close() {
    nodes.values().forEach(node -> node.peers.close());
    nodes.values().forEach(node -> node.transport.close());
    nodes.values().forEach(node -> node.engine.closeUnchecked());
  }
}
