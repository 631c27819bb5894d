package io.gauss.compute.txn;

import io.gauss.common.transport.Handlers;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.peer.PeerListener;
import io.gauss.compute.peer.PeerNodes;
import io.gauss.compute.peer.TransportPeers;
import io.gauss.compute.txn.base.TransactionMetrics;
import io.gauss.compute.txn.undo.UndoSlots;
import java.util.function.IntSupplier;

/**
 * The relations between transactions of this node and of others: questions about outcomes, waits
 * for rows, deadlocks. Connects the parts; on a single node they exist and do nothing, except for
 * the deadlock detector.
 */
final class TransactionLinks {
  private final XidAnswers answers;
  private final XidOutcomes outcomes;
  private final RemoteRowWaits remoteWaits;
  private final RowWaitService rowWaits;
  private final DeadlockHost deadlocks;
  private final DeadlockReports reports;

  TransactionLinks(
      Transactions all,
      LogBuffer log,
      DeadlockDetector detector,
      LockWaits lockWaits,
      TransactionMetrics metrics,
      PeerNodes peers,
      IntSupplier deadlockHost) {
    UndoSlots slots = all.slots();
    answers = new XidAnswers(slots, all.horizon(), all.clock(), log, peers.allocator());
    outcomes = new XidOutcomes(all, log, peers);
    remoteWaits = new RemoteRowWaits(all.clock(), slots, all.remote(), detector, metrics, peers);
    rowWaits = new RowWaitService(lockWaits, slots, answers, peers);
    lockWaits.remote(remoteWaits);
    deadlocks = new DeadlockHost(all.clock().node(), detector, peers);
    reports = new DeadlockReports(deadlocks, detector, peers, deadlockHost);
    peers.addListener(
        new PeerListener() {
          @Override
          public void lost(int node) {
            // the node that answers instead is reported separately
          }

          @Override
          public void answersChanged(int slot) {
            if (slot != all.clock().node()) {
              all.answersChanged(slot);
            }
          }
        });
    detector.service(peers == PeerNodes.NONE ? deadlocks : reports);
  }

  void register(Handlers handlers, TransportPeers receiving) {
    answers.register(handlers);
    outcomes.register(handlers);
    remoteWaits.register(receiving);
    rowWaits.register(receiving);
    deadlocks.register(receiving);
    reports.register(receiving);
  }

  XidOutcomes outcomes() {
    return outcomes;
  }

  RemoteRowWaits remoteWaits() {
    return remoteWaits;
  }

  RowWaitService rowWaits() {
    return rowWaits;
  }

  DeadlockHost deadlocks() {
    return deadlocks;
  }
}
