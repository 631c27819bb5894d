package io.gauss.compute.pgwire;

import io.gauss.common.runtime.Environment;

/**
 * The time that a client waits for the answers of one transaction, without the time in which the
 * transaction waits for its client. Belongs to the connection's event loop.
 */
final class WaitedTime {
  private boolean isOn;
  private ForwardingGain.Choice choice;
  private long kind;
  private long nanos;

  /** When the client has begun to wait; meaningless while it does not. */
  private long since;

  private boolean isWaiting;

  /**
   * A transaction begins.
   *
   * @param ofKind see {@link ForwardingGain}; 0 = it is not measured
   * @param chosen what is done with it
   * @param now ns, when its first message was looked at
   */
  void begin(long ofKind, ForwardingGain.Choice chosen, long now) {
    isOn = ofKind != 0;
    kind = ofKind;
    choice = chosen;
    nanos = 0;
    since = now;
    isWaiting = true;
  }

  /** It has got another message. */
  void goesOn() {
    if (isOn && !isWaiting) {
      since = Environment.nanoTime();
      isWaiting = true;
    }
  }

  /** It has answered all that came, and waits for its client. */
  void answered() {
    if (isOn && isWaiting) {
      nanos += Environment.nanoTime() - since;
      isWaiting = false;
    }
  }

  /** It is over and answered. */
  void over(ForwardingGain gain) {
    if (isOn) {
      answered();
      isOn = false;
      gain.took(kind, choice, nanos);
    }
  }

  /** It was lost, or cannot be told from the one that follows. */
  void forget() {
    isOn = false;
  }
}
