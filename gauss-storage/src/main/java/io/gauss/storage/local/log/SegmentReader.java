package io.gauss.storage.local.log;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.redo.MtrLayout;
import io.gauss.storage.api.LogStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/**
 * Reads batches from segment files up to the durable end, which may move while it reads. Uses its
 * own file handles, so that an interrupt of its thread does not affect other users.
 */
final class SegmentReader implements LogStream.LogReader {
  private final LocalLogStream stream;
  private final FrameScanner scanner;
  private LogSegment segment;
  private long position = LogSegmentLayout.FRAMES;
  private long next; // offset of the frame at position
  private int run;
  private long skipTo;
  private boolean closed;

  private long offset;
  private long firstLsn;
  private ByteBuffer bytes;

  SegmentReader(LocalLogStream stream, long fromOffset) {
    this.stream = stream;
    this.scanner = new FrameScanner(stream.streamId());
    this.next = fromOffset;
    this.skipTo = fromOffset;
  }

  @Override
  public boolean next() {
    if (closed) {
      throw new IllegalStateException("the reader is closed");
    }
    bytes = null;
    try {
      while (advance()) {
        long end = next;
        long start = end - scanner.length();
        if (end > skipTo) {
          int skip = (int) Math.max(0, skipTo - start);
          offset = start + skip;
          bytes = scanner.payload(skip);
          firstLsn = skip == 0 ? scanner.firstLsn() : bytes.getLong(MtrLayout.BASE_LSN);
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      throw new GaussException(
          SqlState.IO_ERROR, "cannot read the log of stream " + stream.streamId() + ": " + e, e);
    }
  }

  /** Advances by one frame; false at the durable end. */
  private boolean advance() throws IOException {
    long durable = stream.durableOffset();
    if (next >= durable) {
      return false;
    }
    if (segment == null) {
      enter(stream.segmentHolding(next));
    } else {
      LogSegment following = stream.segmentAt(next);
      if (following != null && following != segment) {
        enter(following);
      }
    }
    long hint = durable - next + (durable - next) / 8 + 4 * LogBatchLayout.HEADER_BYTES;
    if (!scanner.read(position, next, run, hint)) {
      if (next < stream.startOffset()) {
        throw stream.trimmed(next); // the next segment was trimmed while this one was read
      }
      throw new GaussException(
          SqlState.DATA_CORRUPTED,
          "log corrupted: file "
              + scanner.path()
              + ", position "
              + position
              + ": no intact batch of stream "
              + stream.streamId()
              + " at offset "
              + next);
    }
    run = scanner.run();
    next += scanner.length();
    position += LogBatchLayout.frameBytes(scanner.length());
    return true;
  }

  private void enter(LogSegment entered) throws IOException {
    if (entered == null || !entered.retain()) {
      throw stream.trimmed(next);
    }
    leave();
    segment = entered;
    scanner.useFile(stream.disk().open(entered.name()), true);
    position = LogSegmentLayout.FRAMES;
    next = entered.base();
    run = entered.run();
  }

  private void leave() {
    if (segment != null) {
      LogSegment left = segment;
      segment = null;
      stream.release(left);
    }
  }

  /** Offset after the batches that were read so far. */
  long nextOffset() {
    return Math.max(next, skipTo);
  }

  @Override
  public long offset() {
    return offset;
  }

  @Override
  public ByteBuffer bytes() {
    return bytes;
  }

  @Override
  public long firstLsn() {
    return firstLsn;
  }

  @Override
  public long lastLsn() {
    return scanner.lastLsn();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      leave();
      try {
        scanner.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
