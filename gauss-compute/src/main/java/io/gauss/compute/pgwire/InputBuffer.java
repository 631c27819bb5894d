package io.gauss.compute.pgwire;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * Bytes received from a client and not consumed yet. Small while the connection is idle: an array
 * that grew is dropped once it is empty. Owned by the thread that runs the connection.
 */
final class InputBuffer {
  private static final int KEEP_BYTES = 2048;
  private static final byte[] EMPTY = new byte[0];

  private byte[] bytes = EMPTY;
  private int start;
  private int end;

  void append(ByteBuf from) {
    int count = from.readableBytes();
    reserve(count);
    from.readBytes(bytes, end, count);
    end += count;
  }

  /** Puts bytes before those that have not been consumed. */
  void putBefore(byte[] from, int count) {
    int held = end - start;
    byte[] all = new byte[count + held];
    System.arraycopy(from, 0, all, 0, count);
    System.arraycopy(bytes, start, all, count, held);
    bytes = all;
    start = 0;
    end = count + held;
  }

  private void reserve(int count) {
    if (end + count <= bytes.length) {
      return;
    }
    int held = end - start;
    if (held + count <= bytes.length) {
      System.arraycopy(bytes, start, bytes, 0, held);
    } else {
      byte[] grown = new byte[Math.max(512, Integer.highestOneBit(held + count - 1) << 1)];
      System.arraycopy(bytes, start, grown, 0, held);
      bytes = grown;
    }
    start = 0;
    end = held;
  }

  int available() {
    return end - start;
  }

  /** Bytes of memory that it takes. */
  int capacity() {
    return bytes.length;
  }

  byte[] array() {
    return bytes;
  }

  /** Index of the first byte not consumed. */
  int start() {
    return start;
  }

  int byteAt(int offset) {
    return bytes[start + offset];
  }

  int intAt(int offset) {
    int i = start + offset;
    return (bytes[i] & 0xFF) << 24
        | (bytes[i + 1] & 0xFF) << 16
        | (bytes[i + 2] & 0xFF) << 8
        | (bytes[i + 3] & 0xFF);
  }

  void consume(int count) {
    start += count;
    if (start == end) {
      start = 0;
      end = 0;
    }
  }

  /** Gives back memory when the buffer is empty. */
  void trim() {
    if (start == end && bytes.length > KEEP_BYTES) {
      bytes = EMPTY;
    }
  }

  byte[] copy(int offset, int count) {
    return Arrays.copyOfRange(bytes, start + offset, start + offset + count);
  }
}
