package io.gauss.compute.txn;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.LamportClock;
import io.gauss.common.id.Xid;
import io.gauss.common.task.Later;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.Request;
import io.gauss.compute.log.LogBuffer;
import io.gauss.compute.txn.undo.CommitTable;
import io.gauss.compute.txn.undo.PurgeHorizon;
import io.gauss.compute.txn.undo.UndoSegment;
import io.gauss.compute.txn.undo.UndoSegments;
import io.gauss.compute.txn.undo.UndoSlots;
import io.gauss.compute.txn.wire.TransactionMessages;
import io.gauss.compute.txn.wire.XidAnswer;
import io.gauss.compute.txn.wire.XidQuestionLayout;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Answers other nodes' questions about transactions whose segments this node holds.
 *
 * <p>Rule 2: the clock is raised to the asker's snapshot before any state is read, so a transaction
 * that is active then gets a CSN above it. Rule 4: only visible commits are reported as
 * "committed". A commit above the snapshot that is not visible yet is "not yet"; for one at or
 * below it, and for one whose CSN is just being reserved, the answer waits. Nor is a rollback
 * reported before it is durable: askers keep that for good, and after a crash the transaction would
 * be active again, with its changes on the pages. Handlers do not block. Thread-safe.
 */
final class XidAnswers {
  private static final int SPINS = 200;

  private final UndoSlots slots;
  private final PurgeHorizon horizon;
  private final LamportClock clock;
  private final LogBuffer log;
  private final ByteBufAllocator allocator;

  XidAnswers(
      UndoSlots slots,
      PurgeHorizon horizon,
      LamportClock clock,
      LogBuffer log,
      ByteBufAllocator allocator) {
    this.slots = slots;
    this.horizon = horizon;
    this.clock = clock;
    this.log = log;
    this.allocator = allocator;
  }

  void register(Handlers handlers) {
    handlers.on(TransactionMessages.XIDS, this::answer);
  }

  private void answer(Request request) {
    ByteBuf payload = request.payload();
    int count = XidQuestionLayout.checkQuestion(payload);
    long snapshot = XidQuestionLayout.snapshot(payload);
    if (snapshot > request.clock()) {
      throw new GaussException(
          SqlState.PROTOCOL_VIOLATION, "a question about transactions is ahead of its clock");
    }
    long[] xids = new long[count];
    for (int i = 0; i < count; i++) {
      xids[i] = XidQuestionLayout.xid(payload, i);
    }
    clock.observe(snapshot);
    new Question(request, xids, snapshot).proceed(false);
  }

  /** What can be said of a transaction that is not active to a node that waits for its end. */
  Said ended(long xid) {
    UndoSegments held = slots.of(xid);
    return held == null ? ELSEWHERE : look(xid, held, Long.MAX_VALUE);
  }

  /**
   * Runs the action once a commit of this node may be confirmed, or with an error when that cannot
   * be known.
   */
  void whenVisible(long csn, LogBuffer.DurableCallback action) {
    log.whenVisible(csn, action);
  }

  /** The same for a rollback that a crash could still take back. */
  void whenDurable(long lsn, LogBuffer.DurableCallback action) {
    log.whenDurable(lsn, action);
  }

  /** What can be said of a transaction now. */
  sealed interface Said {
    /** This may be told. */
    record Known(XidAnswer answer) implements Said {}

    /** This node does not hold its segment, or not any more. */
    record Elsewhere() implements Said {}

    /** Its CSN is being reserved: check again. */
    record Pending() implements Said {}

    /** Committed, but not visible. */
    record Invisible(long csn) implements Said {}

    /** Rolled back, but a crash could take that back. */
    record Unforced(long lsn) implements Said {}
  }

  private static final XidAnswer NOT_YET = new XidAnswer.NotYet();
  private static final Said ACTIVE = new Said.Known(NOT_YET);
  private static final Said ABORTED = new Said.Known(new XidAnswer.Aborted());
  private static final Said NO_SEGMENT = new Said.Known(new XidAnswer.NoSegment());
  private static final Said PENDING = new Said.Pending();
  private static final Said ELSEWHERE = new Said.Elsewhere();

