package io.gauss.compute.notify;

import io.gauss.common.id.Xid;
import io.gauss.compute.notify.NotifyNodes.Node;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/**
 * Sessions that listen and transactions that notify on three nodes, which die and come back, in an
 * order that a seed decides; and what each session should have heard.
 */
final class NotifyRun {
  private static final int NODES = 3;
  private static final int STEPS = 400;
  private static final String[] CHANNELS = {"a", "b"};

  private final SplittableRandom random;
  private final NotifyNodes nodes = new NotifyNodes(16L << 20);
  private final List<Txn> transactions = new ArrayList<>();
  private final List<Hearing> sessions = new ArrayList<>();
  private final List<Dead> unsealed = new ArrayList<>();
  private final List<String> wrong = new ArrayList<>();
  private long lastXid;

  private static final class Txn {
    private final Node node;
    private final String name;
    private final String channel;

    /** Names of those that were visible before it began to commit. */
    private final List<String> causes;

    private long xid;
    private Publication publication;
    private long csn;
    private boolean isVisible;
    private boolean isAborted;

    private Txn(Node node, String name, String channel, List<String> causes) {
      this.node = node;
      this.name = name;
      this.channel = channel;
      this.causes = causes;
    }
  }

  private static final class Hearing {
    private final Node node;
    private final String channel;
    private final Listener listener = new Listener(() -> 1, () -> {});
    private CompletableFuture<Void> known;

    /** The clock of its first snapshot after LISTEN; below 0 = it has not read. */
    private long read = -1;

    private boolean isListening;
    private final List<String> heard = new ArrayList<>();

    private Hearing(Node node, String channel) {
      this.node = node;
      this.channel = channel;
    }
  }

  private record Dead(Node node) {}

  NotifyRun(int seed) {
    random = new SplittableRandom(seed);
    for (int slot = 1; slot <= NODES; slot++) {
      nodes.start(slot);
    }
    for (int step = 0; step < STEPS; step++) {
      step();
    }
    finish();
    check();
  }

  /** What is not as it should be. */
  List<String> wrong() {
    return wrong;
  }

  private Node any() {
    List<Node> all = List.copyOf(nodes.live.values());
    return all.get(random.nextInt(all.size()));
  }

  private boolean isLive(Node node) {
    return nodes.live.get(node.slot) == node;
  }

  private void step() {
    int choice = random.nextInt(100);
    if (choice < 55) {
      deliver();
    } else if (choice < 65) {
      begin();
    } else if (choice < 78) {
      go();
    } else if (choice < 84) {
      force(any());
    } else if (choice < 89) {
      listen();
    } else if (choice < 94) {
      read();
    } else if (choice < 96) {
      die();
    } else {
      continueDeaths();
    }
  }

  private void deliver() {
    Node node = any();
    List<Integer> senders = node.senders();
    if (!senders.isEmpty()) {
      node.deliver(senders.get(random.nextInt(senders.size())));
    }
  }

  // ---------------------------------------------------------------- transactions

  private void begin() {
    Node node = any();
    if (!node.notifications.whenOthersAreKnown().isDone()) {
      return;
    }
    List<String> visible =
        transactions.stream().filter(txn -> txn.isVisible).map(txn -> txn.name).toList();
    String name = "t" + transactions.size();
    Txn txn = new Txn(node, name, CHANNELS[random.nextInt(CHANNELS.length)], visible);
    List<Notification> told = List.of(new Notification(1, txn.channel, name));
    txn.xid = random.nextBoolean() ? Xid.NONE : ++lastXid;
    txn.publication = node.notifications.publish(txn.xid, 1, told);
    if (txn.publication == null) {
      txn.xid = ++lastXid;
      txn.publication = node.notifications.publish(txn.xid, 1, told);
    }
    transactions.add(txn);
  }

  private void go() {
    for (Txn txn : transactions) {
      boolean isOpen = isLive(txn.node) && txn.csn == 0 && !txn.isAborted;
      if (isOpen && random.nextInt(12) == 0) {
        txn.isAborted = true;
        nodes.aborted(txn.xid);
        txn.node.notifications.abandon(txn.publication);
      } else if (isOpen && txn.publication.ready().isDone()) {
        reserve(txn);
        return;
      }
    }
  }

  private void reserve(Txn txn) {
    if (txn.xid == Xid.NONE) {
      // Without changes, and with listeners on its node only.
      txn.csn = txn.node.clock() + 1;
      txn.isVisible = true;
      txn.node.notifications.reserved(txn.publication, 0);
    } else {
      txn.csn = txn.node.reserve(txn.xid);
      txn.node.notifications.reserved(txn.publication, txn.csn);
    }
  }

  private void force(Node node) {
    node.force();
    for (Txn txn : transactions) {
      if (txn.node == node && txn.csn > 0 && txn.csn <= node.visibleLsn() && !txn.isVisible) {
        txn.isVisible = true;
        nodes.committed(txn.xid);
      }
    }
  }

  // ---------------------------------------------------------------- sessions

  private void listen() {
    Hearing session = new Hearing(any(), CHANNELS[random.nextInt(CHANNELS.length)]);
    session.known = session.node.notifications.listen(session.listener, List.of(session.channel));
    sessions.add(session);
  }

