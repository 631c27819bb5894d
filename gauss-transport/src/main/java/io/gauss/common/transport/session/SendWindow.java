package io.gauss.common.transport.session;

import io.gauss.common.invariant.Invariant;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.function.Consumer;

/**
 * The sending side of a session: the unacknowledged messages, and which of them have to be sent.
 * Pure; confined to one thread.
 *
 * <p>Messages are numbered from 1. Each connection is an attempt with a number of its own. An
 * attempt begins when the receiver has reported the last message that it has delivered; all later
 * messages are sent (again) in order, and nothing is sent before. Invariant: {@code acknowledged <=
 * sent < next}, and the window holds exactly the messages from {@code acknowledged + 1} to {@code
 * next - 1}.
 *
 * @param <T> a message
 */
final class SendWindow<T> {
  private final ArrayDeque<T> unacknowledged = new ArrayDeque<>();
  private long next = 1;
  private long acknowledged;
  private long sent;
  private long highestEverSent;
  private int attempt;
  private boolean open;
  private Iterator<T> unsent;

  /** Appends a message and returns its number. */
  long add(T message) {
    unacknowledged.addLast(message);
    unsent = null;
    return next++;
  }

  /** Begins an attempt and returns its number; nothing is sent before {@link #opened}. */
  int begin() {
    open = false;
    return ++attempt;
  }

  int attempt() {
    return attempt;
  }

  /**
   * The receiver answers the attempt.
   *
   * @param delivered number of the last message that it has delivered
   * @param drop receives messages that need not be sent any more
   * @return null, or the error in the answer: then the session cannot continue
   */
  String opened(int answered, long delivered, Consumer<T> drop) {
    if (answered != attempt || open) {
      return null;
    }
    String wrong = check(delivered);
    if (wrong == null) {
      advance(delivered, drop);
      open = true;
      sent = delivered;
      unsent = null;
    }
    return wrong;
  }

  /**
   * The receiver has delivered up to this message.
   *
   * @return null, or the error
   */
  String acknowledged(int answered, long delivered, Consumer<T> drop) {
    if (answered != attempt || !open || delivered <= acknowledged) {
      return null;
    }
    String wrong = check(delivered);
    if (wrong == null) {
      advance(delivered, drop);
      unsent = null;
    }
    return wrong;
  }

  private String check(long delivered) {
    if (delivered < acknowledged) {
      return "the receiver has forgotten messages %d to %d".formatted(delivered + 1, acknowledged);
    }
    if (delivered > highestEverSent) {
      return "the receiver has message %d, and only %d were sent"
          .formatted(delivered, highestEverSent);
    }
    return null;
  }

  private void advance(long delivered, Consumer<T> drop) {
    while (acknowledged < delivered) {
      drop.accept(unacknowledged.pollFirst());
      acknowledged++;
    }
  }

  /** The connection is gone; nothing is sent until the next attempt. */
  void lost() {
    open = false;
  }

  boolean isOpen() {
    return open;
  }

  /** True when there is a message to send now. */
  boolean hasNext() {
    return open && sent < next - 1;
  }

  /** Number of the message that {@link #takeNext} returns. */
  long nextNumber() {
    return sent + 1;
  }

  /** The next message to send; it stays in the window. */
  T takeNext() {
    Invariant.check(hasNext(), "nothing to send");
    if (sent == next - 2) {
      unsent = null;
      sent++;
      highestEverSent = Math.max(highestEverSent, sent);
      return unacknowledged.peekLast();
    }
    if (unsent == null) {
      unsent = unacknowledged.iterator();
      for (long i = acknowledged; i < sent; i++) {
        unsent.next();
      }
    }
    sent++;
    highestEverSent = Math.max(highestEverSent, sent);
    return unsent.next();
  }

  /** Number of unacknowledged messages. */
  int size() {
    return unacknowledged.size();
  }

  /** Ends the session: drops all messages. */
  void clear(Consumer<T> drop) {
    open = false;
    attempt++;
    unsent = null;
    unacknowledged.forEach(drop);
    unacknowledged.clear();
    acknowledged = next - 1;
    sent = acknowledged;
  }
}
