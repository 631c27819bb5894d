package io.gauss.storage.local.log;

import io.gauss.storage.api.LogStream.AppendCallback;
import io.gauss.storage.api.LogStream.AppendResult;
import java.nio.ByteBuffer;

/**
 * One append on its way through the stream. Guarded by the stream's lock while queued, then by the
 * writing role.
 */
final class AppendRequest {
  final int epoch;
  final long offset;
  final long firstLsn;
  final long lastLsn;
  final ByteBuffer bytes;
  final int length;
  final AppendCallback callback;

  /** Set at admission when the bytes need not be written, otherwise by the writer. */
  AppendResult result;

  /**
   * The bytes were already there, perhaps not durable yet: answered when the earlier requests in
   * the queue are.
   */
  boolean repeat;

  AppendRequest(
      int epoch,
      long offset,
      long firstLsn,
      long lastLsn,
      ByteBuffer bytes,
      AppendCallback callback) {
    this.epoch = epoch;
    this.offset = offset;
    this.firstLsn = firstLsn;
    this.lastLsn = lastLsn;
    this.bytes = bytes;
    this.length = bytes.remaining();
    this.callback = callback;
  }

  long end() {
    return offset + length;
  }

  boolean mustBeWritten() {
    return result == null && !repeat;
  }
}
