package io.gauss.common.transport.link;

import io.gauss.common.error.SqlState;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/**
 * Payload of FAILURE, REFUSE and GOODBYE: an SQLSTATE (5 bytes, ASCII), then a display message
 * (UTF-8, at most {@link #MAX_TEXT_BYTES}).
 */
public final class FailureLayout {
  static final int STATE_BYTES = 5;
  static final int MAX_TEXT_BYTES = 4096;

  /** A decoded failure. */
  record Failure(SqlState state, String message) {}

  private FailureLayout() {}

  static byte[] encode(SqlState state, String message) {
    byte[] text = message.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(text.length, MAX_TEXT_BYTES);
    byte[] bytes = new byte[STATE_BYTES + length];
    System.arraycopy(state.code().getBytes(StandardCharsets.US_ASCII), 0, bytes, 0, STATE_BYTES);
    System.arraycopy(text, 0, bytes, STATE_BYTES, length);
    return bytes;
  }

  static ByteBuf encodeBuffer(SqlState state, String message) {
    return Unpooled.wrappedBuffer(encode(state, message));
  }

  /** Reads a failure; an SQLSTATE that is unknown here becomes XX000. Does not release. */
  static Failure decode(ByteBuf payload) {
    int length = payload.readableBytes();
    if (length < STATE_BYTES) {
      return new Failure(SqlState.INTERNAL_ERROR, "an error without text");
    }
    int start = payload.readerIndex();
    String code = payload.toString(start, STATE_BYTES, StandardCharsets.US_ASCII);
    int text = Math.min(length - STATE_BYTES, MAX_TEXT_BYTES);
    String message = payload.toString(start + STATE_BYTES, text, StandardCharsets.UTF_8);
    return new Failure(state(code), printable(message));
  }

  private static SqlState state(String code) {
    for (SqlState state : SqlState.values()) {
      if (state.code().equals(code)) {
        return state;
      }
    }
    return SqlState.INTERNAL_ERROR;
  }

  /** Makes it a single line: it may come from an unauthenticated sender, and is logged. */
  private static String printable(String text) {
    StringBuilder line = new StringBuilder(text.length());
    text.codePoints().forEach(c -> line.appendCodePoint(Character.isISOControl(c) ? ' ' : c));
    return line.toString();
  }
}
