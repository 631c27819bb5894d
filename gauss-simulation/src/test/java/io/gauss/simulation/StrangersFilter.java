package io.gauss.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import org.slf4j.Marker;

/**
 * While a simulation runs, nobody else logs: a thread of the JVM's (a cleaner, for example) that
 * has the appender's lock would let a simulated one wait for it, which no seed repeats.
 */
public final class StrangersFilter extends TurboFilter {
  @Override
  public FilterReply decide(
      Marker marker, Logger logger, Level level, String format, Object[] params, Throwable t) {
    return SeededScheduler.runsWithoutCaller() ? FilterReply.DENY : FilterReply.NEUTRAL;
  }
}
