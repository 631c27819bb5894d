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
 * Keeps a library that tries again and again from filling the log with what it says each time,
 * stack traces included: of messages that differ in numbers only, one in a while passes, after a
 * line that says how many were left out. Others are left out altogether, since status and problems
 * tell the same better. Errors of these are never left out altogether, and with level DEBUG at the
 * root nothing is.
 *
 * <p>Configured in {@code logback.xml}. Thread-safe.
 */
public final class RepeatedMessages extends TurboFilter {
  private static final Pattern NUMBER = Pattern.compile("[0-9]+");

  /** Of longer ones the beginning counts. */
  private static final int KEY_CHARACTERS = 160;

  /** Kinds of messages; more are passed on as they come. */
  private static final int MOST_KINDS = 1_000;

  private final LongSupplier nanoTime;
  private final List<String> limited = new ArrayList<>();
  private final List<String> silent = new ArrayList<>();
  private final Map<String, Kind> kinds = new ConcurrentHashMap<>();
  private long everyNanos = TimeUnit.MINUTES.toNanos(1);

  /** Messages that differ in numbers only. Guarded by itself. */
  private static final class Kind {
    private long passedNanos;
    private long leftOut;
    private boolean passed;

    /** How many were left out before this one, which passes; -1 when it is left out. */
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

  /** Adds loggers of which one message of a kind passes in a while: these and those below. */
  public void addLimited(String prefix) {
    limited.add(prefix);
  }

  /** Adds a logger of which errors alone pass, one of a kind in a while. */
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
    // Without a text somebody asks whether the level is on.
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
