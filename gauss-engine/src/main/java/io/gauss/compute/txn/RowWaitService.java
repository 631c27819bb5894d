package io.gauss.compute.txn;

import io.gauss.common.error.GaussException;
import io.gauss.common.id.Xid;
import io.gauss.compute.peer.PeerListener;
import io.gauss.compute.peer.PeerNodes;
import io.gauss.compute.peer.TransportPeers;
import io.gauss.compute.txn.undo.CommitTable;
import io.gauss.compute.txn.undo.UndoSegment;
import io.gauss.compute.txn.undo.UndoSlots;
import io.gauss.compute.txn.wire.RowState;
import io.gauss.compute.txn.wire.RowWaitLayout;
import io.gauss.compute.txn.wire.TransactionMessages;
import io.netty.buffer.ByteBuf;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Lets transactions of other nodes queue for the end of those whose segments this node holds, in
 * the same queues as its own ({@link LockWaits}).
 *
 * <p>A node is notified of a transaction's commit only when the commit is visible (rule 4), and of
 * its rollback when that is durable; it keeps its place in the queue meanwhile. Waits belong to one life of their node: the next one may
 * use the same numbers for other rows, and must not hear of the outcomes of these. Thread-safe;
 * nothing waits.
 */
final class RowWaitService implements PeerListener {
  private final LockWaits waits;
  private final UndoSlots slots;
  private final XidAnswers answers;
  private final PeerNodes peers;
  private final Map<Key, RemoteWaiter> waiters = new ConcurrentHashMap<>();

  /** A life of a node numbers its waits from 1 on. */
  private record Key(int node, int epoch, long waitId) {}

  RowWaitService(LockWaits waits, UndoSlots slots, XidAnswers answers, PeerNodes peers) {
    this.waits = waits;
    this.slots = slots;
    this.answers = answers;
    this.peers = peers;
    peers.addListener(this);
  }

  void register(TransportPeers receiving) {
    receiving
        .on(TransactionMessages.ROW_WAIT, this::began)
        .on(TransactionMessages.ROW_LEAVE, this::left);
  }

  void began(int from, int epoch, ByteBuf message) {
    RowWaitLayout.check(message, RowWaitLayout.WAIT_BYTES);
    Key key = new Key(from, epoch, RowWaitLayout.wait(message));
    RemoteWaiter known = waiters.get(key);
    if (known != null) {
      known.answer();
      return;
    }
    new RemoteWaiter(key, RowWaitLayout.xid(message))
        .queue(RowWaitLayout.row(message), RowWaitLayout.passedBy(message));
    if (!peers.has(from, epoch)) {
      // The node was lost in between, and may be back; its loss did not find this wait.
      remove(key);
    }
  }

  private void left(int from, int epoch, ByteBuf message) {
    RowWaitLayout.check(message, RowWaitLayout.LEAVE_BYTES);
    remove(new Key(from, epoch, RowWaitLayout.wait(message)));
  }

  private void remove(Key key) {
    RemoteWaiter waiter = waiters.remove(key);
    if (waiter != null) {
      waiter.leave();
    }
  }

  /** Number of waiters of other nodes that have a place here, their turns included. */
  int size() {
    return waiters.size();
  }

  @Override
  public void lost(int node) {
    for (Key key : waiters.keySet()) {
      if (key.node == node) {
        remove(key);
      }
    }
  }

  @Override
  public void answersChanged(int slot) {
    // The waiting nodes are notified as well, and ask again.
  }

  /** A wait of another node's transaction. */
  private final class RemoteWaiter implements LockWaits.Waiting {
    private final Key key;
    private final long xid;
    private UndoSegment counts; // this waiter; later lives of the slot have other objects
    private final AtomicReference<RowQueues.Place> place = new AtomicReference<>(); // after it

    RemoteWaiter(Key key, long xid) {
      this.key = key;
      this.xid = xid;
    }

    void queue(long row, int passedBy) {
      waiters.put(key, this);
      // Queue first, then check: the thread that ends the transaction looks for waiters after its
      // end.
      counts = slots.segment(xid);
      if (counts == null) {
        waiters.remove(key);
        say(new RowState.Again());
        return;
      }
      place.set(waits.queue(this, counts, xid, row, passedBy));
      if (waiters.get(key) != this) {
        leave(); // the node was lost in between, when there was no place to leave yet
        return;
      }
      answer();
    }

    /**
     * Reports the present state: the first time, and to a node that asks whether it still waits.
     */
    void answer() {
      UndoSegment segment = slots.segment(xid);
      long entry = segment == null ? CommitTable.NEVER : segment.table.get(Xid.sequence(xid));
      if (entry == CommitTable.ACTIVE || entry == CommitTable.PENDING) {
        long owner = segment.ownerWaitNumber();
        say(new RowState.Waiting(segment.sequence() == Xid.sequence(xid) ? owner : 0));
      }
      entry = segment == null ? CommitTable.NEVER : segment.table.get(Xid.sequence(xid));
      if (entry != CommitTable.ACTIVE && entry != CommitTable.PENDING) {
        RowQueues.Place mine = place.get();
        if (mine == null) {
          return; // it is being queued, and is answered then, or it has left
        }
        waits.takeTurnIfNext(mine);
        tell();
      }
    }

    void leave() {
      RowQueues.Place mine = place.getAndSet(null);
      if (mine != null) {
        counts.removeWaiter();
        mine.leave();
      }
    }

    @Override
    public void turn() {
      tell();
    }

    @Override
    public void ended() {
      tell();
    }

    /** Reports the state, as soon as it may be reported. */
    private void tell() {
      switch (answers.ended(xid)) {
        case XidAnswers.Said.Invisible said -> answers.whenVisible(said.csn(), this::settled);
        case XidAnswers.Said.Unforced said -> answers.whenDurable(said.lsn(), this::settled);
        case XidAnswers.Said.Known said -> {
          RowQueues.Place mine = place.get();
          say(
              mine != null && mine.hasTurn()
                  ? new RowState.Turn(said.answer(), mine.passedBy())
                  : new RowState.Ended(said.answer()));
        }
        // It has not ended, so this was not its time, or another node answers for it by now: the
        // asker is to look again.
        case XidAnswers.Said.Pending said -> say(new RowState.Again());
        case XidAnswers.Said.Elsewhere said -> say(new RowState.Again());
      }
    }

    private void settled(GaussException error) {
      if (error == null) {
        tell();
      } else {
        // The log makes no progress, so nothing can be confirmed: the asker will be informed of
        // that.
        say(new RowState.Again());
      }
    }

    private void say(RowState state) {
      peers.send(
          key.node,
          key.epoch,
          TransactionMessages.ROW_STATE,
          RowWaitLayout.state(
              peers.allocator().buffer(RowWaitLayout.STATE_BYTES), key.waitId, state));
    }
  }
}
