package io.gauss.storage.map.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.RemoteNode;
import io.gauss.common.transport.StreamCall;
import io.gauss.common.transport.StreamReceiver;
import io.gauss.storage.map.codec.MapMessageCodec;
import io.gauss.storage.map.message.MapAnswer;
import io.gauss.storage.map.message.MapRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class PeerMapConnectionTest {
  private final CompletableFuture<ByteBuf> reply = new CompletableFuture<>();
  private final ByteBuf bytes =
      Unpooled.wrappedBuffer(MapMessageCodec.encode(new MapAnswer.Incarnation(7)));
  private final CompletableFuture<MapAnswer> answer =
      new PeerMapConnection(1, new OneCall(reply)).request(new MapRequest.WhoAreYou(), 1);

  @Test
  void anAnswerIsReadAndItsReplyReleased() {
    reply.complete(bytes);
    assertEquals(new MapAnswer.Incarnation(7), answer.join());
    assertEquals(0, bytes.refCnt());
  }

  @Test
  void aReplyThatNobodyWaitsForAnyMoreIsReleased() {
    answer.completeExceptionally(new TimeoutException());
    reply.complete(bytes);
    assertEquals(0, bytes.refCnt());
  }

  /** Answers calls with the given reply; supports nothing else. */
  private record OneCall(CompletableFuture<ByteBuf> reply) implements Peer {
    @Override
    public CompletableFuture<ByteBuf> call(MessageType type, ByteBuf payload, long timeoutNanos) {
      payload.release();
      return reply;
    }

    @Override
    public NodeAddress address() {
      throw new UnsupportedOperationException();
    }

    @Override
    public RemoteNode remote() {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean isConnected() {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<RemoteNode> connected() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void send(MessageType type, ByteBuf payload) {
      throw new UnsupportedOperationException();
    }

    @Override
    public StreamCall stream(
        MessageType type,
        ByteBuf payload,
        long timeoutNanos,
        int creditBytes,
        StreamReceiver receiver) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void execute(Runnable task) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void schedule(Runnable task, long delayNanos) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
  }
}
