package io.gauss.storage.map.codec;

import io.gauss.storage.map.api.BucketSet;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;

/**
 * Reads what {@link MapWriter} wrote. A payload that ends too early throws {@link
 * java.nio.BufferUnderflowException}, an unknown number {@link IllegalArgumentException}: with a
 * valid checksum, either is an error of the writer, which {@link #whole} turns into an exception.
 */
final class MapReader {
  private final int version;
  private final ByteBuffer buffer;

  /**
   * @param version of the frame
   */
  MapReader(int version, byte[] payload) {
    this.version = version;
    buffer = ByteBuffer.wrap(payload).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Reads a value that takes the whole payload. */
  static <T> T whole(MapFrameLayout.Kind kind, byte[] bytes, Function<MapReader, T> read) {
    MapReader reader = MapFrameLayout.unwrap(kind, bytes);
    T value;
    try {
      value = read.apply(reader);
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      throw MapFrameLayout.damaged(kind, e.toString());
    }
    if (reader.buffer.hasRemaining()) {
      throw MapFrameLayout.damaged(kind, reader.buffer.remaining() + " bytes too many");
    }
    return value;
  }

  int version() {
    return version;
  }

  int u8() {
    return Byte.toUnsignedInt(buffer.get());
  }

  boolean bool() {
    return u8() != 0;
  }

  int u16() {
    return Short.toUnsignedInt(buffer.getShort());
  }

  int i32() {
    return buffer.getInt();
  }

  long i64() {
    return buffer.getLong();
  }

  UUID uuid() {
    long high = i64();
    long low = i64();
    return high == 0 && low == 0 ? null : new UUID(high, low);
  }

  String text() {
    return new String(bytes(u16()), StandardCharsets.UTF_8);
  }

  byte[] blob() {
    return bytes(i32());
  }

  private byte[] bytes(int length) {
    if (length < 0 || length > buffer.remaining()) {
      throw new IllegalArgumentException("length " + length);
    }
    byte[] bytes = new byte[length];
    buffer.get(bytes);
    return bytes;
  }

  <T> List<T> list(Function<MapReader, T> each) {
    int count = u16();
    List<T> elements = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      elements.add(each.apply(this));
    }
    return elements;
  }

  BucketSet buckets() {
    int first = u16();
    BitSet bits = BitSet.valueOf(bytes(u16()));
    return BucketSet.of(bits.stream().map(bit -> first * Byte.SIZE + bit).toArray());
  }

  BucketSet runs() {
    BitSet bits = new BitSet();
    list(
        r -> {
          int first = r.u16();
          int end = first + r.u16();
          bits.set(first, end);
          return end;
        });
    return BucketSet.of(bits);
  }

  SortedSet<Integer> ids() {
    return new TreeSet<>(list(MapReader::u16));
  }
}
