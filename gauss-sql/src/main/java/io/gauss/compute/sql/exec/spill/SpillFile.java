package io.gauss.compute.sql.exec.spill;

import io.gauss.compute.type.ByteSink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * A temporary file of byte records, written once from front to back and then read any number of
 * times. Each record is preceded by its length in 4 bytes. Not thread-safe.
 *
 * <p>File access may wait, so it calls {@link io.gauss.compute.wait.Waits#beforeWait} first.
 */
public final class SpillFile {
  private static final int BUFFER_BYTES = 32 << 10;

  private final WorkMemory memory;
  private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
  private FileChannel channel;
  private long written;
  private long flushed; // bytes, to the file
  private long records;
  private long readPosition;

  SpillFile(WorkMemory memory) {
    this.memory = memory;
    memory.beforeWait();
    channel = memory.temporaryFiles().create();
  }

  long records() {
    return records;
  }

  /** Bytes of all records with their lengths. */
  long bytes() {
    return written;
  }

  void add(byte[] from, int offset, int length) {
    if (buffer.remaining() < 4) {
      flush();
    }
    buffer.put((byte) length);
    buffer.put((byte) (length >>> 8));
    buffer.put((byte) (length >>> 16));
    buffer.put((byte) (length >>> 24));
    int at = offset;
    int left = length;
    while (left > 0) {
      if (!buffer.hasRemaining()) {
        flush();
      }
      int part = Math.min(left, buffer.remaining());
      buffer.put(from, at, part);
      at += part;
      left -= part;
    }
    written += 4 + length;
    records++;
  }

  /**
   * Takes back the records behind so many bytes, as far as they are not in the file yet: so that
   * those before them can be read although there is no room for these. Nothing may be added
   * afterwards.
   */
  void takeBack(long bytes) {
    buffer.position((int) Math.clamp(bytes - flushed, 0, buffer.position()));
  }

  private void flush() {
    memory.beforeWait();
    buffer.flip();
    try {
      while (buffer.hasRemaining()) {
        flushed += channel.write(buffer);
      }
    } catch (IOException e) {
      throw TemporaryFiles.failure(e);
    } finally {
      buffer.compact(); // what could not be written stays
    }
  }

  /** Ends writing, or starts reading from the front again. */
  public void rewind() {
    if (readPosition == 0) {
      flush();
    }
    readPosition = 0;
    buffer.clear().limit(0);
  }

  /** Reads the next record into an emptied sink; false at the end. */
  public boolean read(ByteSink out) {
    out.clear();
    if (!buffer.hasRemaining() && !fill()) {
      return false;
    }
    int length = 0;
    for (int shift = 0; shift < 32; shift += 8) {
      if (!buffer.hasRemaining() && !fill()) {
        throw new IllegalStateException("spill file ends within a record");
      }
      length |= (buffer.get() & 0xFF) << shift;
    }
    out.ensure(length);
    int left = length;
    while (left > 0) {
      if (!buffer.hasRemaining() && !fill()) {
        throw new IllegalStateException("spill file ends within a record");
      }
      int part = Math.min(left, buffer.remaining());
      buffer.get(out.array, out.length, part);
      out.length += part;
      left -= part;
    }
    return true;
  }

  private boolean fill() {
    memory.beforeWait();
    buffer.clear();
    try {
      int count = channel.read(buffer, readPosition);
      if (count <= 0) {
        buffer.limit(0);
        return false;
      }
      readPosition += count;
    } catch (IOException e) {
      throw TemporaryFiles.failure(e);
    }
    buffer.flip();
    return true;
  }

  public void close() {
    FileChannel open = channel;
    channel = null;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        throw TemporaryFiles.failure(e);
      }
    }
  }
}
