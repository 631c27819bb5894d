package io.gauss.compute.peer;

import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.TransportException;
import io.gauss.common.transport.TransportException.Reason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.concurrent.CompletableFuture;

/** A compute node on its own. */
final class NoPeers implements PeerNodes {
  private static final Answerer NOBODY = new Answerer(0, 0);

  @Override
  public int self() {
    return 0;
  }

  @Override
  public Answerer answerer(int slot) {
    return NOBODY;
  }

  @Override
  public boolean has(int node) {
    return false;
  }

  @Override
  public boolean has(int node, int epoch) {
    return false;
  }

  @Override
  public CompletableFuture<ByteBuf> call(
      int node, MessageType type, ByteBuf payload, long timeoutNanos) {
    payload.release();
    return CompletableFuture.failedFuture(
        new TransportException(Reason.DISCONNECTED, false, "there is no other compute node"));
  }

  @Override
  public void send(int node, MessageType type, ByteBuf payload) {
    payload.release();
  }

  @Override
  public void send(int node, int epoch, MessageType type, ByteBuf payload) {
    payload.release();
  }

  @Override
  public ByteBufAllocator allocator() {
    return UnpooledByteBufAllocator.DEFAULT;
  }

  @Override
  public void addListener(PeerListener listener) {
    // nothing ever happens
  }
}
