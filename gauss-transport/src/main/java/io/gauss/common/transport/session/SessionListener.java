package io.gauss.common.transport.session;

/** Told about a session by its sending side, on the peer's event loop. Must not block. */
public interface SessionListener {
  /** There is room in the window again, after a message was refused for lack of it. */
  void onRoom();

  /**
   * The session is over: the other node has lost its state (another epoch), or one of the two
   * epochs is dead. What was not acknowledged may or may not have been delivered. Once, and the
   * last call.
   */
  void onBroken(String reason);
}
