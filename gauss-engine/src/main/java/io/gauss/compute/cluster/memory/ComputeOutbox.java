package io.gauss.compute.cluster.memory;

import io.gauss.common.transport.MessageType;
import io.netty.buffer.ByteBuf;

/** Sends to other compute nodes, each message once and in the order given for each (rule 14). */
@FunctionalInterface
public interface ComputeOutbox {
  /**
   * Takes over the payload. What is for a node that is gone is dropped.
   *
   * @param epoch of the node; another process that has come in its place does not get it
   */
  void send(int slot, int epoch, MessageType type, ByteBuf payload);
}
