package io.gauss.compute.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.gauss.common.health.Problem;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class HealthTest {
  private final List<Problem> problems = new ArrayList<>();
  private final List<String> told = new ArrayList<>();
  private final Health health = new Health();

  HealthTest() {
    health.add(() -> List.copyOf(problems));
    health.onChange(told::add);
  }

  @Test
  void aNodeWithoutProblemsIsUpAndTellsNobody() {
    health.look();
    assertEquals("UP", health.state());
    assertEquals(List.of(), told);
  }

  @Test
  void aProblemIsToldWhenItComesAndWhenItGoes() {
    problems.add(new Problem("damaged pages", "1"));
    health.look();
    health.look();
    problems.clear();
    health.look();
    assertEquals(List.of("degraded: damaged pages (1)", "UP"), told);
  }

  @Test
  void onlyAProblemThatLastsIsLogged() {
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    Logger logger = (Logger) LoggerFactory.getLogger(Health.class);
    Level before = logger.getLevel();
    lines.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(lines);
    try {
      problems.add(new Problem("this node answers nobody", "no clock lease"));
      health.look();
      problems.clear();
      health.look();
      assertEquals(0, lines.list.size(), "it was over at once");
      problems.add(new Problem("damaged pages", "1"));
      health.look();
      health.look();
      health.look();
      problems.clear();
      health.look();
      assertEquals(
          List.of("degraded: damaged pages (1)", "no longer degraded: damaged pages"),
          lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList());
    } finally {
      logger.detachAppender(lines);
      logger.setLevel(before);
    }
  }

  @Test
  void anotherCauseOfTheSameProblemIsNoNews() {
    problems.add(new Problem("checkpoints fail", "17 bytes are free"));
    health.look();
    problems.set(0, new Problem("checkpoints fail", "4 bytes are free"));
    health.look();
    assertEquals(1, told.size());
    assertEquals("degraded: checkpoints fail (4 bytes are free)", health.state());
  }
}
