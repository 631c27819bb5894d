package io.gauss.common.transport.link;

/**
 * The fields of a message's header ({@link MessageLayout}), reused from message to message.
 * Confined to one thread.
 */
public final class MessageHeader {
  int version;
  public int kind;
  public int type;
  int flags;
  int node;
  int epoch;

  /** Microseconds until the deadline, as an unsigned int; 0 = none. */
  int remainingMicros;

  long requestId;
  long clock;
  int argument;

  MessageHeader set(int kindOfMessage, int messageType, long id) {
    kind = kindOfMessage;
    type = messageType;
    flags = 0;
    requestId = id;
    remainingMicros = 0;
    argument = 0;
    return this;
  }

  /** An independent copy, for a wire that keeps messages as objects. */
  public MessageHeader copy() {
    MessageHeader copy = new MessageHeader();
    copy.version = version;
    copy.kind = kind;
    copy.type = type;
    copy.flags = flags;
    copy.node = node;
    copy.epoch = epoch;
    copy.remainingMicros = remainingMicros;
    copy.requestId = requestId;
    copy.clock = clock;
    copy.argument = argument;
    return copy;
  }

  @Override
  public String toString() {
    return "%s %d #%d".formatted(MessageKind.name(kind), type, requestId);
  }
}
