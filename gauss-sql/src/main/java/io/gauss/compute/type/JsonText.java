package io.gauss.compute.type;

import java.nio.charset.StandardCharsets;

/** Strings of JSON texts. */
public final class JsonText {
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final int FIRST_PRINTABLE = 32;

  private JsonText() {}

  /** Appends UTF-8 in quotes, with the escapes that PostgreSQL's escape_json writes. */
  public static void putString(byte[] bytes, int offset, int length, ByteSink out) {
    out.putByte('"');
    int end = offset + length;
    int copied = offset;
    for (int p = offset; p < end; p++) {
      int c = bytes[p];
      if (c < 0 || (c >= FIRST_PRINTABLE && c != '"' && c != '\\')) {
        continue;
      }
      out.putBytes(bytes, copied, p - copied);
      copied = p + 1;
      putEscaped(c, out);
    }
    out.putBytes(bytes, copied, end - copied);
    out.putByte('"');
  }

  private static void putEscaped(int c, ByteSink out) {
    out.putByte('\\');
    switch (c) {
      case '"', '\\' -> out.putByte(c);
      case '\b' -> out.putByte('b');
      case '\f' -> out.putByte('f');
      case '\n' -> out.putByte('n');
      case '\r' -> out.putByte('r');
      case '\t' -> out.putByte('t');
      default -> {
        out.putString("u00");
        out.putByte(HEX[c >> 4]);
        out.putByte(HEX[c & 0xF]);
      }
    }
  }
}
