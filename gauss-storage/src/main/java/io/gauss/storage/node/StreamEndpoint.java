package io.gauss.storage.node;

import io.gauss.common.error.GaussException;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.Request;
import io.gauss.storage.raft.stream.StreamAnswer;
import io.gauss.storage.raft.stream.StreamCodec;
import io.gauss.storage.raft.stream.StreamRequest;
import io.gauss.storage.raft.stream.StreamService;
import io.netty.buffer.ByteBufAllocator;

/** Answers other nodes' requests about streams. Thread-safe; handlers do not block. */
final class StreamEndpoint {
  private final StreamService streams;
  private final ByteBufAllocator allocator;

  StreamEndpoint(StreamService streams, ByteBufAllocator allocator) {
    this.streams = streams;
    this.allocator = allocator;
  }

  void register(Handlers handlers) {
    for (MessageType type : StreamCodec.types()) {
      handlers.on(type, this::handle);
    }
  }

  private void handle(Request request) {
    StreamRequest asked;
    try {
      asked = StreamCodec.decodeRequest(request.type(), request.payload());
    } catch (GaussException e) {
      request.fail(e.state(), e.getMessage());
      return;
    }
    streams.handle(asked).thenAccept(answer -> reply(request, answer));
  }

  private void reply(Request request, StreamAnswer answer) {
    request.reply(StreamCodec.encode(answer, allocator));
  }
}
