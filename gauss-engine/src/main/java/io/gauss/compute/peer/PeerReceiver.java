package io.gauss.compute.peer;

import io.netty.buffer.ByteBuf;

/** Takes messages of one type, in the order in which each node sent them. Must not block. */
@FunctionalInterface
public interface PeerReceiver {
  /**
   * @param from slot of the node that sent it
   * @param epoch of that node's life; it may have died since, and be back in another one
   * @param payload released when this returns
   */
  void receive(int from, int epoch, ByteBuf payload);
}
