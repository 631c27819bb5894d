package io.gauss.memory.bucket;

import java.util.Arrays;

/**
 * For each stream an offset that a replica must have applied before it may answer reads of a
 * bucket's pages of which the directory has no entry (rule 18). It only rises, and it rises before
 * an entry is dropped. There are few streams, so it is two short arrays. Belongs to one thread.
 */
public final class ReadFloor {
  private int[] streams = new int[0]; // ascending
  private long[] offsets = new long[0];

  /** Offset of the stream in bytes; 0 when no part of it is needed. */
  public long offset(int stream) {
    int index = Arrays.binarySearch(streams, stream);
    return index < 0 ? 0 : offsets[index];
  }

  /** Raises the stream's offset to this one, unless it is higher already. */
  public void raise(int stream, long offset) {
    if (offset < 0 || stream < 0 || stream > 0xFFFF) {
      throw new IllegalArgumentException("stream " + stream + ", offset " + offset);
    }
    int index = Arrays.binarySearch(streams, stream);
    if (index >= 0) {
      offsets[index] = Math.max(offsets[index], offset);
    } else if (offset > 0) {
      insert(-index - 1, stream, offset);
    }
  }

  private void insert(int at, int stream, long offset) {
    int[] moreStreams = new int[streams.length + 1];
    long[] moreOffsets = new long[offsets.length + 1];
    System.arraycopy(streams, 0, moreStreams, 0, at);
    System.arraycopy(offsets, 0, moreOffsets, 0, at);
    System.arraycopy(streams, at, moreStreams, at + 1, streams.length - at);
    System.arraycopy(offsets, at, moreOffsets, at + 1, offsets.length - at);
    moreStreams[at] = stream;
    moreOffsets[at] = offset;
    streams = moreStreams;
    offsets = moreOffsets;
  }

  /** Raises every stream to what the other floor has: for a bucket that moves here. */
  public void raise(ReadFloor other) {
    for (int i = 0; i < other.streams.length; i++) {
      raise(other.streams[i], other.offsets[i]);
    }
  }

  /** Number of streams with an offset above 0. */
  public int size() {
    return streams.length;
  }

  public int streamAt(int index) {
    return streams[index];
  }

  public long offsetAt(int index) {
    return offsets[index];
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ReadFloor that
        && Arrays.equals(streams, that.streams)
        && Arrays.equals(offsets, that.offsets);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(streams) * 31 + Arrays.hashCode(offsets);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("floor");
    for (int i = 0; i < streams.length; i++) {
      text.append(' ').append(streams[i]).append(':').append(offsets[i]);
    }
    return text.toString();
  }
}