  private Said look(long xid, UndoSegments held, long snapshot) {
    UndoSegment segment = held.get(Xid.index(xid));
    if (segment == null) {
      return NO_SEGMENT;
    }
    if (horizon.passed(xid)) {
      return new Said.Known(new XidAnswer.Passed(horizon.passedSequence(segment.id)));
    }
    long entry = segment.table.get(Xid.sequence(xid));
    if (entry == CommitTable.ACTIVE) {
      return ACTIVE;
    }
    if (entry == CommitTable.PENDING) {
      return PENDING;
    }
    if (entry == CommitTable.OVERWRITTEN) {
      return new Said.Known(new XidAnswer.Overwritten(segment.table.overwrittenCsn()));
    }
    if (entry < 0) {
      return isForced(segment, -entry) ? ABORTED : new Said.Unforced(-entry);
    }
    if (isVisible(xid, entry)) {
      return new Said.Known(new XidAnswer.Committed(entry));
    }
    return entry > snapshot ? ACTIVE : new Said.Invisible(entry);
  }

  /**
   * The commits of a node that died were durable and known before this node began to answer for it.
   */
  private boolean isVisible(long xid, long csn) {
    return Xid.slot(xid) != slots.own().slot() || csn <= log.visibleLsn();
  }

  /**
   * Whether a rollback is durable: found so when the segment was read, or logged by this node since
   * then, whichever node began the transaction.
   */
  private boolean isForced(UndoSegment segment, long lsn) {
    return lsn <= segment.recoveredLsn() || lsn <= log.durableLsn();
  }

  private final class Question {
    private final Request request;
    private final long[] xids;
    private final long snapshot;
    private final XidAnswer[] said;

    Question(Request request, long[] xids, long snapshot) {
      this.request = request;
      this.xids = xids;
      this.snapshot = snapshot;
      this.said = new XidAnswer[xids.length];
    }

    /** Processes the transactions that are not known yet; repeated as often as needed. */
    void proceed(boolean mayWait) {
      long invisible = 0;
      for (int i = 0; i < xids.length; i++) {
        if (said[i] != null) {
          continue;
        }
        switch (settled(xids[i], mayWait)) {
          case Said.Elsewhere now -> {
            request.fail(
                SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
                "this node does not answer for slot " + Xid.slot(xids[i]));
            return;
          }
          case Said.Pending now -> {
            // The committer has lost its processor, and this thread has others to serve.
            Later.NOW.execute(() -> proceed(true));
            return;
          }
          case Said.Invisible now -> invisible = Math.max(invisible, now.csn());
          // No snapshot will ever see it.
          case Said.Unforced now -> said[i] = NOT_YET;
          case Said.Known now -> said[i] = now.answer();
        }
      }
      if (invisible == 0) {
        reply();
      } else {
        whenVisible(invisible, this::resume);
      }
    }

    private void resume(GaussException error) {
      if (error == null) {
        proceed(false);
      } else {
        request.fail(error.state(), error.getMessage());
      }
    }

    private Said settled(long xid, boolean mayWait) {
      UndoSegments held = slots.of(xid);
      if (held == null) {
        return ELSEWHERE;
      }
      Said now = look(xid, held, snapshot);
      for (int spin = 0; now == PENDING && (mayWait || spin < SPINS); spin++) {
        if (spin < SPINS) {
          Thread.onSpinWait();
        } else {
          Thread.yield();
        }
        now = look(xid, held, snapshot);
      }
      return now;
    }

    private void reply() {
      ByteBuf reply = allocator.buffer(XidQuestionLayout.answerBytes(xids.length));
      XidQuestionLayout.writeAnswers(reply, xids.length);
      for (XidAnswer one : said) {
        XidQuestionLayout.writeAnswer(reply, one);
      }
      request.reply(reply);
    }
  }
}
