package io.gauss.storage.raft.stream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Reads an entry laid out as in {@link StreamEntryLayout}, which has been found to be flawless. */
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

  int checksum() {
    return bytes.getInt(StreamEntryLayout.CHECKSUM);
  }

  long end() {
    return offset() + length();
  }

  /** The MTRs. */
  ByteBuffer payload() {
    return bytes.slice(StreamEntryLayout.HEADER_BYTES, length()).order(ByteOrder.LITTLE_ENDIAN);
  }
}
