package io.gauss.common.transport.link;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.RemoteNode;
import io.gauss.common.transport.ReplyStream;
import io.gauss.common.transport.Request;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request that is being served, and its stream if it has one. Thread-safe.
 *
 * <p>It occupies a slot of its connection until its handler has returned and its answer was given
 * or is no longer needed. Both are required, since until then its buffers are in use.
 */
final class ServerRequest implements Request, ReplyStream, Runnable {
  private static final Logger LOG = LoggerFactory.getLogger("io.gauss.common.transport");
  private static final Runnable RAN = () -> {};

  private enum State {
    OPEN,
    STREAMING,
    ANSWERED,
    CANCELLED
  }

  private final ServerLink link;
  private final Handlers.Entry entry;
  private final RemoteNode sender;
  private final int kind;
  private final long id;
  private final int epoch;
  private final long clock;
  private final boolean hasDeadline;
  private final long deadlineNanos;
  private final ByteBuf payload;
  private final int bytes;
  private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);
  private final AtomicReference<Runnable> onCancel = new AtomicReference<>();
  private final AtomicInteger holds = new AtomicInteger(2);
  private final AtomicLong credit;
  private Runnable onReady; // confined to the loop

  ServerRequest(ServerLink link, Handlers.Entry entry, MessageHeader header, ByteBuf payload) {
    this.link = link;
    this.entry = entry;
    this.sender = link.remote();
    this.kind = header.kind;
    this.id = header.requestId;
    this.epoch = header.epoch;
    this.clock = header.clock;
    this.hasDeadline = header.remainingMicros != 0;
    this.deadlineNanos =
        link.wire.loop().nanoTime() + Integer.toUnsignedLong(header.remainingMicros) * 1000;
    this.payload = payload;
    this.bytes = payload.readableBytes();
    this.credit = new AtomicLong(kind == MessageKind.STREAM_REQUEST ? header.argument : 0);
  }

  /** Calls the handler. */
  @Override
  public void run() {
    try {
      if (!isCancelled() && remainingNanos() > 0) {
        entry.handler().handle(this);
      } else {
        // No caller waits for it, but the slot must still become free.
        abandon();
      }
    } catch (GaussException e) {
      fail(e.state(), e.getMessage());
    } catch (RuntimeException | Error e) {
      LOG.error("handler of {} from {} failed", entry.type(), sender, e);
      fail(SqlState.INTERNAL_ERROR, entry.type() + " failed: " + e);
    } finally {
      payload.release();
      if (oneWay()) {
        state.set(State.ANSWERED);
        drop();
      }
      drop();
    }
  }

  /** The executor rejected it. */
  void rejected() {
    payload.release();
    fail(SqlState.INSUFFICIENT_RESOURCES, entry.type() + ": too much is being done already");
    if (oneWay()) {
      LOG.warn("{} from {} was dropped: its executor is full", entry.type(), sender);
      drop();
    }
    drop();
  }

  private void abandon() {
    if (!oneWay() && state.compareAndSet(State.OPEN, State.ANSWERED)) {
      link.answer(
          this,
          MessageKind.FAILURE,
          FailureLayout.encodeBuffer(
              SqlState.QUERY_CANCELED, entry.type() + " came to its turn after its deadline"));
    }
  }

  private void drop() {
    if (holds.decrementAndGet() == 0) {
      link.slotFree(this);
    }
  }

  /** The last message of the answer was written, or dropped. On the loop. */
  void answered() {
    drop();
    wakeStream();
  }

  /** The caller no longer waits, and the link has forgotten this. On the loop. */
  void cancel() {
    State before = state.getAndSet(State.CANCELLED);
    if (before == State.OPEN || before == State.STREAMING) {
      drop();
      Runnable action = onCancel.getAndSet(RAN);
      if (action != null) {
        action.run();
      }
      wakeStream();
    }
  }

  private void wakeStream() {
    if (onReady != null) {
      onReady.run();
    }
  }

  Handlers.Entry entry() {
    return entry;
  }

  long id() {
    return id;
  }

  int bytes() {
    return bytes;
  }

  @Override
  public MessageType type() {
    return entry.type();
  }

  @Override
  public RemoteNode sender() {
    return sender;
  }

  @Override
  public Object connection() {
    return link;
  }

  @Override
  public int epoch() {
    return epoch;
  }

  @Override
  public long clock() {
    return clock;
  }

  @Override
  public ByteBuf payload() {
    return payload;
  }

  @Override
  public boolean oneWay() {
    return kind == MessageKind.ONE_WAY;
  }

  @Override
  public boolean wantsStream() {
    return kind == MessageKind.STREAM_REQUEST;
  }

  @Override
  public long remainingNanos() {
    return hasDeadline ? deadlineNanos - link.wire.loop().nanoTime() : Long.MAX_VALUE;
  }

  @Override
  public boolean isCancelled() {
    return state.get() == State.CANCELLED;
  }

  @Override
  public void onCancel(Runnable action) {
    if (!onCancel.compareAndSet(null, action) && onCancel.get() == RAN) {
      inLoop(action);
    }
  }

  @Override
  public void reply(ByteBuf reply) {
    if (!oneWay() && state.compareAndSet(State.OPEN, State.ANSWERED)) {
      link.answer(this, MessageKind.REPLY, reply);
    } else {
      reply.release();
    }
  }

  @Override
  public void fail(SqlState sqlState, String message) {
    if (oneWay()) {
      return;
    }
    State before = state.get();
    while (before == State.OPEN || before == State.STREAMING) {
      if (state.compareAndSet(before, State.ANSWERED)) {
        link.answer(this, MessageKind.FAILURE, FailureLayout.encodeBuffer(sqlState, message));
        return;
      }
      before = state.get();
    }
  }

  @Override
  public ReplyStream openStream() {
    if (!wantsStream()) {
      throw new IllegalStateException(entry.type() + " was called for one reply");
    }
    state.compareAndSet(State.OPEN, State.STREAMING);
    return this;
  }

  /** More credit from the receiver. On the loop. */
  void grant(int more) {
    long before = credit.getAndAdd(Integer.toUnsignedLong(more));
    if (before <= 0 && before + Integer.toUnsignedLong(more) > 0) {
      wakeStream();
    }
  }

  @Override
  public boolean ready() {
    return credit.get() > 0 && !closed();
  }

  @Override
  public void onReady(Runnable action) {
    inLoop(
        () -> {
          onReady = action;
          if (ready() || closed()) {
            action.run();
          }
        });
  }

  @Override
  public void push(ByteBuf item) {
    if (closed()) {
      item.release();
      return;
    }
    if (credit.get() <= 0) {
      item.release();
      throw new IllegalStateException("no credit to push an item of " + entry.type());
    }
    credit.addAndGet(-((long) item.readableBytes() + ITEM_OVERHEAD));
    link.answer(this, MessageKind.ITEM, item);
  }

  @Override
  public boolean closed() {
    return state.get() != State.STREAMING;
  }

  @Override
  public void end() {
    if (state.compareAndSet(State.STREAMING, State.ANSWERED)) {
      link.answer(this, MessageKind.END, link.noPayload());
    }
  }

  private void inLoop(Runnable action) {
    if (link.wire.loop().inLoop()) {
      action.run();
      return;
    }
    try {
      link.wire.loop().execute(action);
    } catch (RejectedExecutionException e) {
      LOG.debug("the loop has ended; {} learns it here", entry.type());
      action.run();
    }
  }
}
