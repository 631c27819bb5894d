package io.gauss.storage.raft;

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
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.CompletableFuture;

/**
 * A transport whose connections lose calls in the middle, as TCP's never do, or their answers,
 * deliver some twice and some late, behind those that were sent after them, and hold others.
 */
final class LossyTransport implements Transport {
  private static final long LATE_NANOS = 10_000_000;
  private static final long LOST_NANOS = 20_000_000;

  /** What becomes of a call. */
  enum Fate {
    ANSWERED,
    LOST,
    ANSWER_LOST,
    TWICE,
    LATE,
    /** It is under way for ever. */
    HELD
  }

  /** The fates of calls. Thread-safe. */
  @FunctionalInterface
  interface Fates {
    Fate of(NodeAddress to, int bytes);
  }

  private final Transport transport;
  private final Fates fates;

  LossyTransport(Transport transport, Fates fates) {
    this.transport = transport;
    this.fates = fates;
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
    return new LossyPeer(transport.connect(address, expectedNode));
  }

  @Override
  public void addListener(ConnectionListener listener) {
    transport.addListener(listener);
  }

  @Override
  public void close() {
    transport.close();
  }

  private final class LossyPeer implements Peer {
    private final Peer peer;

    LossyPeer(Peer peer) {
      this.peer = peer;
    }

    @Override
    public CompletableFuture<ByteBuf> call(MessageType type, ByteBuf payload, long timeoutNanos) {
      return switch (fates.of(peer.address(), payload.readableBytes())) {
        case ANSWERED -> peer.call(type, payload, timeoutNanos);
        case LOST -> {
          payload.release();
          yield failLater();
        }
        case HELD -> {
          payload.release();
          yield new CompletableFuture<>();
        }
        case ANSWER_LOST -> {
          peer.call(type, payload, timeoutNanos).thenAccept(ByteBuf::release);
          yield failLater();
        }
        case TWICE -> {
          peer.call(type, payload.copy(), timeoutNanos).thenAccept(ByteBuf::release);
          yield peer.call(type, payload, timeoutNanos);
        }
        case LATE -> {
          CompletableFuture<ByteBuf> answer = new CompletableFuture<>();
          peer.schedule(
              () ->
                  peer.call(type, payload, timeoutNanos)
                      .whenComplete(
                          (reply, failure) -> {
                            if (failure == null) {
                              answer.complete(reply);
                            } else {
                              answer.completeExceptionally(failure);
                            }
                          }),
              LATE_NANOS);
          yield answer;
        }
      };
    }

    private CompletableFuture<ByteBuf> failLater() {
      CompletableFuture<ByteBuf> answer = new CompletableFuture<>();
      peer.schedule(
          () ->
              answer.completeExceptionally(
                  new TransportException(Reason.TIMEOUT, true, "lost by a test")),
          LOST_NANOS);
      return answer;
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
