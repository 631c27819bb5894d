package io.gauss.compute.peer;

import io.netty.buffer.ByteBuf;

/** Takes messages of one type, in the order in which each node sent them. Must not block. */
@FunctionalInterface
public interface PeerReceiver {
  /**
   * @param from slot of the node that sent it
   * @param payload released when this returns
   */
  void receive(int from, ByteBuf payload);
}
