package io.gauss.storage.wire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/**
 * The progress of a storage node's pages, by stream. Integers are little-endian; the transport's
 * frame has the checksum.
 *
 * <pre>
 * offset size
 *  0     2   format version
 *  2     2   number of streams
 *  4     4   zero
 *  8     8   bytes of records in memory that are not folded yet
 *       32n  stream (4), zero (4), offset applied (8), offset of the last checkpoint (8), lag in ns (8)
 * </pre>
 */
public final class PagesProgressLayout {
  public static final int VERSION_VALUE = 2;
  private static final int HEADER_BYTES = 16;
  private static final int ENTRY_BYTES = 32;

  private PagesProgressLayout() {}

  /**
   * Content of a message.
   *
   * @param pendingBytes records in memory
   */
  public record PagesProgress(long pendingBytes, List<StreamProgress> streams) {
    public PagesProgress {
      streams = List.copyOf(streams);
    }
  }

  /**
   * The progress of the pages with a stream.
   *
   * @param lagNanos how long the oldest durable record that they have not applied has been durable
   *     on that node, 0 when there is none
   */
  public record StreamProgress(int stream, long applied, long checkpointed, long lagNanos) {}

  public static int bytes(int streams) {
    return HEADER_BYTES + streams * ENTRY_BYTES;
  }

  public static ByteBuf write(ByteBuf buffer, PagesProgress progress) {
    buffer.writeShortLE(VERSION_VALUE);
    buffer.writeShortLE(progress.streams().size());
    buffer.writeIntLE(0);
    buffer.writeLongLE(progress.pendingBytes());
    for (StreamProgress entry : progress.streams()) {
      buffer.writeIntLE(entry.stream());
      buffer.writeIntLE(0);
      buffer.writeLongLE(entry.applied());
      buffer.writeLongLE(entry.checkpointed());
      buffer.writeLongLE(entry.lagNanos());
    }
    return buffer;
  }

  /**
   * Reads one; the buffer's indices are left as they are.
   *
   * @throws GaussException 08P01 when it is none, or of another version
   */
  public static PagesProgress read(ByteBuf buffer) {
    int at = buffer.readerIndex();
    int bytes = buffer.readableBytes();
    if (bytes < HEADER_BYTES
        || buffer.getUnsignedShortLE(at) != VERSION_VALUE
        || bytes != bytes(buffer.getUnsignedShortLE(at + 2))) {
      throw new GaussException(
          SqlState.PROTOCOL_VIOLATION, "not a message of pages' progress that this version knows");
    }
    List<StreamProgress> entries = new ArrayList<>();
    int end = at + bytes;
    for (int entry = at + HEADER_BYTES; entry < end; entry += ENTRY_BYTES) {
      entries.add(
          new StreamProgress(
              buffer.getIntLE(entry),
              buffer.getLongLE(entry + 8),
              buffer.getLongLE(entry + 16),
              buffer.getLongLE(entry + 24)));
    }
    return new PagesProgress(buffer.getLongLE(at + 8), entries);
  }
}
