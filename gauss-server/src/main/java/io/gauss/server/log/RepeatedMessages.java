package io.gauss.server.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.slf4j.Marker;

/**
 * Prevents a library that retries again and again from filling the log with its messages and stack
 * traces: of messages that differ only in numbers, one passes per interval, after a line with the
 * number of suppressed ones. The messages of other loggers are suppressed completely, since status
 * and problems show the same better. Their errors are never suppressed completely, and with level
 * DEBUG at the root nothing is suppressed.
 *
 * <p>Configured in {@code logback.xml}. Thread-safe.
 */
public final class RepeatedMessages extends TurboFilter {
  private static final Pattern NUMBER = Pattern.compile("[0-9]+");

  /** Of longer messages only the beginning counts. */
  private static final int KEY_CHARACTERS = 160;

  /** Maximum number of kinds of messages; further kinds always pass. */
  private static final int MOST_KINDS = 1_000;

  private final LongSupplier nanoTime;
  private final List<String> limited = new ArrayList<>();
  private final List<String> silent = new ArrayList<>();
  private final Map<String, Kind> kinds = new ConcurrentHashMap<>();
  private long everyNanos = TimeUnit.MINUTES.toNanos(1);

  /** Messages that differ only in numbers. Guarded by itself. */
  private static final class Kind {
    private long passedNanos;
    private long leftOut;
    private boolean passed;

    /** Number of messages suppressed before this one, which passes; -1 when it is suppressed. */
    synchronized long arrives(long now, long everyNanos) {
      if (passed && now - passedNanos < everyNanos) {
        leftOut++;
        return -1;
      }
      long before = leftOut;
      leftOut = 0;
      passed = true;
      passedNanos = now;
      return before;
    }
  }

  public RepeatedMessages() {
    this(System::nanoTime);
  }

  RepeatedMessages(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * Adds loggers of which one message of a kind passes per interval: this one and those below it.
   */
  public void addLimited(String prefix) {
    limited.add(prefix);
  }

  /** Adds a logger of which only errors pass, one of a kind per interval. */
  public void addSilent(String logger) {
    silent.add(logger);
  }

  /** Seconds between two messages of a kind. */
  public void setSeconds(int seconds) {
    everyNanos = TimeUnit.SECONDS.toNanos(seconds);
  }

  @Override
  public FilterReply decide(
      Marker marker, Logger logger, Level level, String format, Object[] params, Throwable t) {
    // Without a text this is a query whether the level is on.
    if (format == null
        || !level.isGreaterOrEqual(logger.getEffectiveLevel())
        || limited.stream().noneMatch(logger.getName()::startsWith)
        || isDebugged(logger)) {
      return FilterReply.NEUTRAL;
    }
    if (silent.contains(logger.getName()) && !level.isGreaterOrEqual(Level.ERROR)) {
      return FilterReply.DENY;
    }
    String key = logger.getName() + ' ' + level + ' ' + withoutNumbers(format);
    if (kinds.size() >= MOST_KINDS && !kinds.containsKey(key)) {
      return FilterReply.NEUTRAL;
    }
    long leftOut =
        kinds.computeIfAbsent(key, k -> new Kind()).arrives(nanoTime.getAsLong(), everyNanos);
    if (leftOut > 0) {
      logger
          .getLoggerContext()
          .getLogger(RepeatedMessages.class)
          .warn("{} messages like the next one were left out", leftOut);
    }
    return leftOut < 0 ? FilterReply.DENY : FilterReply.NEUTRAL;
  }

  private static boolean isDebugged(Logger logger) {
    Level root = logger.getLoggerContext().getLogger(Logger.ROOT_LOGGER_NAME).getLevel();
    return !root.isGreaterOrEqual(Level.INFO);
  }

  private static String withoutNumbers(String format) {
    String start = format.length() > KEY_CHARACTERS ? format.substring(0, KEY_CHARACTERS) : format;
    return NUMBER.matcher(start).replaceAll("#");
  }
}
