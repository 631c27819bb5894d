package io.gauss.server.log;

import ch.qos.logback.classic.pattern.MessageConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;

/**
 * The message of a line of the log, in which nobody can forge another line: names of tables and
 * roles, which clients choose, may contain line ends. Each further line of a message begins with a
 * mark that no line of the log begins with; other control characters, which a terminal would obey,
 * become question marks. Thread-safe.
 */
public final class MarkedLines extends MessageConverter {
  private static final String MARK = "\n  | ";

  @Override
  public String convert(ILoggingEvent event) {
    return marked(super.convert(event));
  }

  static String marked(String message) {
    if (message == null || message.chars().noneMatch(MarkedLines::isControl)) {
      return message;
    }
    StringBuilder shown = new StringBuilder(message.length() + MARK.length());
    for (int i = 0; i < message.length(); i++) {
      char c = message.charAt(i);
      if (c == '\n') {
        shown.append(MARK);
      } else {
        shown.append(isControl(c) ? '?' : c);
      }
    }
    return shown.toString();
  }

  private static boolean isControl(int c) {
    return c != '\t' && (Character.isISOControl(c) || c == '\u2028' || c == '\u2029');
  }
}
