package io.gauss.common.transport.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;

/** Bytes of sessions between nodes, for the registry of formats. */
public final class SessionExamples {
  private static final UnpooledByteBufAllocator ALLOCATOR = UnpooledByteBufAllocator.DEFAULT;

  private SessionExamples() {}

  public static ByteBuf open() {
    return SessionLayout.open(ALLOCATOR, 3, 4, 5);
  }

  public static ByteBuf state() {
    return SessionLayout.state(ALLOCATOR, 3, 5, 0x0102);
  }

  public static ByteBuf data() {
    return SessionLayout.dataHeader(ALLOCATOR, 0x0102, 5, 0x0401, SessionLayout.ACKNOWLEDGE_NOW);
  }

  public static ByteBuf ask() {
    return SessionLayout.ask(ALLOCATOR, 5);
  }
}
