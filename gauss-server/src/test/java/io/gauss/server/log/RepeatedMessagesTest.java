package io.gauss.server.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What of a library's repeated messages reaches the log. */
class RepeatedMessagesTest {
  private static final String RATIS = "org.apache.ratis.server.RaftServer$Division";
  private static final String APPENDER = "org.apache.ratis.server.leader.LogAppenderDaemon";

  private final LoggerContext context = new LoggerContext();
  private final List<String> lines = new ArrayList<>();
  private long nowNanos;

  @BeforeEach
  void configure() {
    RepeatedMessages filter = new RepeatedMessages(() -> nowNanos);
    filter.addLimited("org.apache.ratis");
    filter.addSilent(APPENDER);
    filter.setSeconds(60);
    filter.setContext(context);
    filter.start();
    context.addTurboFilter(filter);
    collect();
    root().setLevel(Level.INFO);
    logger("org.apache.ratis").setLevel(Level.WARN);
  }

  private void collect() {
    AppenderBase<ILoggingEvent> collector =
        new AppenderBase<>() {
          @Override
          protected void append(ILoggingEvent event) {
            lines.add(event.getLevel() + " " + event.getFormattedMessage());
          }
        };
    collector.setContext(context);
    collector.start();
    root().addAppender(collector);
  }

  @AfterEach
  void stop() {
    context.stop();
  }

  private Logger root() {
    return logger(Logger.ROOT_LOGGER_NAME);
  }

  private Logger logger(String name) {
    return context.getLogger(name);
  }

  private void seconds(int seconds) {
    nowNanos += TimeUnit.SECONDS.toNanos(seconds);
  }

  @Test
  void oneOfMessagesThatDifferInNumbersPassesInAMinute() {
    for (int i = 0; i < 240; i++) {
      logger(RATIS).warn("s1: appendEntries* failed: " + i, new IllegalStateException("again"));
    }
    assertEquals(List.of("WARN s1: appendEntries* failed: 0"), lines);
    seconds(61);
    logger(RATIS).warn("s1: appendEntries* failed: 240", new IllegalStateException("again"));
    assertEquals(
        List.of(
            "WARN s1: appendEntries* failed: 0",
            "WARN 239 messages like the next one were left out",
            "WARN s1: appendEntries* failed: 240"),
        lines);
  }

  @Test
  void templatesWithParametersAreOfOneKind() {
    logger(RATIS).warn("{}: Lost leadership on term: {}", "a", 1);
    logger(RATIS).warn("{}: Lost leadership on term: {}", "b", 2);
    logger(RATIS).warn("{}: Something else", "b");
    assertEquals(List.of("WARN a: Lost leadership on term: 1", "WARN b: Something else"), lines);
  }

  @Test
  void anErrorIsAnotherKindThanAWarning() {
    logger(RATIS).warn("failed");
    logger(RATIS).error("failed");
    assertEquals(List.of("WARN failed", "ERROR failed"), lines);
  }

  @Test
  void aSilentLoggerTellsErrorsOnly() {
    logger(APPENDER).warn("cannot be reached");
    logger(APPENDER).error("cannot continue");
    assertEquals(List.of("ERROR cannot continue"), lines);
  }

  @Test
  void otherLoggersAreLeftAlone() {
    IntStream.range(0, 3).forEach(i -> logger("io.gauss.storage.X").warn("again {}", i));
    assertEquals(List.of("WARN again 0", "WARN again 1", "WARN again 2"), lines);
  }

  @Test
  void nothingIsLeftOutWhenTheLevelIsDebug() {
    root().setLevel(Level.DEBUG);
    for (int i = 0; i < 3; i++) {
      logger(RATIS).warn("again");
      logger(APPENDER).warn("cannot be reached");
    }
    assertEquals(6, lines.size());
  }

  @Test
  void aLevelThatIsOffStaysOff() {
    logger(RATIS).info("again");
    logger(RATIS).info("again");
    assertEquals(List.of(), lines);
  }

  @Test
  void theProductsConfigurationHasIt() throws Exception {
    context.reset();
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(RepeatedMessages.class.getResource("/logback.xml"));
    root().detachAndStopAllAppenders();
    collect();
    assertTrue(root().getLevel().isGreaterOrEqual(Level.INFO), "GAUSS_LOG_LEVEL is not set");
    for (int i = 0; i < 10; i++) {
      logger(RATIS).warn("s1: appendEntries* failed");
      logger(APPENDER).warn("cannot be reached");
    }
    assertEquals(List.of("WARN s1: appendEntries* failed"), lines);
  }
}
