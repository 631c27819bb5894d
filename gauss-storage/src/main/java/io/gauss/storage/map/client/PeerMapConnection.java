package io.gauss.storage.map.client;

import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.TransportException;
import io.gauss.storage.map.codec.MapMessageCodec;
import io.gauss.storage.map.message.MapAnswer;
import io.gauss.storage.map.message.MapMessages;
import io.gauss.storage.map.message.MapRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** A storage node's replica of the map, reached over the transport. */
public final class PeerMapConnection implements MapConnection {
  private final int node;
  private final Peer peer;
  private final MessageType type;

  /**
   * A connection over this peer.
   *
   * @param peer the caller closes it
   */
  public PeerMapConnection(int node, Peer peer) {
    this(node, peer, MapMessages.CLUSTER_MAP);
  }

  /** The same for requests of another message type. */
  public PeerMapConnection(int node, Peer peer, MessageType type) {
    this.node = node;
    this.peer = peer;
    this.type = type;
  }

  @Override
  public int node() {
    return node;
  }

  @Override
  public CompletableFuture<MapAnswer> request(MapRequest request, long timeoutNanos) {
    ByteBuf payload = Unpooled.wrappedBuffer(MapMessageCodec.encode(request));
    return peer.call(type, payload, timeoutNanos)
        .handle(
            (reply, failure) -> {
              if (failure != null) {
                throw translated(failure);
              }
              try {
                return MapMessageCodec.decodeAnswer(ByteBufUtil.getBytes(reply));
              } finally {
                reply.release();
              }
            })
        // The caller may complete the returned future before the reply arrives; the reply is still
        // released.
        .copy();
  }

  private static RuntimeException translated(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof TransportException e ? e.toGauss() : new CompletionException(cause);
  }
}
