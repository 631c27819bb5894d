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
import io.gauss.compute.txn.undo.UndoSlots;
import io.gauss.compute.txn.wire.TransactionMessages;
import io.gauss.compute.txn.wire.XidQuestionLayout;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Answers other nodes' questions about transactions whose segments this node holds.
 *
 * <p>Rule 2: the clock is raised to the asker's snapshot before any state is read, so a transaction
 * that is active then gets a CSN above it. Rule 4: only visible commits are reported as
 * "committed". A commit above the snapshot that is not visible yet is "not yet"; for one at or
 * below it, and for one whose CSN is just being reserved, the answer waits. Handlers do not block.
 * Thread-safe.
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

  /**
   * The answer about a transaction that is not active, for a node that waits for its end: kind and
   * value, or null when it must not be sent yet.
   */
  Said ended(long xid) {
    return look(xid, slots.segment(xid), Long.MAX_VALUE);
  }

  /**
   * Runs the action once a commit of this node may be confirmed, or with an error when that cannot
   * be known.
   */
  void whenVisible(long csn, LogBuffer.DurableCallback action) {
    log.whenVisible(csn, action);
  }

  /**
   * The answer about a transaction.
   *
   * @param kind of {@link XidQuestionLayout}, or one of the two below
   */
  record Said(int kind, long value) {
    /** Its CSN is being reserved: check again. */
    static final int PENDING = -1;

    /** Committed at the value, but not visible. */
    static final int INVISIBLE = -2;

    static final Said ACTIVE = new Said(XidQuestionLayout.NOT_YET, 0);
    static final Said ABORTED = new Said(XidQuestionLayout.ABORTED, 0);
    static final Said NO_SEGMENT = new Said(XidQuestionLayout.NONE, 0);
    static final Said IN_BETWEEN = new Said(PENDING, 0);
  }

  private Said look(long xid, UndoSegment segment, long snapshot) {
    if (segment == null) {
      return Said.NO_SEGMENT;
    }
    if (horizon.passed(xid)) {
      return new Said(XidQuestionLayout.PASSED, horizon.passedSequence(segment.id));
    }
    long entry = segment.table.get(Xid.sequence(xid));
    if (entry == CommitTable.ACTIVE) {
      return Said.ACTIVE;
    }
    if (entry == CommitTable.PENDING) {
      return Said.IN_BETWEEN;
    }
    if (entry == CommitTable.OVERWRITTEN) {
      return new Said(XidQuestionLayout.OVERWRITTEN, segment.table.overwrittenCsn());
    }
    if (entry < 0) {
      return Said.ABORTED;
    }
    if (isVisible(xid, entry)) {
      return new Said(XidQuestionLayout.COMMITTED, entry);
    }
    return entry > snapshot ? Said.ACTIVE : new Said(Said.INVISIBLE, entry);
  }

  /**
   * The commits of a node that died were durable and known before this node began to answer for it.
   */
  private boolean isVisible(long xid, long csn) {
    return Xid.slot(xid) != slots.own().slot() || csn <= log.visibleLsn();
  }

  private final class Question {
    private final Request request;
    private final long[] xids;
    private final long snapshot;
    private final Said[] said;

    Question(Request request, long[] xids, long snapshot) {
      this.request = request;
      this.xids = xids;
      this.snapshot = snapshot;
      this.said = new Said[xids.length];
    }

    /** Processes the transactions that are not known yet; repeated as often as needed. */
    void proceed(boolean mayWait) {
      long invisible = 0;
      for (int i = 0; i < xids.length; i++) {
        if (said[i] != null) {
          continue;
        }
        if (slots.find(Xid.slot(xids[i])) == null) {
          request.fail(
              SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
              "this node does not answer for slot " + Xid.slot(xids[i]));
          return;
        }
        Said now = settled(xids[i], mayWait);
        if (now.kind == Said.PENDING) {
          // The committer was descheduled, and this thread has other requests to serve.
          Later.NOW.execute(() -> proceed(true));
          return;
        }
        if (now.kind == Said.INVISIBLE) {
          invisible = Math.max(invisible, now.value);
        } else {
          said[i] = now;
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
      UndoSegment segment = slots.segment(xid);
      Said now = look(xid, segment, snapshot);
      for (int spin = 0; now.kind == Said.PENDING && (mayWait || spin < SPINS); spin++) {
        if (spin < SPINS) {
          Thread.onSpinWait();
        } else {
          Thread.yield();
        }
        now = look(xid, segment, snapshot);
      }
      return now;
    }

    private void reply() {
      ByteBuf reply = allocator.buffer(XidQuestionLayout.answerBytes(xids.length));
      XidQuestionLayout.writeAnswers(reply, xids.length);
      for (Said one : said) {
        XidQuestionLayout.writeAnswer(reply, one.kind, one.value);
      }
      request.reply(reply);
    }
  }
}
