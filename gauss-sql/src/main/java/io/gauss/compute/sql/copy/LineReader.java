package io.gauss.compute.sql.copy;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.type.Utf8;

/**
 * Cuts the data of text and csv formats into lines, as PostgreSQL's {@code CopyReadLine} does: the
 * first line determines the line ends of all lines, {@code \.} ends the data, and in csv quotes
 * hide line ends. Belongs to one statement.
 */
final class LineReader {
  private enum LineEnd {
    UNKNOWN,
    NL,
    CR,
    CRNL
  }

  private final CopyBuffer buffer;
  private final boolean csv;
  private final byte quote;

  /** 0 when the quote escapes itself: two of them leave the state as it is anyway. */
  private final byte escape;

  private LineEnd lineEnd = LineEnd.UNKNOWN;

  /** Next byte to look at. */
  private int scan;

  private boolean finished;

  /** The line is [from, to) of {@code buffer.bytes}. */
  int from;

  int to;

  /** Lines begun so far, including embedded line ends of csv. */
  long number;

  /** Whether the line was read to its end. */
  boolean isComplete;

  LineReader(CopyBuffer buffer, CopyOptions options) {
    this.buffer = buffer;
    this.csv = options.isCsv();
    this.quote = options.quote();
    this.escape = options.escape() == options.quote() ? 0 : options.escape();
  }

  /** Reads the next line; false at the end of the data. */
  boolean next() {
    isComplete = false;
    number++;
    if (finished) {
      return false;
    }
    buffer.start = scan;
    boolean more = csv ? csvLine() : textLine();
    from = buffer.start;
    // Includes the line end: an error names it when it cuts off a character.
    Utf8.check(buffer.bytes, from, scan - from);
    isComplete = true;
    if (!more) {
      finished = true;
      return to > from;
    }
    return true;
  }

  /** Ensures that the byte at {@link #scan} is present; false at the end of the data. */
  private boolean has() {
    while (scan >= buffer.end) {
      int ahead = scan - buffer.start;
      boolean filled = buffer.fill();
      scan = buffer.start + ahead;
      if (!filled) {
        return false;
      }
    }
    return true;
  }

  private boolean atEnd() {
    to = buffer.end;
    scan = to;
    return false;
  }

  private boolean textLine() {
    while (true) {
      byte[] bytes = buffer.bytes;
      int end = buffer.end;
      int p = scan;
      while (p < end && !isSpecial(bytes[p])) {
        p++;
      }
      scan = p;
      if (p == end) {
        if (!has()) {
          return atEnd();
        }
        continue;
      }
      scan++;
      switch (bytes[p]) {
        case '\n' -> {
          return newline();
        }
        case '\r' -> {
          return carriageReturn();
        }
        default -> {
          if (!has()) {
            return atEnd();
          }
          if (buffer.bytes[scan++] == '.') {
            to = scan - 2;
            return endMarker();
          }
        }
      }
    }
  }

  private static boolean isSpecial(byte b) {
    return b == '\n' || b == '\r' || b == '\\';
  }

  private boolean csvLine() {
    boolean inQuote = false;
    boolean lastWasEscape = false;
    boolean first = true;
    while (has()) {
      byte c = buffer.bytes[scan++];
      if (inQuote && c == escape) {
        lastWasEscape = !lastWasEscape;
      }
      if (c == quote && !lastWasEscape) {
        inQuote = !inQuote;
      }
      if (c != escape) {
        lastWasEscape = false;
      }
      if (inQuote) {
        if (c == (lineEnd == LineEnd.NL ? '\n' : '\r')) {
          number++;
        }
      } else if (c == '\n') {
        return newline();
      } else if (c == '\r') {
        return carriageReturn();
      }
      if (c == '\\' && first && isCsvEndMarker()) {
        return false;
      }
      first = false;
    }
    return atEnd();
  }

  /** After a backslash that begins a line: only {@code \.} alone on a line ends csv data. */
  private boolean isCsvEndMarker() {
    int mark = scan - buffer.start;
    if (!has()) {
      return false;
    }
    boolean is = false;
    if (buffer.bytes[scan++] == '.' && has()) {
      byte c = buffer.bytes[scan++];
      if (lineEnd == LineEnd.CRNL && c == '\r' && has()) {
        c = buffer.bytes[scan++];
        is = c == '\n';
      } else {
        is = c == '\n' || c == '\r';
      }
      if (is && c != (lineEnd == LineEnd.CR ? '\r' : lineEnd == LineEnd.UNKNOWN ? c : '\n')) {
        throw badEndMarker("end-of-copy marker does not match previous newline style");
      }
    }
    scan = buffer.start + mark;
    if (is) {
      to = scan - 1;
      drain();
    }
    return is;
  }

  private boolean newline() {
    if (lineEnd == LineEnd.CR || lineEnd == LineEnd.CRNL) {
      throw csv
          ? format("unquoted newline found in data")
              .hint("Use quoted CSV field to represent newline.")
          : format("literal newline found in data").hint("Use \"\\n\" to represent newline.");
    }
    lineEnd = LineEnd.NL;
    to = scan - 1;
    return true;
  }

  private boolean carriageReturn() {
    boolean newlineFollows = false;
    if (lineEnd == LineEnd.UNKNOWN || lineEnd == LineEnd.CRNL) {
      newlineFollows = has() && buffer.bytes[scan] == '\n';
    }
    if (lineEnd == LineEnd.NL || (lineEnd == LineEnd.CRNL && !newlineFollows)) {
      throw csv
          ? format("unquoted carriage return found in data")
              .hint("Use quoted CSV field to represent carriage return.")
          : format("literal carriage return found in data")
              .hint("Use \"\\r\" to represent carriage return.");
    }
    to = scan - 1;
    if (newlineFollows) {
      scan++;
    }
    lineEnd = newlineFollows ? LineEnd.CRNL : LineEnd.CR;
    return true;
  }

  /** After {@code \.} in text format; {@link #to} is the end of the data before it. */
  private boolean endMarker() {
    int length = to - buffer.start;
    if (lineEnd == LineEnd.CRNL) {
      byte c = has() ? buffer.bytes[scan++] : 0;
      if (c == '\n') {
        throw badEndMarker("end-of-copy marker does not match previous newline style");
      }
      if (c != '\r') {
        throw badEndMarker("end-of-copy marker corrupt");
      }
    }
    byte c = has() ? buffer.bytes[scan++] : 0;
    if (c != '\r' && c != '\n') {
      throw badEndMarker("end-of-copy marker corrupt");
    }
    if ((lineEnd == LineEnd.NL || lineEnd == LineEnd.CRNL) && c != '\n'
        || lineEnd == LineEnd.CR && c != '\r') {
      throw badEndMarker("end-of-copy marker does not match previous newline style");
    }
    to = buffer.start + length;
    drain();
    return false;
  }

  /** Data after the end marker is ignored; the line before it stays. */
  private void drain() {
    byte[] line = java.util.Arrays.copyOfRange(buffer.bytes, buffer.start, to);
    buffer.drain();
    if (line.length > buffer.bytes.length) {
      throw new IllegalStateException("the buffer has shrunk");
    }
    System.arraycopy(line, 0, buffer.bytes, 0, line.length);
    to = line.length;
    buffer.end = to;
    scan = to;
  }

  private static GaussException format(String message) {
    return new GaussException(SqlState.BAD_COPY_FILE_FORMAT, message);
  }

  private static GaussException badEndMarker(String message) {
    return format(message);
  }
}
