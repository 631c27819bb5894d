package io.gauss.common.transport;

import io.gauss.common.id.LamportClock;
import io.gauss.common.id.Lsn;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** Nodes and messages for tests of the transport and of the layers above it. */
public final class TestNodes {
  static {
    Leaks.install();
  }

  public static final UUID CLUSTER = new UUID(0x1111_2222_3333_4444L, 0x5555_6666_7777_8888L);
  public static final ClusterKey KEY = key("a secret for tests only");

  private TestNodes() {}

  public static ClusterKey key(String secret) {
    return new ClusterKey(CLUSTER, secret.getBytes(StandardCharsets.UTF_8));
  }

  /** A node in epoch 1 whose clock stands at {@code node * 100}. */
  public static TransportConfig config(int node, NodeRole role) {
    LamportClock clock = new LamportClock(node, Lsn.of(node * 100L, node));
    return new TransportConfig(
        NodeIdentity.of(node, role, 1, clock),
        KEY,
        EpochGuard.NONE,
        TransportSettings.DEFAULTS,
        new SimpleMeterRegistry());
  }

  public static ByteBuf text(String text) {
    return ByteBufUtil.writeUtf8(PooledByteBufAllocator.DEFAULT, text);
  }

  /** Reads a text and releases it. */
  public static String take(ByteBuf payload) {
    try {
      return payload.toString(StandardCharsets.UTF_8);
    } finally {
      payload.release();
    }
  }

  /** Pooled bytes that differ from place to place and by {@code seed}. */
  public static ByteBuf bytes(int length, int seed) {
    return PooledByteBufAllocator.DEFAULT.buffer(length).writeBytes(array(length, seed));
  }

  /** The same, in an array. */
  public static byte[] array(int length, int seed) {
    byte[] array = new byte[length];
    for (int i = 0; i < length; i++) {
      array[i] = (byte) (i * 31 + seed);
    }
    return array;
  }

  /** Reads the bytes and releases them. */
  public static byte[] takeBytes(ByteBuf payload) {
    try {
      return ByteBufUtil.getBytes(payload);
    } finally {
      payload.release();
    }
  }
}
