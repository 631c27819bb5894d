package io.gauss.common.transport.session;

/** Receives the events of a session's sending side, on the peer's event loop. Must not block. */
public interface SessionListener {
  /** There is room in the window again, after a message was refused because it was full. */
  void onRoom();

  /**
   * The session is over: the other node has lost its state (another epoch), or one of the two
   * epochs is dead. Unacknowledged messages may or may not have been delivered. Called once, as the
   * last call.
   */
  void onBroken(String reason);
}
