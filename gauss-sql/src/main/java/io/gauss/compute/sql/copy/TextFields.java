package io.gauss.compute.sql.copy;

import io.gauss.compute.type.Utf8;

/** Splits lines of the text format and resolves their backslashes. */
final class TextFields extends Fields {
  private final byte delimiter;
  private final byte[] nullText;

  TextFields(CopyOptions options) {
    this.delimiter = options.delimiter();
    this.nullText = options.nullText();
  }

  @Override
  void splitLine(byte[] bytes, int from, int to) {
    int p = from;
    while (true) {
      int start = p;
      while (p < to && bytes[p] != delimiter && bytes[p] != '\\') {
        p++;
      }
      if (p < to && bytes[p] == '\\') {
        p = resolve(bytes, start, p, to);
      } else if (isEqual(bytes, start, p - start, nullText)) {
        addNull();
      } else {
        add(start, p - start);
      }
      if (p >= to) {
        return;
      }
      p++;
    }
  }

  /**
   * Adds a field with backslashes in it.
   *
   * @param p the first backslash
   * @return where the field ends
   */
  private int resolve(byte[] bytes, int start, int p, int to) {
    int begin = scratch.length;
    scratch.putBytes(bytes, start, p - start);
    int end = p;
    while (true) {
      end = p;
      if (p >= to || bytes[p] == delimiter) {
        break;
      }
      byte c = bytes[p++];
      if (c == '\\') {
        if (p >= to) {
          break;
        }
        c = bytes[p++];
        switch (c) {
          case '0', '1', '2', '3', '4', '5', '6', '7' -> {
            int value = c - '0';
            for (int i = 0; i < 2 && p < to && isOctal(bytes[p]); i++) {
              value = value * 8 + bytes[p++] - '0';
            }
            c = (byte) value;
          }
          case 'x' -> {
            if (p < to && Character.digit(bytes[p], 16) >= 0) {
              int value = Character.digit(bytes[p++], 16);
              if (p < to && Character.digit(bytes[p], 16) >= 0) {
                value = value * 16 + Character.digit(bytes[p++], 16);
              }
              c = (byte) value;
            }
          }
          case 'b' -> c = '\b';
          case 'f' -> c = '\f';
          case 'n' -> c = '\n';
          case 'r' -> c = '\r';
          case 't' -> c = '\t';
          case 'v' -> c = 0x0B;
          default -> {
            // Any other character stands for itself, the delimiter among them.
          }
        }
      }
      scratch.putByte(c);
    }
    if (isEqual(bytes, start, end - start, nullText)) {
      scratch.length = begin;
      addNull();
    } else {
      // Escapes can produce bytes that are not valid characters.
      Utf8.check(scratch.array, begin, scratch.length - begin);
      addResolved(begin);
    }
    return p;
  }

  private static boolean isOctal(byte c) {
    return c >= '0' && c <= '7';
  }
}
