package io.gauss.compute.pgwire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.session.FatalSessionException;
import io.gauss.compute.session.message.MessageReader;
import io.gauss.compute.sql.copy.CopyInput;

/**
 * The data of a COPY FROM as the client's messages bring it. A CopyData message is passed on as its
 * bytes come, so its length does not matter. Flush and Sync are ignored, as PostgreSQL does:
 * drivers send them together with the statement. Belongs to the session's thread.
 */
final class CopyMessages implements CopyInput {
  private final MessageRunner runner;
  private final InputBuffer in;
  private final MessageReader reader = new MessageReader();

  /** Bytes of the current CopyData message that were not read yet. */
  private int left;

  private boolean done;

  CopyMessages(MessageRunner runner, InputBuffer in) {
    this.runner = runner;
    this.in = in;
  }

  void start() {
    runner.consumeCurrent();
    left = 0;
    done = false;
  }

  @Override
  public int read(byte[] into, int offset, int length) {
    while (left == 0) {
      if (done) {
        return -1;
      }
      nextMessage();
    }
    need(1);
    int count = Math.min(Math.min(left, length), in.available());
    System.arraycopy(in.array(), in.start(), into, offset, count);
    in.consume(count);
    left -= count;
    return count;
  }

  private void need(int bytes) {
    while (in.available() < bytes) {
      runner.awaitInput();
    }
  }

  private void nextMessage() {
    need(1);
    byte type = (byte) in.byteAt(0);
    switch (type) {
      case PgProtocol.COPY_DATA,
          PgProtocol.COPY_DONE,
          PgProtocol.COPY_FAIL,
          PgProtocol.FLUSH,
          PgProtocol.SYNC -> {
        // Expected here.
      }
      default -> throw outOfStep(type);
    }
    need(1 + PgProtocol.LENGTH_BYTES);
    int length = in.intAt(1);
    try {
      PgProtocol.checkHeader(type, length);
    } catch (GaussException e) {
      throw new FatalSessionException(e);
    }
    if (type == PgProtocol.COPY_DATA) {
      in.consume(1 + PgProtocol.LENGTH_BYTES);
      left = length - PgProtocol.LENGTH_BYTES;
      return;
    }
    need(1 + length);
    int body = in.start() + 1 + PgProtocol.LENGTH_BYTES;
    reader.wrap(in.array(), body, in.start() + 1 + length);
    in.consume(1 + length);
    if (type == PgProtocol.COPY_DONE) {
      done = true;
    } else if (type == PgProtocol.COPY_FAIL) {
      done = true;
      throw new GaussException(
          SqlState.QUERY_CANCELED, "COPY from stdin failed: " + reader.readCString());
    }
  }

  /** A statement in the middle of the data: the start of the next message cannot be determined. */
  private static FatalSessionException outOfStep(byte type) {
    return new FatalSessionException(
        new GaussException(
            SqlState.PROTOCOL_VIOLATION,
            "unexpected message type 0x%02X during COPY from stdin".formatted(type)));
  }

  @Override
  public void close() {
    runner.skip(left);
    left = 0;
  }
}
