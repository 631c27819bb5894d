package io.gauss.compute.txn;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Xid;
import io.gauss.common.runtime.Environment;
import io.gauss.common.task.Later;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.Request;
import io.gauss.common.transport.TransportException;
import io.gauss.common.transport.TransportException.Reason;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.peer.PeerNodes;
import io.gauss.compute.txn.XidStates.Outcome;
import io.gauss.compute.txn.undo.UndoSegments;
import io.gauss.compute.txn.wire.TransactionMessages;
import io.gauss.compute.txn.wire.XidOutcomeLayout;
import io.gauss.compute.wait.Parking;
import io.gauss.compute.wait.WaitCause;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;

/**
 * Final outcomes for {@code gauss_txn_status} of transactions whose segments other nodes hold, and
 * the answers to other nodes that ask for the same (rule 24). Thread-safe.
 */
final class XidOutcomes {
  private static final long TIMEOUT_NANOS = 10_000_000_000L;
  private static final long PATIENCE_NANOS = 30_000_000_000L;
  private static final long PAUSE_NANOS = 5_000_000;
  private static final long ORPHAN_POLL_NANOS = 1_000_000;

  private final Transactions all;
  private final LogBuffer log;
  private final PeerNodes peers;

  XidOutcomes(Transactions all, LogBuffer log, PeerNodes peers) {
    this.all = all;
    this.log = log;
    this.peers = peers;
  }

  void register(Handlers handlers) {
    handlers.on(TransactionMessages.OUTCOME, Later.NOW, this::answer);
  }

  /**
   * Asks the node that answers for the transaction's slot. No latch may be held; may wait.
   *
   * @throws GaussException 57P03 when no node answers
   */
  Outcome ask(long xid, EngineContext ctx) {
    if (peers == PeerNodes.NONE) {
      return Outcome.UNKNOWN;
    }
    ctx.waits().beforeWait();
    long began = Environment.nanoTime();
    try {
      while (Environment.nanoTime() - began < PATIENCE_NANOS) {
        Outcome outcome = askOnce(xid, ctx);
        if (outcome != null) {
          return outcome;
        }
        Parking.await(ctx, WaitCause.NODE, PAUSE_NANOS, () -> false);
      }
    } finally {
      ctx.waits().waited(WaitCause.NODE, Environment.nanoTime() - began);
    }
    throw new GaussException(
        SqlState.CANNOT_CONNECT_NOW,
        "no compute node answers about transaction " + Xid.toString(xid));
  }

  /** Null when it is to be tried again. */
  private Outcome askOnce(long xid, EngineContext ctx) {
    int node = peers.answering(Xid.slot(xid));
    if (node == PeerNodes.NO_SUCH_SLOT) {
      return Outcome.UNKNOWN;
    }
    if (node == peers.self()) {
      all.readSegments(ctx, Xid.slot(xid));
    }
    if (node == 0 || node == peers.self()) {
      UndoSegments held = all.slots().find(Xid.slot(xid));
      return held == null ? null : XidStates.outcome(held, xid);
    }
    Thread asker = Thread.currentThread();
    CompletableFuture<Outcome> answer =
        peers
            .call(
                node,
                TransactionMessages.OUTCOME,
                XidOutcomeLayout.question(
                    peers.allocator().buffer(XidOutcomeLayout.QUESTION_BYTES), xid),
                TIMEOUT_NANOS)
            .thenApply(XidOutcomes::read);
    answer.whenComplete((outcome, error) -> LockSupport.unpark(asker));
    Parking.await(ctx, WaitCause.NODE, Parking.FOREVER, answer::isDone);
    try {
      return answer.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof TransportException failure
          && failure.reason() == Reason.FAILED
          && failure.state() != SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE) {
        throw failure.toGauss();
      }
      if (e.getCause() instanceof TransportException) {
        return null;
      }
      throw e;
    }
  }

  private static Outcome read(ByteBuf reply) {
    try {
      return switch (XidOutcomeLayout.outcome(reply)) {
        case XidOutcomeLayout.IN_PROGRESS -> Outcome.IN_PROGRESS;
        case XidOutcomeLayout.COMMITTED -> Outcome.COMMITTED;
        case XidOutcomeLayout.ABORTED -> Outcome.ABORTED;
        default -> Outcome.UNKNOWN;
      };
    } finally {
      reply.release();
    }
  }

  /** On a separate thread: waits for a rollback in the background to end. */
  private void answer(Request request) {
    long xid = XidOutcomeLayout.xid(request.payload());
    UndoSegments held = all.slots().find(Xid.slot(xid));
    if (held == null) {
      throw new GaussException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
          "this node does not answer for slot " + Xid.slot(xid));
    }
    Outcome outcome = XidStates.outcome(held, xid);
    while (outcome == Outcome.IN_PROGRESS && all.abandoned().has(xid) && !request.isCancelled()) {
      Environment.parkNanos(ORPHAN_POLL_NANOS);
      outcome = XidStates.outcome(held, xid);
    }
    long csn = outcome == Outcome.COMMITTED ? all.states().status(held, xid) : 0;
    if (csn <= XidStates.UNRESOLVED || Xid.slot(xid) != all.clock().node()) {
      reply(request, outcome);
      return;
    }
    // Reported when it is visible; while the log makes no progress it counts as in progress.
    log.whenVisible(
        csn, error -> reply(request, error == null ? Outcome.COMMITTED : Outcome.IN_PROGRESS));
  }

  private void reply(Request request, Outcome outcome) {
    int code =
        switch (outcome) {
          case IN_PROGRESS -> XidOutcomeLayout.IN_PROGRESS;
          case COMMITTED -> XidOutcomeLayout.COMMITTED;
          case ABORTED -> XidOutcomeLayout.ABORTED;
          case UNKNOWN -> XidOutcomeLayout.UNKNOWN;
        };
    ByteBuf reply = peers.allocator().buffer(XidOutcomeLayout.ANSWER_BYTES);
    request.reply(XidOutcomeLayout.answer(reply, code));
  }
}
