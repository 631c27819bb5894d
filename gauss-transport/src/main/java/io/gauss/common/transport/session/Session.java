package io.gauss.common.transport.session;

import io.gauss.common.error.SqlState;
import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.StreamCall;
import io.gauss.common.transport.StreamReceiver;
import io.gauss.common.transport.TransportException;
import io.gauss.common.transport.TransportException.Reason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Messages from this node, in its current epoch, to another: each is delivered once and in the
 * order sent, even if connections break, until one of the two nodes loses its state (rule 14).
 *
 * <p>A message is kept until the other side has acknowledged it, in a window of bounded size.
 * Acknowledgements only make room, nobody waits for one, and each costs as much as two messages. So
 * one is requested when {@link #ACKNOWLEDGE_MESSAGES} or {@link #ACKNOWLEDGE_BYTES} wait for it, a
 * quarter of the window is used, or the oldest waiting message is {@link #ACKNOWLEDGE_NANOS} old.
 * On each new connection the other side reports what it has received, and the rest is sent again.
 * Thread-safe: {@link #send} from any thread; one thread's messages keep their order. Everything
 * else happens on the peer's event loop, without locks.
 */
public final class Session implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Session.class);

  /** Pause before the next attempt when one failed for a reason other than its connection. */
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private static final int ACKNOWLEDGE_MESSAGES = 512;

  private static final long ACKNOWLEDGE_BYTES = 1 << 20;

  private static final long ACKNOWLEDGE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Up to this size a message is copied behind its header: cheaper than a buffer of two parts. */
  private static final int COPIED_BYTES = 1 << 10;

  private static final int STATE_CREDIT_BYTES = 16 << 10;

  private final Peer peer;
  private final NodeIdentity self;
  private final ByteBufAllocator allocator;
  private final int ownEpoch;
  private final int otherEpoch;
  private final int maxMessages;
  private final long maxBytes;
  private final SessionListener listener;
  private final AtomicInteger messages = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicReference<String> broken = new AtomicReference<>();
  private final AtomicInteger refused = new AtomicInteger();

  // Confined to the peer's loop.
  private final SendWindow<Message> window = new SendWindow<>();
  private StreamCall states;
  private boolean attempting;
  private int unasked; // messages since an acknowledgement was requested
  private long unaskedBytes; // their bytes
  private boolean asksLater;

  private record Message(MessageType type, ByteBuf payload, int bytes) {}

  /**
   * Begins to connect the session.
   *
   * @param peer a connection to the other node; the session and other users may share it. It should
   *     allow more outstanding bytes than {@code maxBytes}
   * @param otherEpoch epoch of the other node. Its next process may listen at the same address
   *     while this node still considers the last one to be there: what is meant for one of them
   *     never reaches the other, and each has a session of its own
   * @param maxMessages maximum number of unacknowledged messages
   * @param maxBytes maximum number of their bytes
   */
  public Session(
      Peer peer,
      NodeIdentity self,
      int otherEpoch,
      ByteBufAllocator allocator,
      int maxMessages,
      long maxBytes,
      SessionListener listener) {
    this.peer = peer;
    this.self = self;
    this.allocator = allocator;
    this.ownEpoch = self.epoch().getAsInt();
    this.otherEpoch = otherEpoch;
    this.maxMessages = maxMessages;
    this.maxBytes = maxBytes;
    this.listener = listener;
    peer.execute(this::attempt);
  }

  /**
   * Sends a message and takes over its payload, which must not be changed afterwards.
   *
   * @throws TransportException OVERLOADED when the window is full ({@link SessionListener#onRoom}
   *     follows), DISCONNECTED when the session is broken or closed; the message is then not sent
   */
  public void send(MessageType type, ByteBuf payload) {
    Message message = new Message(type, payload, payload.readableBytes());
    int count = messages.incrementAndGet();
    long sum = bytes.addAndGet(message.bytes());
    boolean full = count > maxMessages || (sum > maxBytes && count > 1);
    if (broken.get() != null || full) {
      if (full) {
        refused.incrementAndGet();
      }
      release(message);
      throw broken.get() != null
          ? brokenError()
          : new TransportException(
              Reason.OVERLOADED, false, "the window of the session with " + peer + " is full");
    }
    try {
      peer.execute(() -> add(message));
    } catch (RejectedExecutionException e) {
      release(message);
      throw new TransportException(Reason.DISCONNECTED, false, "the transport was closed");
    }
  }

  private TransportException brokenError() {
    return new TransportException(
        Reason.DISCONNECTED, false, "the session with " + peer + " is over: " + broken.get());
  }

  /** Messages that the other side has not acknowledged yet. */
  int unacknowledged() {
    return messages.get();
  }

  // Everything below runs on the loop.

  private void add(Message message) {
    if (broken.get() != null) {
      release(message);
      return;
    }
    window.add(message);
    pump();
  }

  private void release(Message message) {
    message.payload().release();
    messages.decrementAndGet();
    bytes.addAndGet(-message.bytes());
  }

  /** Opens the session on the peer's connection, as soon as there is one. */
  private void attempt() {
    if (broken.get() != null || attempting) {
      return;
    }
    attempting = true;
    peer.connected()
        .whenComplete(
            (node, failure) -> {
              attempting = false;
              if (failure == null) {
                open();
              } else if (failure instanceof TransportException told
                  && told.reason() == Reason.DISCONNECTED) {
                end("its connection was closed");
              } else {
                // Refused: an operator has to fix that; meanwhile messages wait.
                retry();
              }
            });
  }

  private void retry() {
    if (broken.get() != null) {
      return;
    }
    try {
      peer.schedule(this::attempt, RETRY_NANOS);
    } catch (RejectedExecutionException e) {
      end("the transport was closed");
    }
  }

  private void open() {
    if (broken.get() != null) {
      return;
    }
    int attempt = window.begin();
    states =
        peer.stream(
            SessionLayout.OPEN,
            SessionLayout.open(allocator, ownEpoch, otherEpoch, attempt),
            Peer.NO_DEADLINE,
            STATE_CREDIT_BYTES,
            new StreamReceiver() {
              @Override
              public void onItem(StreamCall call, ByteBuf item) {
                call.consumed(item.readableBytes());
                onState(call, item);
              }

              @Override
              public void onEnd(StreamCall call, TransportException failure) {
                ended(attempt, failure);
              }
            });
  }

  private void onState(StreamCall call, ByteBuf item) {
    if (broken.get() != null) {
      return;
    }
    int epoch = item.readIntLE();
    int attempt = item.readIntLE();
    long delivered = item.readLongLE();
    if (attempt != window.attempt()) {
      return;
    }
    if (epoch != otherEpoch) {
      end(
          "the other node has lost its state: it was in epoch %d, now %d"
              .formatted(otherEpoch, epoch));
      call.cancel();
      return;
    }
    String wrong =
        window.isOpen()
            ? window.acknowledged(attempt, delivered, this::release)
            : window.opened(attempt, delivered, this::release);
    if (wrong != null) {
      end(wrong);
      call.cancel();
      return;
    }
    pump();
    if (refused.get() > 0 && messages.get() <= maxMessages / 2 && bytes.get() <= maxBytes / 2) {
      refused.set(0);
      listener.onRoom();
    }
  }

  /** The attempt is over: its connection broke, or the other side ended it. */
  private void ended(int attempt, TransportException failure) {
    if (attempt != window.attempt() || broken.get() != null) {
      return;
    }
    window.lost();
    states = null;
    if (failure != null
        && failure.reason() == Reason.FAILED
        && failure.state() == SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE) {
      end(failure.getMessage());
      return;
    }
    retry();
  }

  private void pump() {
    if (self.epoch().getAsInt() != ownEpoch) {
      end("this node is in epoch " + self.epoch().getAsInt() + " now, no longer " + ownEpoch);
      return;
    }
    while (window.hasNext()) {
      long number = window.nextNumber();
      Message message = window.takeNext();
      // A request for an acknowledgement also covers all earlier messages.
      int flags = 0;
      unasked++;
      unaskedBytes += message.bytes();
      if (!window.hasNext() && isAcknowledgementDue()) {
        flags = SessionLayout.ACKNOWLEDGE_NOW;
        asked();
      }
      try {
        peer.send(SessionLayout.DATA, data(message, number, flags));
      } catch (TransportException e) {
        // Not sent: either disconnected, which ends the attempt by itself, or overloaded.
        LOG.debug("message {} to {} waits: {}", number, peer, e.getMessage());
        window.lost();
        if (states != null) {
          states.cancel();
        }
        return;
      }
    }
    if (unasked > 0 && !asksLater) {
      askLater();
    }
  }

  private ByteBuf data(Message message, long number, int flags) {
    boolean copied = message.bytes() <= COPIED_BYTES;
    ByteBuf header =
        SessionLayout.dataHeader(
            allocator,
            number,
            window.attempt(),
            message.type().id(),
            flags,
            copied ? message.bytes() : 0);
    ByteBuf payload = message.payload();
    if (copied) {
      return header.writeBytes(payload, payload.readerIndex(), message.bytes());
    }
    return allocator
        .compositeDirectBuffer(2)
        .addComponent(true, header)
        .addComponent(true, payload.retainedDuplicate());
  }

  private void asked() {
    unasked = 0;
    unaskedBytes = 0;
  }

  private boolean isAcknowledgementDue() {
    return unasked >= ACKNOWLEDGE_MESSAGES
        || unaskedBytes >= ACKNOWLEDGE_BYTES
        || messages.get() > maxMessages / 4
        || bytes.get() > maxBytes / 4;
  }

  private void askLater() {
    try {
      peer.schedule(this::ask, ACKNOWLEDGE_NANOS);
      asksLater = true;
    } catch (RejectedExecutionException e) {
      LOG.debug("the loop of {} has ended", peer);
    }
  }

  private void ask() {
    asksLater = false;
    if (broken.get() != null || unasked == 0 || !window.isOpen()) {
      return; // with the next attempt the other side reports what it has
    }
    asked();
    try {
      peer.send(SessionLayout.ASK, SessionLayout.ask(allocator, window.attempt()));
    } catch (TransportException e) {
      LOG.debug("{} is asked with the next message: {}", peer, e.getMessage());
      unasked = 1;
    }
  }

  private void end(String reason) {
    if (broken.compareAndSet(null, reason)) {
      window.clear(this::release);
      listener.onBroken(reason);
    }
  }

  /** Drops unacknowledged messages. The listener is not called any more. */
  @Override
  public void close() {
    if (!broken.compareAndSet(null, "it was closed")) {
      return;
    }
    try {
      peer.execute(
          () -> {
            window.clear(this::release);
            if (states != null) {
              states.cancel();
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("the loop of {} has ended", peer);
      window.clear(this::release);
    }
  }
}
