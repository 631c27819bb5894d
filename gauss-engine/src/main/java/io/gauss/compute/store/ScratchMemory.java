package io.gauss.compute.store;

import io.gauss.common.memory.Memory;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;

/**
 * Off-heap buffers of one session for rows that are rebuilt or assembled. Scans live only as long
 * as statements, so the buffers stay with the session: the memory of garbage scans would count
 * against the JVM's direct memory until a collection. One thread at a time.
 */
final class ScratchMemory {
  private static final int KEPT = 8;

  private final ArrayDeque<Buffer> free = new ArrayDeque<>();

  /** A buffer; its memory lives as long as the object is reachable. */
  static final class Buffer {
    private final Arena arena = Arena.ofAuto();
    final long address;
    final long bytes;

    private Buffer(long bytes) {
      this.bytes = bytes;
      this.address = Memory.allocate(arena, bytes, 8);
    }
  }

  /** A buffer of at least this many bytes, with any content. */
  Buffer take(long bytes) {
    Buffer buffer = free.pollFirst();
    return buffer != null && buffer.bytes >= bytes ? buffer : new Buffer(bytes);
  }

  /** Gives back a buffer; large ones are released. */
  void giveBack(Buffer buffer) {
    if (buffer != null && buffer.bytes <= VersionReader.SCRATCH_BYTES && free.size() < KEPT) {
      free.addFirst(buffer);
    }
  }
}
