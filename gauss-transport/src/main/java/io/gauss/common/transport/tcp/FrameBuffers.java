package io.gauss.common.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import java.util.function.Supplier;

/**
 * Chooses the buffer for reading from a socket: the message that is being received, if there is
 * one, so that its bytes need not be copied afterwards. One per connection; confined to its event
 * loop.
 */
final class FrameBuffers extends DefaultMaxMessagesRecvByteBufAllocator {
  /** Fits several small messages, or the head of a large one, whose bytes read here are copied. */
  static final int READ_BYTES = 16 << 10;

  private final Supplier<ByteBuf> target;

  /**
   * @param target returns null when no message is being received
   */
  FrameBuffers(Supplier<ByteBuf> target) {
    this.target = target;
  }

  @Override
  @SuppressWarnings("deprecation") // the interface itself declares it so
  public RecvByteBufAllocator.Handle newHandle() {
    return new MaxMessageHandle() {
      @Override
      public ByteBuf allocate(ByteBufAllocator allocator) {
        ByteBuf message = target.get();
        return message != null ? message.retain() : allocator.directBuffer(READ_BYTES);
      }

      @Override
      public int guess() {
        return READ_BYTES;
      }
    };
  }
}
