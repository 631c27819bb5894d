package io.gauss.storage.map.codec;

import io.gauss.storage.map.api.BucketSet;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;

/** Writes the fields of a payload, little-endian, into a buffer that grows. Not thread-safe. */
final class MapWriter {
  private ByteBuffer buffer = ByteBuffer.allocate(256).order(ByteOrder.LITTLE_ENDIAN);

  private int version = MapFrameLayout.VERSION_VALUE;

  /** Version of the frame that the payload needs. */
  int version() {
    return version;
  }

  /** The payload has what only this version has. */
  MapWriter needs(int newVersion) {
    version = newVersion;
    return this;
  }

  int size() {
    return buffer.position();
  }

  void copyTo(ByteBuffer target) {
    target.put(buffer.array(), 0, buffer.position());
  }

  private ByteBuffer room(int bytes) {
    if (buffer.remaining() < bytes) {
      int capacity = Math.max(buffer.capacity() * 2, buffer.position() + bytes);
      byte[] grown = Arrays.copyOf(buffer.array(), capacity);
      buffer = ByteBuffer.wrap(grown).order(ByteOrder.LITTLE_ENDIAN).position(buffer.position());
    }
    return buffer;
  }

  private static void checkRange(int value, int most) {
    if (value < 0 || value > most) {
      throw new IllegalArgumentException(value + " is not within 0 to " + most);
    }
  }

  MapWriter u8(int value) {
    checkRange(value, 0xFF);
    room(1).put((byte) value);
    return this;
  }

  MapWriter bool(boolean value) {
    return u8(value ? 1 : 0);
  }

  MapWriter u16(int value) {
    checkRange(value, 0xFFFF);
    room(2).putShort((short) value);
    return this;
  }

  MapWriter i32(int value) {
    room(4).putInt(value);
    return this;
  }

  MapWriter i64(long value) {
    room(8).putLong(value);
    return this;
  }

  /** 16 bytes, the high half first; zeroes for null. */
  MapWriter uuid(UUID value) {
    return value == null
        ? i64(0).i64(0)
        : i64(value.getMostSignificantBits()).i64(value.getLeastSignificantBits());
  }

  /** Length in bytes (u16), then UTF-8. */
  MapWriter text(String value) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > 0xFFFF) {
      bytes = Arrays.copyOf(bytes, 0xFFFF);
    }
    u16(bytes.length);
    room(bytes.length).put(bytes);
    return this;
  }

  /** Length (i32), then the bytes. */
  MapWriter blob(byte[] bytes) {
    i32(bytes.length);
    room(bytes.length).put(bytes);
    return this;
  }

  /** Count (u16), then the elements. */
  <T> MapWriter list(Collection<T> elements, BiConsumer<MapWriter, T> each) {
    u16(elements.size());
    elements.forEach(e -> each.accept(this, e));
    return this;
  }

  /**
   * A set of buckets as bits: first byte that has one (u16), count of bytes up to the last that has
   * one (u16), the bytes; bit i of byte j stands for bucket 8 j + i.
   */
  MapWriter buckets(BucketSet buckets) {
    byte[] bits = buckets.toBytes();
    int first = buckets.stream().findFirst().orElse(0) / Byte.SIZE;
    u16(first).u16(bits.length - first);
    room(bits.length - first).put(bits, first, bits.length - first);
    return this;
  }

  /** A set of buckets or slices as runs: count (u16), then first (u16) and length (u16) of each. */
  MapWriter runs(BucketSet set) {
    List<int[]> runs = new ArrayList<>();
    set.forEach(
        number -> {
          int[] last = runs.isEmpty() ? null : runs.getLast();
          if (last != null && last[0] + last[1] == number) {
            last[1]++;
          } else {
            runs.add(new int[] {number, 1});
          }
        });
    return list(runs, (w, run) -> w.u16(run[0]).u16(run[1]));
  }

  /** A set or list of node numbers: count (u16), then u16 each. */
  MapWriter ids(Collection<Integer> ids) {
    return list(ids, MapWriter::u16);
  }
}
