package io.gauss.jdbc.cluster;

import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.concurrent.TimeUnit;

/**
 * Until when connections may be opened for a call of the application that is bounded itself.
 * Immutable.
 *
 * @param isSet whether there is a bound
 * @param untilNanos by {@link System#nanoTime}
 */
public record Limit(boolean isSet, long untilNanos) {
  public static final Limit NONE = new Limit(false, 0);

  /** From now on; 0 for no bound. */
  public static Limit ofSeconds(int seconds) {
    return seconds <= 0
        ? NONE
        : new Limit(true, System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds));
  }

  /**
   * Parameters of pgjdbc's, which counts whole seconds.
   *
   * @throws SQLTimeoutException when the time is over
   */
  String parameters() throws SQLException {
    if (!isSet) {
      return "";
    }
    long left = untilNanos - System.nanoTime();
    if (left <= 0) {
      throw new SQLTimeoutException("no node has answered in time", "57014");
    }
    long seconds = TimeUnit.NANOSECONDS.toSeconds(left - 1) + 1;
    return "loginTimeout=" + seconds + "&connectTimeout=" + seconds;
  }
}
