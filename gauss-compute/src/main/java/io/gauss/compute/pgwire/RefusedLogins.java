package io.gauss.compute.pgwire;

import io.gauss.common.error.GaussException;
import io.gauss.common.health.EventLimit;
import io.gauss.common.runtime.Environment;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts and logs clients that may not log in. Whoever can reach the port can cause these lines: so
 * there are only so many a minute, and what the client has sent is shortened, on one line.
 * Thread-safe.
 */
final class RefusedLogins {
  private static final Logger LOG = LoggerFactory.getLogger(RefusedLogins.class);

  /** Enough to show where an attack comes from, and too few to fill a disk. */
  private static final int LINES_PER_MINUTE = 20;

  /** As long as PostgreSQL's names, and the longest texts of errors about them. */
  private static final int MAX_ROLE = 63;

  private static final int MAX_REASON = 200;

  private final EventLimit lines = new EventLimit(LINES_PER_MINUTE, TimeUnit.MINUTES.toNanos(1));
  private final Runnable counter;

  /**
   * @param counter called for each refused login
   */
  RefusedLogins(Runnable counter) {
    this.counter = counter;
  }

  /**
   * @param role as which the client wanted to log in; null when it had not said so
   */
  void add(SocketAddress client, String role, GaussException reason) {
    counter.run();
    long leftOut = lines.arrives(Environment.nanoTime());
    if (leftOut == EventLimit.TOO_MANY) {
      return;
    }
    LOG.warn(
        "login refused: role \"{}\" from {}: {}{}",
        role == null ? "" : printable(role, MAX_ROLE),
        address(client),
        printable(reason.getMessage(), MAX_REASON),
        leftOut == 0 ? "" : "; " + leftOut + " others before it are not in this log");
  }

  private static String address(SocketAddress client) {
    return client instanceof InetSocketAddress inet
        ? inet.getAddress().getHostAddress() + ":" + inet.getPort()
        : String.valueOf(client);
  }

  /** Without line ends and other control characters, which could forge lines of the log. */
  static String printable(String text, int most) {
    StringBuilder safe = new StringBuilder();
    text.codePoints().limit(most).map(c -> isPrintable(c) ? c : '?').forEach(safe::appendCodePoint);
    return safe.toString();
  }

  private static boolean isPrintable(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
