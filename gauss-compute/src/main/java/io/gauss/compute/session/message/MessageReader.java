package io.gauss.compute.session.message;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.type.Utf8;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Reads the fields of one frontend message out of a byte array. Every read checks the message's
 * end, so that a message with wrong lengths is always a protocol violation (08P01). Reused; not
 * thread-safe.
 */
public final class MessageReader {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);

  private static final char REPLACEMENT = '\uFFFD';

  private byte[] bytes;
  private int position;
  private int end;

  public void wrap(byte[] array, int from, int to) {
    this.bytes = array;
    this.position = from;
    this.end = to;
  }

  public byte[] array() {
    return bytes;
  }

  public int position() {
    return position;
  }

  public int remaining() {
    return end - position;
  }

  public int readByte() {
    need(1);
    return bytes[position++];
  }

  public int readShort() {
    need(2);
    int value = (short) SHORT.get(bytes, position);
    position += 2;
    return value;
  }

  public int readUnsignedShort() {
    return readShort() & 0xFFFF;
  }

  public int readInt() {
    need(4);
    int value = (int) INT.get(bytes, position);
    position += 4;
    return value;
  }

  public long readLong() {
    long high = readInt();
    return high << 32 | readInt() & 0xFFFF_FFFFL;
  }

  public void skip(int count) {
    need(count);
    position += count;
  }

  /** Length in bytes of the zero-terminated string at the position. */
  int cstringLength() {
    for (int i = position; i < end; i++) {
      if (bytes[i] == 0) {
        return i - position;
      }
    }
    throw new GaussException(SqlState.PROTOCOL_VIOLATION, "invalid string in message");
  }

  /**
   * Reads the zero-terminated string at the position.
   *
   * @throws GaussException 22021 when it is not UTF-8
   */
  public String readCString() {
    int length = cstringLength();
    String text = length == 0 ? "" : new String(bytes, position, length, StandardCharsets.UTF_8);
    if (text.indexOf(REPLACEMENT) >= 0) {
      // The character may replace bytes that are not UTF-8, or be in the text itself.
      Utf8.check(bytes, position, length);
    }
    position += length + 1;
    return text;
  }

  /** Fails unless the message was read to its end. */
  public void finish() {
    if (position != end) {
      throw new GaussException(SqlState.PROTOCOL_VIOLATION, "invalid message format");
    }
  }

  private void need(int count) {
    if (count < 0 || end - position < count) {
      throw new GaussException(SqlState.PROTOCOL_VIOLATION, "insufficient data left in message");
    }
  }
}
