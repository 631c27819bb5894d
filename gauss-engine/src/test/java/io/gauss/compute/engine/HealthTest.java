package io.gauss.compute.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.common.health.Problem;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

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
  void anotherCauseOfTheSameProblemIsNoNews() {
    problems.add(new Problem("checkpoints fail", "17 bytes are free"));
    health.look();
    problems.set(0, new Problem("checkpoints fail", "4 bytes are free"));
    health.look();
    assertEquals(1, told.size());
    assertEquals("degraded: checkpoints fail (4 bytes are free)", health.state());
  }
}
