package io.gauss.storage.map.message;

import io.gauss.common.transport.MessageType;

/** Types of messages about the cluster map; the numbers are the format. */
public final class MapMessages {
  /** Served by storage nodes: a {@link MapRequest} and its {@link MapAnswer}. */
  public static final MessageType CLUSTER_MAP = new MessageType(0x0301, "map.request");

  /** Served by nodes of every role: {@link MapRequest.WhoAreYou}. */
  public static final MessageType NODE_INCARNATION = new MessageType(0x0302, "node.incarnation");

  private MapMessages() {}
}
