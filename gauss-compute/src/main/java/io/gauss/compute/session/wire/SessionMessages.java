package io.gauss.compute.session.wire;

import io.gauss.common.transport.MessageType;

/** Types of messages about sessions; numbers are given out in docs/protocols/transport.md. */
public final class SessionMessages {
  /** Cancel, end or find a session: {@link SignalLayout}. */
  public static final MessageType SIGNAL = new MessageType(0x0701, "session.signal");

  /** List sessions and transactions: {@link ActivityLayout}. */
  public static final MessageType ACTIVITY = new MessageType(0x0702, "session.activity");

  /** Ask to admit transactions of a client's session: {@link ForwardLayout}. */
  public static final MessageType FORWARD = new MessageType(0x0703, "session.forward");

  private SessionMessages() {}
}
