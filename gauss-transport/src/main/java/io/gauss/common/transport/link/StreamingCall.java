package io.gauss.common.transport.link;

import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.ReplyStream;
import io.gauss.common.transport.StreamCall;
import io.gauss.common.transport.StreamReceiver;
import io.gauss.common.transport.TransportException;
import io.gauss.common.transport.TransportException.Reason;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The caller's side of a call that is answered by a stream. */
final class StreamingCall extends Outbound implements StreamCall {
  private static final Logger LOG = LoggerFactory.getLogger(StreamingCall.class);

  private final ReconnectingPeer peer;
  private final StreamReceiver receiver;
  private final int credit;
  private final AtomicLong owed = new AtomicLong();
  private final AtomicBoolean ended = new AtomicBoolean();
  private volatile boolean cancelled;

  StreamingCall(
      ReconnectingPeer peer,
      MessageType type,
      ByteBuf payload,
      boolean hasDeadline,
      long deadlineNanos,
      int credit,
      StreamReceiver receiver) {
    super(type, payload, 0, hasDeadline, deadlineNanos);
    this.peer = peer;
    this.receiver = receiver;
    this.credit = credit;
  }

  @Override
  int kind() {
    return MessageKind.STREAM_REQUEST;
  }

  @Override
  int argument() {
    return credit;
  }

  @Override
  boolean abandoned() {
    return cancelled;
  }

  @Override
  public void consumed(int payloadBytes) {
    long sum = owed.addAndGet((long) payloadBytes + ReplyStream.ITEM_OVERHEAD);
    // Credit is returned once for several items. All used credit is returned in the end, since the
    // sender stops only when it has used the whole credit, which is more than a quarter.
    if (sum >= credit / 4 && !ended.get()) {
      int grant = (int) Math.min(owed.getAndSet(0), Integer.MAX_VALUE);
      if (grant > 0) {
        peer.grant(this, grant);
      }
    }
  }

  @Override
  public void cancel() {
    cancelled = true;
    peer.cancelled(this);
  }

  @Override
  boolean item(ByteBuf item) {
    try {
      if (!ended.get() && !cancelled) {
        receiver.onItem(this, item);
      }
    } catch (RuntimeException e) {
      LOG.error("a receiver of {} failed; its stream is cancelled", type, e);
      cancel();
    } finally {
      item.release();
    }
    return true;
  }

  @Override
  boolean end() {
    finish(null);
    return true;
  }

  @Override
  void fail(TransportException failure) {
    finish(failure);
  }

  private void finish(TransportException failure) {
    if (!ended.compareAndSet(false, true)) {
      return;
    }
    TransportException told =
        cancelled && failure == null
            ? new TransportException(Reason.CANCELLED, true, type + " was cancelled")
            : failure;
    try {
      receiver.onEnd(this, told);
    } catch (RuntimeException e) {
      LOG.error("a receiver of {} failed at its end", type, e);
    }
  }
}
