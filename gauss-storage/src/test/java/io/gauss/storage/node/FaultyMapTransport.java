package io.gauss.storage.node;

import io.gauss.common.transport.ConnectionListener;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.RemoteNode;
import io.gauss.common.transport.StreamCall;
import io.gauss.common.transport.StreamReceiver;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportException;
import io.gauss.common.transport.TransportException.Reason;
import io.gauss.storage.map.codec.MapMessageCodec;
import io.gauss.storage.map.message.MapMessages;
import io.gauss.storage.map.message.MapRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import java.util.concurrent.CompletableFuture;

/** A node's transport that loses requests about the cluster map, or their answers. */
final class FaultyMapTransport implements Transport {
  /** The fate of a request. */
  enum Fate {
    ANSWERED,
    REQUEST_LOST,
    ANSWER_LOST
  }

  /** Decides about each request. Called on any thread. */
  @FunctionalInterface
  interface Faults {
    /**
     * @param from requesting node
     * @param to number of the node that is expected to answer; 0 = unknown
     */
    Fate of(int from, int to, MapRequest request);
  }

  private final Transport transport;
  private final Faults faults;

  FaultyMapTransport(Transport transport, Faults faults) {
    this.transport = transport;
    this.faults = faults;
  }

  @Override
  public NodeIdentity self() {
    return transport.self();
  }

  @Override
  public ByteBufAllocator allocator() {
    return transport.allocator();
  }

  @Override
  public NodeAddress listen(NodeAddress address, Handlers handlers) {
    return transport.listen(address, handlers);
  }

  @Override
  public Peer connect(NodeAddress address, int expectedNode) {
    return new FaultyPeer(transport.connect(address, expectedNode), expectedNode);
  }

  @Override
  public void addListener(ConnectionListener listener) {
    transport.addListener(listener);
  }

  @Override
  public void close() {
    transport.close();
  }

  private final class FaultyPeer implements Peer {
    private final Peer peer;
    private final int expectedNode;

    FaultyPeer(Peer peer, int expectedNode) {
      this.peer = peer;
      this.expectedNode = expectedNode;
    }

    @Override
    public CompletableFuture<ByteBuf> call(MessageType type, ByteBuf payload, long timeoutNanos) {
      Fate fate =
          type.equals(MapMessages.CLUSTER_MAP)
              ? faults.of(
                  self().node(),
                  expectedNode,
                  MapMessageCodec.decodeRequest(ByteBufUtil.getBytes(payload)))
              : Fate.ANSWERED;
      return switch (fate) {
        case ANSWERED -> peer.call(type, payload, timeoutNanos);
        case REQUEST_LOST -> {
          payload.release();
          yield CompletableFuture.failedFuture(lost(false));
        }
        case ANSWER_LOST ->
            peer.call(type, payload, timeoutNanos)
                .thenApply(
                    answer -> {
                      answer.release();
                      throw lost(true);
                    });
      };
    }

    private TransportException lost(boolean sent) {
      return new TransportException(Reason.DISCONNECTED, sent, "lost by a test");
    }

    @Override
    public NodeAddress address() {
      return peer.address();
    }

    @Override
    public RemoteNode remote() {
      return peer.remote();
    }

    @Override
    public boolean isConnected() {
      return peer.isConnected();
    }

    @Override
    public CompletableFuture<RemoteNode> connected() {
      return peer.connected();
    }

    @Override
    public void send(MessageType type, ByteBuf payload) {
      peer.send(type, payload);
    }

    @Override
    public StreamCall stream(
        MessageType type,
        ByteBuf payload,
        long timeoutNanos,
        int creditBytes,
        StreamReceiver receiver) {
      return peer.stream(type, payload, timeoutNanos, creditBytes, receiver);
    }

    @Override
    public void execute(Runnable task) {
      peer.execute(task);
    }

    @Override
    public void schedule(Runnable task, long delayNanos) {
      peer.schedule(task, delayNanos);
    }

    @Override
    public void close() {
      peer.close();
    }
  }
}
