package io.gauss.compute.expr.text;

import io.gauss.compute.expr.call.Define;

/**
 * PostgreSQL's hashes of texts, with which applications make keys of advisory locks: Bob Jenkins'
 * lookup3, with 32 or 64 bits of result.
 */
final class HashFunctions {
  private static final int START = 0x9e3779b9 + 3923095;
  private static final int BLOCK = 12;

  void register(Define define) {
    define.fn(
        "hashtext(text) int4", (ctx, a, out) -> out.setLong((int) hash(a.bytes, a.off, a.len, 0)));
    define.fn(
        "hashtextextended(text, int8) int8",
        (ctx, a, seed, out) -> out.setLong(hash(a.bytes, a.off, a.len, seed.l)));
  }

  /** The lower 32 bits are the shorter hash, when the seed is 0. */
  private static long hash(byte[] bytes, int offset, int length, long seed) {
    int[] state = {START + length, START + length, START + length};
    if (seed != 0) {
      state[0] += (int) (seed >>> Integer.SIZE);
      state[1] += (int) seed;
      mix(state);
    }
    int at = offset;
    int left = length;
    for (; left >= BLOCK; left -= BLOCK, at += BLOCK) {
      state[0] += word(bytes, at, 4);
      state[1] += word(bytes, at + 4, 4);
      state[2] += word(bytes, at + 8, 4);
      mix(state);
    }
    state[0] += word(bytes, at, Math.min(4, left));
    state[1] += word(bytes, at + 4, Math.clamp(left - 4L, 0, 4));
    state[2] +=
        word(bytes, at + 8, Math.clamp(left - 8L, 0, 4)) << Byte.SIZE; // the length is below
    finish(state);
    return (long) state[1] << Integer.SIZE | Integer.toUnsignedLong(state[2]);
  }

  /** Up to four bytes, the lowest first. */
  private static int word(byte[] bytes, int at, int count) {
    int word = 0;
    for (int i = 0; i < count; i++) {
      word |= (bytes[at + i] & 0xFF) << Byte.SIZE * i;
    }
    return word;
  }

  private static void mix(int[] state) {
    int a = state[0];
    int b = state[1];
    int c = state[2];
    a -= c;
    a ^= Integer.rotateLeft(c, 4);
    c += b;
    b -= a;
    b ^= Integer.rotateLeft(a, 6);
    a += c;
    c -= b;
    c ^= Integer.rotateLeft(b, 8);
    b += a;
    a -= c;
    a ^= Integer.rotateLeft(c, 16);
    c += b;
    b -= a;
    b ^= Integer.rotateLeft(a, 19);
    a += c;
    c -= b;
    c ^= Integer.rotateLeft(b, 4);
    b += a;
    state[0] = a;
    state[1] = b;
    state[2] = c;
  }

  private static void finish(int[] state) {
    int a = state[0];
    int b = state[1];
    int c = state[2];
    c ^= b;
    c -= Integer.rotateLeft(b, 14);
    a ^= c;
    a -= Integer.rotateLeft(c, 11);
    b ^= a;
    b -= Integer.rotateLeft(a, 25);
    c ^= b;
    c -= Integer.rotateLeft(b, 16);
    a ^= c;
    a -= Integer.rotateLeft(c, 4);
    b ^= a;
    b -= Integer.rotateLeft(a, 14);
    c ^= b;
    c -= Integer.rotateLeft(b, 24);
    state[0] = a;
    state[1] = b;
    state[2] = c;
  }
}