  private void read() {
    for (Hearing session : sessions) {
      if (!isLive(session.node)) {
        continue;
      }
      if (session.known.isDone() && !session.isListening) {
        session.isListening = true;
        session.node.notifications.listens(session.listener, List.of(session.channel));
      } else if (session.isListening && session.read < 0 && session.node.mayRead()) {
        session.read = session.node.clock();
      } else {
        take(session);
      }
    }
  }

  private static void take(Hearing session) {
    session.node.notifications.look();
    for (Notification one : session.node.notifications.take(session.listener, 500)) {
      session.heard.add(one.payload());
    }
  }

  // ---------------------------------------------------------------- deaths

  private void die() {
    if (nodes.live.size() < NODES || !unsealed.isEmpty()) {
      return;
    }
    Node node = any();
    long durable = random.nextBoolean() ? node.clock() : node.visibleLsn();
    nodes.kill(node, durable);
    unsealed.add(new Dead(node));
    for (Txn txn : transactions) {
      if (txn.node == node && !txn.isVisible && txn.xid != Xid.NONE) {
        txn.isVisible = txn.csn > 0 && txn.csn <= durable;
        txn.isAborted = !txn.isVisible;
      }
    }
  }

  /** Others learn of it one by one; then its stream is sealed, and then it comes back. */
  private void continueDeaths() {
    for (Node node : nodes.live.values()) {
      List<Integer> dead = node.unknownDeaths();
      if (!dead.isEmpty()) {
        node.learnsOfDeath(dead.getFirst());
        return;
      }
    }
    if (!unsealed.isEmpty()) {
      Node dead = unsealed.removeFirst().node();
      List<Long> xids =
          transactions.stream()
              .filter(txn -> txn.node == dead && txn.xid != Xid.NONE)
              .map(txn -> txn.xid)
              .toList();
      nodes.seal(dead, xids);
      nodes.streamsAreSealed();
    } else if (nodes.live.size() < NODES) {
      for (int slot = 1; slot <= NODES; slot++) {
        if (!nodes.live.containsKey(slot)) {
          nodes.start(slot);
        }
      }
    }
  }

  // ---------------------------------------------------------------- the end

  private void finish() {
    for (int i = 0; i < 2 * NODES + 2; i++) {
      continueDeaths();
    }
    boolean isQuiet = false;
    while (!isQuiet) {
      isQuiet = true;
      for (Node node : nodes.live.values()) {
        for (int from : node.senders()) {
          node.deliver(from);
          isQuiet = false;
        }
      }
      for (Txn txn : transactions) {
        if (isLive(txn.node)
            && txn.csn == 0
            && !txn.isAborted
            && txn.publication.ready().isDone()) {
          reserve(txn);
          isQuiet = false;
        }
      }
      nodes.live.values().forEach(this::force);
      for (Node node : nodes.live.values()) {
        isQuiet &= node.senders().isEmpty();
      }
    }
    for (Node node : nodes.live.values()) {
      while (node.notifications.state().undecided() > 0) {
        Thread.onSpinWait();
      }
    }
    sessions.stream()
        .filter(session -> isLive(session.node))
        .forEach(
            session -> {
              int before = -1;
              while (before != session.heard.size()) {
                before = session.heard.size();
                take(session);
              }
            });
  }

  private void check() {
    for (Txn txn : transactions) {
      if (isLive(txn.node) && txn.csn == 0 && !txn.isAborted) {
        wrong.add(txn.name + " could not commit");
      }
    }
    sessions.stream().filter(session -> isLive(session.node)).forEach(this::check);
    for (Node node : nodes.live.values()) {
      if (node.notifications.state().queueBytes() != 0) {
        wrong.add("the queue of node " + node.slot + " is not empty");
      }
    }
  }

  private void check(Hearing session) {
    Set<String> heard = new HashSet<>(session.heard);
    if (heard.size() != session.heard.size()) {
      wrong.add("heard twice: " + session.heard);
    }
    if (!session.known.isDone()) {
      wrong.add("a LISTEN was not answered");
    }
    for (Txn txn : transactions) {
      boolean isCommitted = txn.isVisible && !txn.isAborted;
      boolean isForIt = txn.channel.equals(session.channel);
      if (heard.contains(txn.name) && !(isCommitted && isForIt)) {
        wrong.add(txn.name + " was heard");
      }
      boolean isMissed =
          session.read >= 0
              && isCommitted
              && isForIt
              && txn.csn > session.read
              && txn.xid != Xid.NONE
              && !heard.contains(txn.name);
      if (isMissed) {
        wrong.add(txn.name + " was missed: " + txn.csn + " after " + session.read);
      }
      checkOrder(session, txn);
    }
  }

  private void checkOrder(Hearing session, Txn txn) {
    int at = session.heard.indexOf(txn.name);
    if (at < 0) {
      return;
    }
    for (String cause : txn.causes) {
      if (session.heard.indexOf(cause) > at) {
        wrong.add(cause + " was heard after " + txn.name);
      }
    }
    for (Txn other : transactions) {
      boolean isBefore =
          other.node == txn.node
              && other.xid != Xid.NONE
              && txn.xid != Xid.NONE
              && other.csn < txn.csn;
      if (isBefore && session.heard.indexOf(other.name) > at) {
        wrong.add(other.name + " was heard after " + txn.name + ", which committed later");
      }
    }
  }
}
