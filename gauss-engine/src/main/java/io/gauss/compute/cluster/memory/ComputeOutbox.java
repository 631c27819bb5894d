package io.gauss.compute.cluster.memory;

import io.gauss.common.transport.MessageType;
import io.netty.buffer.ByteBuf;

/** Sends to other compute nodes, each message once, and in order for each node (rule 14). */
@FunctionalInterface
public interface ComputeOutbox {
  /**
   * Takes over the payload. A message for a node that is gone is dropped.
   *
   * @param epoch of the node; a process that has replaced it does not get the message
   */
  void send(int slot, int epoch, MessageType type, ByteBuf payload);
}
