package io.gauss.compute.txn;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Xid;
import io.gauss.common.runtime.Environment;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.peer.PeerNodes;
import io.gauss.compute.txn.base.TransactionMetrics;
import io.gauss.compute.txn.undo.PurgeHorizon;
import io.gauss.compute.txn.undo.UndoSlots;
import io.gauss.compute.txn.wire.XidAnswer;
import io.gauss.compute.wait.Parking;
import io.gauss.compute.wait.WaitCause;
import java.util.ArrayList;
import java.util.List;

/**
 * The outcomes of transactions whose segments other nodes hold.
 *
 * <p>{@link #status} answers from memory and is legal under a latch; when memory is not enough it
 * returns UNRESOLVED. Then the caller collects all xids that it needs to know ({@link #begin},
 * {@link #want}), releases its latches, and asks ({@link #resolve}): one message to each node
 * concerned, whatever the number of transactions. The answers stay with the transaction until its
 * next question, so a retry finds them. Outcomes that never change are also kept for all sessions.
 *
 * <p>Thread-safe, except for the state of the transaction that asks.
 */
public final class RemoteXids {
  /** Rolled back to the end. */
  private static final long ABORTED = XidStates.ABORTED;

  /** Every snapshot sees it. */
  private static final long PASSED = XidStates.ANCIENT;

  /** With the CSN at or below which it committed. LSNs never come near this bit. */
  private static final long OVERWRITTEN_BIT = 1L << 62;

  private static final int CACHE_SETS = 4096;
  private static final long PAUSE_NANOS = 5_000_000;
  private static final long PATIENCE_NANOS = 60_000_000_000L;

  // Values of cache and answers: one of the constants, a CSN, or minus a snapshot that does not
  // see it and never will.
  private final XidCache cache;
  private final UndoSlots slots;
  private final PurgeHorizon horizon;
  private final PeerNodes peers;
  private final SegmentReading reading;
  private final TransactionMetrics metrics;

  RemoteXids(
      UndoSlots slots,
      PurgeHorizon horizon,
      PeerNodes peers,
      SegmentReading reading,
      TransactionMetrics metrics) {
    this.slots = slots;
    this.horizon = horizon;
    this.peers = peers;
    this.reading = reading;
    this.metrics = metrics;
    this.cache = new XidCache(peers == PeerNodes.NONE ? 1 : CACHE_SETS);
  }

  /**
   * As a snapshot has to judge it: {@link XidStates#ANCIENT} (sees it), {@link XidStates#ACTIVE}
   * (does not, and never will), {@link XidStates#ABORTED}, or {@link XidStates#UNRESOLVED}.
   *
   * @throws GaussException 72000 when the outcome is no longer known and the snapshot is too old
   */
  long status(Transaction txn, long snapshot, long xid) {
    long known = known(txn, xid);
    if (known < 0) {
      return snapshot <= -known ? XidStates.ACTIVE : XidStates.UNRESOLVED;
    }
    if (known == XidCache.UNKNOWN) {
      return XidStates.UNRESOLVED;
    }
    if (known == ABORTED || known == PASSED) {
      return known;
    }
    if ((known & OVERWRITTEN_BIT) != 0) {
      Visibility.requireOverwrittenVisible(snapshot, known & ~OVERWRITTEN_BIT, xid);
      return XidStates.ANCIENT;
    }
    return known <= snapshot ? XidStates.ANCIENT : XidStates.ACTIVE;
  }

  /** False when it has certainly ended. */
  boolean mayBeActive(Transaction txn, long xid) {
    return known(txn, xid) <= XidCache.UNKNOWN;
  }

  private long known(Transaction txn, long xid) {
    long known = cache.get(xid);
    return known != XidCache.UNKNOWN ? known : txn.remoteAnswers().get(xid);
  }

  /** Begins to collect the xids about which the transaction's next {@link #resolve} asks. */
  public void begin(Transaction txn) {
    txn.remoteAnswers().begin();
  }

  /** Adds a transaction to the question, unless it is known already or not of another node. */
  public void want(Transaction txn, long snapshot, long xid) {
    if (!horizon.passed(xid)
        && xid != txn.xid()
        && slots.of(xid) == null
        && isUnresolved(known(txn, xid), snapshot)) {
      txn.remoteAnswers().want(xid);
    }
  }

  private static boolean isUnresolved(long known, long snapshot) {
    return known == XidCache.UNKNOWN || known < 0 && snapshot > -known;
  }

