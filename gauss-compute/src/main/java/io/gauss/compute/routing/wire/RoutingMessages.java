package io.gauss.compute.routing.wire;

import io.gauss.common.transport.MessageType;

/** Types of messages about routing; numbers are given out in docs/protocols.md. */
public final class RoutingMessages {
  /** Load and samples one way, what was learned the other: {@link RoutingLayout}. */
  public static final MessageType EXCHANGE = new MessageType(0x0801, "routing.exchange");

  private RoutingMessages() {}
}
