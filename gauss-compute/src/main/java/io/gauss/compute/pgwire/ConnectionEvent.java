package io.gauss.compute.pgwire;

/** The events of a client's connection. All of them happen on the connection's event loop. */
enum ConnectionEvent {
  // ---- from the client's channel

  /** The channel is open. */
  OPENED,

  /** The channel is open, and there are too many of them already. */
  TOO_MANY,

  /** Bytes have come from the client. */
  INPUT,

  /** The client reads its answers again. */
  CLIENT_READS,

  /** The channel is closed, by either side. */
  CHANNEL_CLOSED,

  // ---- from others

  /** The session is to end, on an authorized request. */
  TERMINATE,

  /** The session is to end once it is idle outside a transaction. */
  DRAIN,

  /** The client wants a statement canceled that was forwarded at the time of the request. */
  CANCEL,

  /** The log has reached everything that the answer confirms. */
  LOG_READY,

  /** The log will not reach everything that the answer confirms, as far as can be known. */
  LOG_FAILED,

  /** Notifications wait for the session. */
  NOTIFIED,

  /** It is time to check again whether this node may answer. */
  LOOK,

  /** The other connections of the event loop have had their turn. */
  TURN,

  /** The client has had its time to start a session. */
  START_TIMEOUT,

  /** The session has been idle in a transaction for longer than it may. */
  IDLE_TIMEOUT,

  /** The client has taken the last answer, or the channel has failed. */
  LAST_TAKEN,

  /** The client has had its time to take the last answer. */
  LAST_TIMEOUT,

  // ---- from the session's thread, and of messages on the event loop

  /** All messages that are complete have been handled, or as many as should be at a time. */
  RAN,

  /** A message has to wait. */
  WOULD_BLOCK,

  /** The client ends the session. */
  CLIENT_ENDS,

  /** An error after which the connection cannot continue. */
  FAILED,

  /** The session's thread wants more input in the middle of a message. */
  WANTS_INPUT,

  /** No thread could be started. */
  NO_THREAD,

  // ---- of the start-up

  /** More messages of the client are needed. */
  START_UNFINISHED,

  /** The client is let in. */
  STARTED,

  /** There is nothing more to do: it was a request to cancel, or not a PostgreSQL client. */
  START_OVER,

  // ---- of answers about to leave

  /** The answer has been sent, or there was none. */
  SENT,

  /** The last answer has been sent. */
  LAST_SENT,

  /** The log has not yet reached everything that the answer confirms. */
  NEEDS_LOG,

  /** This node may not answer now. */
  GATE_SHUT,

  /** This node may not answer, and waiting is useless. */
  GATE_REFUSES,

  // ---- of what follows an answer

  /** Everything that came has been handled. */
  NOTHING_LEFT,

  /** Something came in the meantime. */
  INPUT_LEFT,

  /** Input was left over, so that the answers to earlier messages leave first. */
  UNFINISHED,

  /** The client does not read what it has been sent. */
  CLIENT_SLOW,

  /** The session was to end once it is idle, and it is. */
  DRAINED,

  /** As {@link #DRAINED}, of a session that serves another node's client. */
  LEAVES,

  // ---- of transactions on other nodes

  /** A transaction begins that is better run on another node. */
  FORWARD_BEGINS,

  /** More may be forwarded to the other node. */
  FORWARD_MORE,

  /** The transaction is over or lost: the session here continues. */
  FORWARD_OVER,

  // ---- of this program

  /** An action of a step failed in an unforeseen way. */
  BROKEN
}
