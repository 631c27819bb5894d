package io.gauss.common.transport.link;

import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.TransportException;
import io.netty.buffer.ByteBuf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A message without an answer. */
final class OneWayMessage extends Outbound {
  private static final Logger LOG = LoggerFactory.getLogger(OneWayMessage.class);

  OneWayMessage(MessageType type, ByteBuf payload) {
    super(type, payload, 0, false, 0);
  }

  @Override
  int kind() {
    return MessageKind.ONE_WAY;
  }

  @Override
  boolean abandoned() {
    return false;
  }

  @Override
  void fail(TransportException failure) {
    // No caller waits: by contract the message is lost with the connection.
    LOG.debug("{} was not sent: {}", type, failure.getMessage());
  }
}
