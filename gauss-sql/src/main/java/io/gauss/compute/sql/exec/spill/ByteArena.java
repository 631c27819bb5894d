package io.gauss.compute.sql.exec.spill;

import io.gauss.compute.type.ByteSink;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Byte records in large chunks, addressed by handle. Hash tables and sorts hold rows in it, without
 * an object per row. Four bytes before a record hold its length. Not thread-safe.
 */
final class ByteArena {
  private static final VarHandle LENGTH =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int CHUNK_BYTES = 64 << 10;
  private static final int FIRST_CHUNK_BYTES = 4 << 10;

  private final List<byte[]> chunks = new ArrayList<>();
  private int used;
  private long bytes;

  /** Stores a record and returns its handle. */
  long add(byte[] from, int offset, int length) {
    int last = chunks.size() - 1;
    if (last < 0 || chunks.get(last).length - used < length + 4) {
      int size = last < 0 ? FIRST_CHUNK_BYTES : CHUNK_BYTES;
      chunks.add(new byte[Math.max(size, length + 4)]);
      bytes += chunks.getLast().length;
      used = 0;
      last++;
    }
    byte[] chunk = chunks.get(last);
    LENGTH.set(chunk, used, length);
    System.arraycopy(from, offset, chunk, used + 4, length);
    long handle = ((long) last << 32) | (used + 4);
    used += 4 + length;
    return handle;
  }

  /** The array that holds a record; it starts at {@link #offset}. */
  byte[] array(long handle) {
    return chunks.get((int) (handle >>> 32));
  }

  static int offset(long handle) {
    return (int) handle;
  }

  int length(long handle) {
    return ByteSink.getIntLe(array(handle), offset(handle) - 4);
  }

  /** Memory in use, bytes. */
  long bytes() {
    return bytes;
  }

  /** Frees what would be much to keep for a use that may never come; its records are lost. */
  void release() {
    if (bytes > CHUNK_BYTES) {
      clear();
    }
  }

  void clear() {
    if (!chunks.isEmpty()) {
      byte[] first = chunks.getFirst();
      chunks.clear();
      chunks.add(first);
      bytes = first.length;
    }
    used = 0;
  }
}
