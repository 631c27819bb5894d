package io.gauss.storage.raft.stream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Reads an entry with the layout of {@link StreamEntryLayout}, which has been validated. */
record StreamEntry(ByteBuffer bytes) {
  StreamEntry {
    bytes = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
  }

  int command() {
    return bytes.get(StreamEntryLayout.COMMAND);
  }

  int stream() {
    return bytes.getInt(StreamEntryLayout.STREAM);
  }

  int epoch() {
    return bytes.getInt(StreamEntryLayout.EPOCH);
  }

  long offset() {
    return bytes.getLong(StreamEntryLayout.OFFSET);
  }

  long firstLsn() {
    return bytes.getLong(StreamEntryLayout.FIRST_LSN);
  }

  long lastLsn() {
    return bytes.getLong(StreamEntryLayout.LAST_LSN);
  }

  long durable() {
    return bytes.getLong(StreamEntryLayout.DURABLE);
  }

  int length() {
    return bytes.getInt(StreamEntryLayout.LENGTH);
  }

  /**
   * Checksum of the appended content and its position. It excludes the durable offset that the
   * writer knew, which differs when an append is repeated.
   */
  int identity() {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate().position(0).limit(StreamEntryLayout.DURABLE));
    crc.update(payload());
    return (int) crc.getValue();
  }

  long end() {
    return offset() + length();
  }

  /** The MTRs. */
  ByteBuffer payload() {
    return bytes.slice(StreamEntryLayout.HEADER_BYTES, length()).order(ByteOrder.LITTLE_ENDIAN);
  }
}