  /** Asks about a single transaction. No latch may be held; may wait. */
  public void resolve(Transaction txn, long snapshot, long xid) {
    begin(txn);
    want(txn, snapshot, xid);
    resolve(txn, snapshot);
  }

  /**
   * Asks about the collected transactions, and waits for the answers: also while another node is
   * taking over for a dead one, and for commits that are not visible yet. No latch may be held.
   *
   * @throws GaussException 57P03 when no node answers, XX001 when a segment does not exist, or what
   *     interrupted the context
   */
  public void resolve(Transaction txn, long snapshot) {
    EngineContext ctx = txn.context();
    ctx.waits().beforeWait();
    RemoteAnswers answers = txn.remoteAnswers();
    long asOf = Math.max(1, snapshot); // none open: whatever is known then
    long began = Environment.nanoTime();
    try {
      while (!ask(ctx, answers, asOf)) {
        if (Environment.nanoTime() - began > PATIENCE_NANOS) {
          throw new GaussException(
              SqlState.CANNOT_CONNECT_NOW,
              "no compute node answers about transactions of another one that is gone");
        }
        Parking.await(ctx, WaitCause.NODE, PAUSE_NANOS, () -> false);
      }
    } finally {
      ctx.waits().waited(WaitCause.NODE, Environment.nanoTime() - began);
    }
    answers.end();
  }

  /** False when it is to be tried again. */
  private boolean ask(EngineContext ctx, RemoteAnswers answers, long snapshot) {
    boolean complete = true;
    List<XidQuestion> questions = new ArrayList<>(2);
    for (int i = 0; i < answers.places(); i++) {
      long xid = answers.xidAt(i);
      if (xid == 0 || answers.valueAt(i) != RemoteAnswers.WANTED) {
        continue;
      }
      int slot = Xid.slot(xid);
      if (slots.of(xid) != null) {
        continue; // held here since
      }
      int node = peers.answering(slot);
      if (node <= 0) {
        requirePeers(xid);
        complete = false;
      } else if (node == peers.self()) {
        reading.read(ctx, slot);
        complete = false; // held here now, or another node answers for it again
      } else {
        question(questions, node).add(xid);
      }
    }
    for (XidQuestion question : questions) {
      metrics.remoteQuestion(question.count());
      question.send(peers, snapshot);
    }
    for (XidQuestion question : questions) {
      Parking.await(ctx, WaitCause.NODE, Parking.FOREVER, question::isDone);
      complete &= take(question, answers, snapshot);
    }
    return complete;
  }

  private void requirePeers(long xid) {
    if (peers == PeerNodes.NONE) {
      throw new GaussException(
          SqlState.DATA_CORRUPTED,
          "a row names transaction "
              + Xid.toString(xid)
              + " of another compute node, and there is none");
    }
  }

  private static XidQuestion question(List<XidQuestion> questions, int node) {
    for (XidQuestion question : questions) {
      if (question.node() == node && !question.isFull()) {
        return question;
      }
    }
    XidQuestion question = new XidQuestion(node);
    questions.add(question);
    return question;
  }

  private boolean take(XidQuestion question, RemoteAnswers answers, long snapshot) {
    if (!question.isAnswered()) {
      return false;
    }
    for (int i = 0; i < question.count(); i++) {
      long xid = question.xid(i);
      answers.put(xid, learn(xid, question.answer(i), snapshot));
    }
    return true;
  }

  /** Another node reported that the transaction of a row wait has ended. */
  void ended(Transaction txn, long xid, XidAnswer outcome) {
    txn.remoteAnswers().put(xid, learn(xid, outcome, 0));
  }

  /** Keeps final outcomes for all sessions; returns the value for the asker. */
  private long learn(long xid, XidAnswer answer, long snapshot) {
    return switch (answer) {
      case XidAnswer.NotYet a -> -snapshot;
      case XidAnswer.Aborted a -> remember(xid, ABORTED);
      case XidAnswer.Committed a -> remember(xid, a.csn());
      case XidAnswer.Overwritten a -> remember(xid, a.upTo() | OVERWRITTEN_BIT);
      case XidAnswer.Passed a -> {
        horizon.learn(Xid.segment(xid), a.below());
        yield PASSED;
      }
      case XidAnswer.NoSegment a ->
          throw new GaussException(
              SqlState.DATA_CORRUPTED,
              "a row names transaction "
                  + Xid.toString(xid)
                  + ", whose undo segment does not exist");
    };
  }

  private long remember(long xid, long value) {
    cache.put(xid, value);
    return value;
  }
}
