package io.gauss.compute.routing.wire;

import io.gauss.common.transport.MessageType;

/** Types of messages about routing; their numbers are assigned in docs/protocols/transport.md. */
public final class RoutingMessages {
  /** Load and samples in one direction, publications in the other: {@link RoutingLayout}. */
  public static final MessageType EXCHANGE = new MessageType(0x0801, "routing.exchange");

  /** Pages that another node is to own: {@link OfferLayout}. */
  public static final MessageType OFFER = new MessageType(0x0802, "routing.offer");

  private RoutingMessages() {}
}
