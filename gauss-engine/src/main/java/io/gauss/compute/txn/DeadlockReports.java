package io.gauss.compute.txn;

import io.gauss.compute.peer.PeerNodes;
import io.gauss.compute.peer.TransportPeers;
import io.gauss.compute.txn.wire.DeadlockLayout;
import io.gauss.compute.txn.wire.TransactionMessages;
import io.netty.buffer.ByteBuf;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;

/**
 * Reports to the deadlock detector, whichever node runs it, and answers its questions. Reports are
 * repeated while waits last, so a detector that begins on another node soon knows them all. The one
 * that knew them before is told that they are over for it, since it would keep them for ever and
 * take them for waits when it is the detector again. Thread-safe; one wait's calls come from one
 * thread at a time.
 */
final class DeadlockReports implements DeadlockService {
  private final DeadlockHost here;
  private final WaitMembers members;
  private final PeerNodes peers;
  private final IntSupplier host;
  private final Map<Long, Integer> told = new ConcurrentHashMap<>(); // waiter -> node that has it

  /**
   * @param here the detector of this node, used when this node runs it
   * @param host slot of the node that runs the detector now
   */
  DeadlockReports(DeadlockHost here, WaitMembers members, PeerNodes peers, IntSupplier host) {
    this.here = here;
    this.members = members;
    this.peers = peers;
    this.host = host;
  }

  void register(TransportPeers receiving) {
    receiving
        .on(TransactionMessages.WAIT_ASK, this::asked)
        .on(
            TransactionMessages.WAIT_KILL,
            (from, epoch, message) -> {
              DeadlockLayout.Kill kill = DeadlockLayout.readKill(message);
              members.choose(kill.waiter(), kill.waitId(), kill.detail());
            });
  }

  void asked(int from, int epoch, ByteBuf message) {
    DeadlockLayout.check(message, DeadlockLayout.ASK_BYTES);
    long waiter = DeadlockLayout.waiter(message);
    boolean stands = members.stands(waiter, DeadlockLayout.wait(message));
    // Only to the life that asked: the next one numbers its questions alike.
    peers.send(
        from,
        epoch,
        TransactionMessages.WAIT_STANDS,
        DeadlockLayout.stands(
            peers.allocator().buffer(), DeadlockLayout.question(message), waiter, stands));
  }

  @Override
  public void report(long waiter, long wait, long age, long[] holders, String who, String what) {
    int to = host.getAsInt();
    Integer before = told.put(waiter, to);
    if (before != null && before != to) {
      over(before, waiter, wait);
    }
    if (to == peers.self()) {
      here.report(waiter, wait, age, holders, who, what);
    } else {
      peers.send(
          to,
          TransactionMessages.WAIT_REPORT,
          DeadlockLayout.report(
              peers.allocator().buffer(),
              new DeadlockLayout.Report(waiter, wait, age, holders, who, what)));
    }
  }

  @Override
  public void over(long waiter, long wait) {
    Integer to = told.remove(waiter);
    if (to != null) {
      over(to, waiter, wait);
    }
  }

  private void over(int to, long waiter, long wait) {
    if (to == peers.self()) {
      here.over(waiter, wait);
    } else {
      peers.send(
          to,
          TransactionMessages.WAIT_OVER,
          DeadlockLayout.over(peers.allocator().buffer(), waiter, wait));
    }
  }
}
