package io.gauss.compute.session.wire;

import io.gauss.common.transport.MessageType;

/** Types of messages about sessions; numbers are given out in docs/protocols/transport.md. */
public final class SessionMessages {
  /** Cancel, end or look for a session: {@link SignalLayout}. */
  public static final MessageType SIGNAL = new MessageType(0x0701, "session.signal");

  /** Which sessions and transactions are there: {@link ActivityLayout}. */
  public static final MessageType ACTIVITY = new MessageType(0x0702, "session.activity");

  /** May transactions of a client's session come: {@link ForwardLayout}. */
  public static final MessageType FORWARD = new MessageType(0x0703, "session.forward");

  private SessionMessages() {}
}
