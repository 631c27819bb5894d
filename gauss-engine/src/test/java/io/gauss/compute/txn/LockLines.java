package io.gauss.compute.txn;

import io.gauss.common.error.SqlState;
import io.gauss.memory.home.LockHomes;
import io.gauss.memory.lock.LockAction;
import io.gauss.memory.lock.LockName;
import io.gauss.memory.lock.NodeLockTransitions.Message;
import io.gauss.storage.map.api.PageBuckets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * The home of all locks, and a line to and from each node. Messages of a line arrive in order;
 * which line is next is decided at random. A node's epoch is its slot.
 */
final class LockLines implements AutoCloseable {
  private static final int MOST_LOCKS = 1000;

  private final Random random;
  private final Map<Integer, NodeLocks> nodes = new HashMap<>();
  private final List<Deque<Runnable>> lines = new ArrayList<>(); // under this
  private final List<Integer> reporting =
      new ArrayList<>(); // nodes that have to report; under this
  private LockHomes home; // of the thread that delivers
  private boolean delivering; // what is not in a line any more and not done; under this
  private int life; // of the home; under this
  private volatile boolean closed;
  private volatile boolean held;
  private final Thread thread;

  LockLines(NodesFixture fixture, long seed) {
    random = new Random(seed);
    home = newHome(0);
    for (NodesFixture.Node node : fixture.all()) {
      int slot = node.slot;
      while (lines.size() <= 2 * slot + 1) {
        lines.add(new ArrayDeque<>());
      }
      NodeLocks locks = new NodeLocks((name, message) -> toHome(slot, name, message), node.peers);
      node.transactions.leases(locks);
      nodes.put(slot, locks);
    }
    thread = Thread.ofPlatform().daemon().start(this::deliver);
  }

  NodeLocks node(int slot) {
    return nodes.get(slot);
  }

  /** Nothing is delivered from now on, or again. */
  void hold(boolean stop) {
    held = stop;
  }

  private LockHomes newHome(int number) {
    return new LockHomes(
        MOST_LOCKS,
        new LockHomes.Orders() {
          @Override
          public void order(LockName name, LockAction action) {
            toNode(number, action.epoch(), () -> nodes.get(action.epoch()).order(name, action));
          }

          @Override
          public void refuse(
              LockName name, int epoch, long request, SqlState state, String message) {
            toNode(
                number,
                epoch,
                () -> nodes.get(epoch).refused(name, request, state.code(), message));
          }
        });
  }

  private synchronized void toNode(int number, int epoch, Runnable what) {
    if (number == life) {
      lines.get(2 * epoch).add(what);
    }
  }

  private synchronized void toHome(int slot, LockName name, Message message) {
    int number = life;
    lines.get(2 * slot + 1).add(() -> arrived(number, slot, name, message));
  }

  private void arrived(int number, int slot, LockName name, Message message) {
    synchronized (this) {
      if (number != life || (message instanceof Message.Request && !reporting.isEmpty())) {
        return;
      }
    }
    switch (message) {
      case Message.Request r -> home.request(name, slot, r.request(), r.mode(), r.ahead(), r.now());
      case Message.Withdraw w -> home.withdraw(name, slot, w.request());
      case Message.Release r -> home.release(name, slot, r.modes(), r.upTo());
      case Message.Report r -> home.reported(name, slot, r.mode(), r.number());
      case Message.Probed p -> home.probed(name, slot, p.asker(), p.request());
    }
  }

  /** The home is lost with all that it knows and all that is under way; a new one begins. */
  void loseHome() {
    synchronized (this) {
      lines.forEach(Deque::clear);
      life++;
      reporting.clear();
      reporting.addAll(nodes.keySet());
      int number = life;
      lines.getFirst().add(() -> home = newHome(number));
    }
    for (Map.Entry<Integer, NodeLocks> node : nodes.entrySet()) {
      buckets().forEach(node.getValue()::homeChanged);
      synchronized (this) {
        int slot = node.getKey();
        int number = life;
        lines.get(2 * slot + 1).add(() -> reported(number, slot));
      }
    }
  }

  private static IntStream buckets() {
    return IntStream.range(0, PageBuckets.BUCKETS);
  }

  private void reported(int number, int slot) {
    synchronized (this) {
      if (number != life || !reporting.remove((Integer) slot) || !reporting.isEmpty()) {
        return;
      }
      nodes.forEach((to, locks) -> lines.get(2 * to).add(() -> buckets().forEach(locks::askAgain)));
    }
  }

  private void deliver() {
    while (!closed) {
      Runnable next = held ? null : next();
      if (next == null) {
        Thread.yield();
      } else {
        next.run();
        delivered();
      }
    }
  }

  private synchronized void delivered() {
    delivering = false;
  }

  private synchronized Runnable next() {
    Runnable next = poll();
    delivering = next != null;
    return next;
  }

  private Runnable poll() {
    Deque<Runnable> first = lines.getFirst();
    if (!first.isEmpty()) {
      return first.poll(); // the new home, before anything comes to it
    }
    List<Deque<Runnable>> filled = lines.stream().filter(line -> !line.isEmpty()).toList();
    return filled.isEmpty() ? null : filled.get(random.nextInt(filled.size())).poll();
  }

  /** Locks that the home remembers. */
  int size() {
    return home.size();
  }

  /** Whether nothing is under way. */
  synchronized boolean isQuiet() {
    return !delivering && lines.stream().allMatch(Deque::isEmpty);
  }

  @Override
  public void close() throws InterruptedException {
    closed = true;
    thread.join();
  }
}
