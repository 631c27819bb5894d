package io.gauss.common.transport;

/**
 * Notified when connections are made and end, at once and on their event loops, so that membership
 * can probe a node before its lease runs out. Must not block.
 */
public interface ConnectionListener {
  /**
   * @param outgoing true when this node made the connection
   */
  void connected(RemoteNode node, boolean outgoing);

  /**
   * @param reason display text: how it ended
   */
  void disconnected(RemoteNode node, boolean outgoing, String reason);
}
