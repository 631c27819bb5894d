package io.gauss.compute.sql.exec.row;

import io.gauss.compute.type.ByteSink;

/**
 * A 64-bit hash of key bytes for tables and partitions in memory: multiply and fold, as wyhash
 * does.
 */
public final class KeyHash {
  private static final long P0 = 0xa0761d6478bd642fL;
  private static final long P1 = 0xe7037ed1a0b428dbL;

  private KeyHash() {}

  public static long of(byte[] bytes, int offset, int length) {
    long hash = P0 ^ length;
    int p = offset;
    int left = length;
    while (left >= 8) {
      hash = mix(hash ^ ByteSink.getLongLe(bytes, p), P1);
      p += 8;
      left -= 8;
    }
    long tail = 0;
    for (int i = 0; i < left; i++) {
      tail |= (bytes[p + i] & 0xFFL) << (i * 8);
    }
    return mix(hash ^ tail, P0);
  }

  private static long mix(long a, long b) {
    return (a * b) ^ Math.unsignedMultiplyHigh(a, b);
  }
}
