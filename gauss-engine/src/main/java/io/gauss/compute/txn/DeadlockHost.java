package io.gauss.compute.txn;

import io.gauss.common.deadlock.DeadlockTable;
import io.gauss.common.deadlock.WaitNumber;
import io.gauss.common.id.Xid;
import io.gauss.compute.peer.PeerListener;
import io.gauss.compute.peer.PeerNodes;
import io.gauss.compute.peer.TransportPeers;
import io.gauss.compute.txn.wire.DeadlockLayout;
import io.gauss.compute.txn.wire.TransactionMessages;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The deadlock detector, run by this node: for itself when it is a single node, for all nodes when
 * they report here. This node's own waits are notified directly, those of other nodes by messages.
 * Thread-safe.
 */
final class DeadlockHost implements DeadlockService, DeadlockTable.Output, PeerListener {
  private final ReentrantLock lock = new ReentrantLock();
  private final DeadlockTable table = new DeadlockTable(); // under lock
  private final int[] lives = new int[Xid.MAX_SLOT + 1]; // epochs of nodes that have reported
  private final int self;
  private final WaitMembers members;
  private final PeerNodes peers;

  DeadlockHost(int self, WaitMembers members, PeerNodes peers) {
    this.self = self;
    this.members = members;
    this.peers = peers;
    peers.addListener(this);
  }

  void register(TransportPeers receiving) {
    receiving
        .on(TransactionMessages.WAIT_REPORT, this::reported)
        .on(TransactionMessages.WAIT_OVER, this::ended)
        .on(TransactionMessages.WAIT_STANDS, this::answered);
  }

  /** A report of a node's life that is lost by now is dropped. */
  void reported(int from, int epoch, ByteBuf message) {
    DeadlockLayout.Report report = DeadlockLayout.readReport(message);
    ofLife(
        from,
        epoch,
        () ->
            table.report(
                report.waiter(),
                report.waitId(),
                report.age(),
                report.holders(),
                report.who(),
                report.what(),
                this));
  }

  private void ended(int from, int epoch, ByteBuf message) {
    DeadlockLayout.check(message, DeadlockLayout.OVER_BYTES);
    long waiter = DeadlockLayout.waiter(message);
    long wait = DeadlockLayout.wait(message);
    ofLife(from, epoch, () -> table.over(waiter, wait));
  }

  private void answered(int from, int epoch, ByteBuf message) {
    DeadlockLayout.check(message, DeadlockLayout.STANDS_BYTES);
    long question = DeadlockLayout.question(message);
    long waiter = DeadlockLayout.waiter(message);
    boolean stands = DeadlockLayout.stands(message);
    ofLife(from, epoch, () -> table.answered(question, waiter, stands, this));
  }

  /**
   * Lives of a node number their transactions and waits alike. What a dead life has said would
   * stand for the next one's, whose own reports have lower numbers and count as late. Looked up
   * under the lock: a life that is known here is lost after that, and then its waits are forgotten.
   */
  private void ofLife(int node, int epoch, Runnable change) {
    lock.lock();
    try {
      if (peers.has(node, epoch)) {
        lives[node] = epoch;
        change.run();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void report(long waiter, long wait, long age, long[] holders, String who, String what) {
    lock.lock();
    try {
      table.report(waiter, wait, age, holders, who, what, this);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void over(long waiter, long wait) {
    lock.lock();
    try {
      table.over(waiter, wait);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void ask(long question, long waiter, long wait) {
    int slot = WaitNumber.slot(waiter);
    if (slot == self) {
      table.answered(question, waiter, members.stands(waiter, wait), this);
    } else {
      peers.send(
          slot,
          lives[slot], // the next one numbers its waits alike
          TransactionMessages.WAIT_ASK,
          DeadlockLayout.ask(peers.allocator().buffer(), question, waiter, wait));
    }
  }

  @Override
  public void choose(long waiter, long wait, String detail) {
    int slot = WaitNumber.slot(waiter);
    if (slot == self) {
      members.choose(waiter, wait, detail);
    } else {
      peers.send(
          slot,
          lives[slot],
          TransactionMessages.WAIT_KILL,
          DeadlockLayout.kill(peers.allocator().buffer(), waiter, wait, detail));
    }
  }

  /** Number of waits that are reported and not over. */
  int size() {
    lock.lock();
    try {
      return table.size();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void lost(int node) {
    lock.lock();
    try {
      table.forget(node);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void answersChanged(int slot) {
    // Which node answers for undo segments does not affect the waits.
  }
}
