package io.gauss.storage.raft.stream;

import io.gauss.common.error.GaussException;
import io.gauss.common.runtime.InOrder;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.TransportException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Carries requests about streams to the processes of storage nodes. Thread-safe. */
public final class NetStreamTransport implements StreamTransport {
  private final ByteBufAllocator allocator;
  private volatile Map<Integer, Peer> nodes;

  /**
   * @param nodes storage nodes by number, with connections used only for this, so that appends do
   *     not wait behind pages; the caller closes them
   */
  public NetStreamTransport(ByteBufAllocator allocator, Map<Integer, Peer> nodes) {
    this.allocator = allocator;
    this.nodes = InOrder.copyOf(nodes);
  }

  /** From now on these nodes are known. */
  public void nodes(Map<Integer, Peer> known) {
    nodes = InOrder.copyOf(known);
  }

  @Override
  public CompletableFuture<StreamAnswer> call(int node, StreamRequest request, Duration timeout) {
    Peer peer = nodes.get(node);
    if (peer == null) {
      return CompletableFuture.completedFuture(
          new StreamAnswer.Busy("storage node " + node + " is not known here"));
    }
    return peer.call(
            StreamCodec.type(request), StreamCodec.encode(request, allocator), timeout.toNanos())
        .handle((payload, error) -> error == null ? answer(payload) : failure(node, error));
  }

  private static StreamAnswer answer(ByteBuf payload) {
    try {
      return StreamCodec.decodeAnswer(payload);
    } catch (GaussException e) {
      return new StreamAnswer.Unknown(e.getMessage());
    } finally {
      payload.release();
    }
  }

  private static StreamAnswer failure(int node, Throwable error) {
    String reason = "storage node " + node + ": " + error.getMessage();
    return error instanceof TransportException told && !told.maybeExecuted()
        ? new StreamAnswer.Busy(reason)
        : new StreamAnswer.Unknown(reason);
  }
}
