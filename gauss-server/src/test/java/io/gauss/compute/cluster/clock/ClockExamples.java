package io.gauss.compute.cluster.clock;

import io.gauss.common.transport.MessageType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;

/** Bytes of the messages about clocks, for the registry of formats. */
public final class ClockExamples {
  public static final MessageType ADVANCE = ClockMessages.ADVANCE;
  public static final int VERSION = ClockMessages.VERSION;

  private ClockExamples() {}

  public static ByteBuf call() {
    return ClockMessages.encode(
        UnpooledByteBufAllocator.DEFAULT, new ClockMessages.Call(7, 0x0304, 5, 0x0607));
  }

  public static ByteBuf answer() {
    return ClockMessages.encode(
        UnpooledByteBufAllocator.DEFAULT,
        new ClockMessages.Answer(9, 0x0102, 0x0304, 0x0506, 0x0708));
  }
}
