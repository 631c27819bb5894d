package io.gauss.storage.raft.stream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** A command to a stream, as it is in the Raft log; the format is {@link StreamEntryLayout}'s. */
public sealed interface StreamEntry {

  int stream();

  int epoch();

  /** All but appends, which have a payload. */
  sealed interface Command extends StreamEntry {}

  /** Nobody may append in an earlier epoch any more. */
  record Seal(int stream, int epoch) implements Command {}

  /**
   * A writer begins.
   *
   * @param token of the writer, by which its repeated command is known
   */
  record Open(int stream, int epoch, long token) implements Command {}

  /**
   * What is before an offset is not needed any more.
   *
   * @param epoch has no meaning; 0
   */
  record Trim(int stream, int epoch, long offset) implements Command {}

  /** About who needs the log, see {@link Subscriptions}. */
  sealed interface AboutNode extends Command {
    /** The storage node that needs the log, or needs it no longer. */
    int node();

    /** Of the node. */
    long tenure();

    /** Has no meaning. */
    @Override
    default int epoch() {
      return 0;
    }
  }

  /** A node needs the log from an offset on. */
  record Subscribe(int stream, int node, long tenure, long offset) implements AboutNode {}

  /** A node no longer needs what is before an offset. */
  record Raise(int stream, int node, long tenure, long offset) implements AboutNode {}

  /** All tenures of a node up to this one are over. */
  record Unsubscribe(int stream, int node, long tenure) implements AboutNode {}

  /**
   * Some MTRs are added.
   *
   * @param bytes of the whole entry, which has been found to be flawless; fields are read from it
   */
  record Append(ByteBuffer bytes) implements StreamEntry {
    public Append {
      bytes = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public int stream() {
      return bytes.getInt(StreamEntryLayout.STREAM);
    }

    @Override
    public int epoch() {
      return bytes.getInt(StreamEntryLayout.EPOCH);
    }

    /** Offset of the payload's first byte in the stream. */
    long offset() {
      return bytes.getLong(StreamEntryLayout.OFFSET);
    }

    /** LSN of the first record. */
    long firstLsn() {
      return bytes.getLong(StreamEntryLayout.FIRST_LSN);
    }

    /** LSN of the last record. */
    long lastLsn() {
      return bytes.getLong(StreamEntryLayout.LAST_LSN);
    }

    /** Offset up to which the writer knew the stream to be durable. */
    long durable() {
      return bytes.getLong(StreamEntryLayout.DURABLE);
    }

    /** Of the payload, in bytes. */
    int length() {
      return bytes.getInt(StreamEntryLayout.LENGTH);
    }

    /**
     * Checksum of what is appended where: all but how far the writer knew the stream to be durable,
     * which is another when it repeats an append.
     */
    int identity() {
      CRC32C crc = new CRC32C();
      crc.update(bytes.duplicate().position(0).limit(StreamEntryLayout.DURABLE));
      crc.update(payload());
      return (int) crc.getValue();
    }

    /** Offset behind the payload. */
    long end() {
      return offset() + length();
    }

    /** The MTRs. */
    ByteBuffer payload() {
      return bytes.slice(StreamEntryLayout.HEADER_BYTES, length()).order(ByteOrder.LITTLE_ENDIAN);
    }
  }
}
