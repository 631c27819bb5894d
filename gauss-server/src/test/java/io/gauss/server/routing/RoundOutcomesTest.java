package io.gauss.server.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.router.network.PlainTraining;
import io.gauss.router.process.ProcessTraining;
import io.gauss.router.process.TrainingCommand;
import io.gauss.server.routing.RoundOutcomes.Outcome;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class RoundOutcomesTest {
  private final RoundOutcomes rounds = new RoundOutcomes();

  private List<Long> counts() {
    return List.of(
        rounds.count(Outcome.PUBLISHED),
        rounds.count(Outcome.UNCHANGED),
        rounds.count(Outcome.FAILED));
  }

  private long fail(Supplier<Throwable> failure) {
    return rounds.run(
        () -> {
          throw RoundOutcomesTest.<RuntimeException>as(failure.get());
        });
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> T as(Throwable any) throws T {
    throw (T) any;
  }

  @Test
  void roundsAreCountedByWhatCameOfThem() {
    assertEquals(
        3,
        rounds.run(
            () -> {
              rounds.published();
              return 3;
            }));
    assertEquals(4, rounds.run(() -> 4));
    assertEquals(5, rounds.run(() -> 5));
    rounds.run(() -> 0); // there was nothing to learn from
    assertEquals(List.of(1L, 2L, 0L), counts());
  }

  @Test
  void whateverIsThrownEndsARoundAndNotLearning() {
    List<Long> pauses = new ArrayList<>();
    pauses.add(fail(() -> new IllegalStateException("training has diverged")));
    pauses.add(fail(StackOverflowError::new));
    pauses.add(fail(() -> new NoClassDefFoundError("a/Class")));
    pauses.add(fail(() -> new UnsatisfiedLinkError("libtorch.so")));
    pauses.add(fail(AssertionError::new));
    pauses.add(fail(NullPointerException::new));
    assertEquals(List.of(5_000L, 10_000L, 20_000L, 40_000L, 80_000L, 80_000L), pauses);
    assertEquals(6, rounds.failedInARow());
    assertEquals(7, rounds.run(() -> 7));
    assertEquals(0, rounds.failedInARow());
    assertEquals(5_000L, fail(StackOverflowError::new), "from the beginning");
    assertEquals(List.of(0L, 1L, 7L), counts());
  }

  @Test
  void metersTellWhatCameOfRoundsAndOfTheProcess() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (ProcessTraining training =
        new ProcessTraining(
            TrainingCommand.in(Path.of("target")), new PlainTraining(System::nanoTime))) {
      new LearningMeters(rounds, training).bindTo(registry);
      fail(StackOverflowError::new);
      assertEquals(
          List.of(
              "gauss.routing.rounds failed 1.0",
              "gauss.routing.rounds published 0.0",
              "gauss.routing.rounds unchanged 0.0",
              "gauss.routing.rounds.failing  1.0",
              "gauss.routing.trained java 0.0",
              "gauss.routing.trained pytorch 0.0",
              "gauss.routing.training.failures ended 0.0",
              "gauss.routing.training.failures failed 0.0",
              "gauss.routing.training.failures late 0.0",
              "gauss.routing.training.failures no_engine 0.0",
              "gauss.routing.training.failures rubbish 0.0",
              "gauss.routing.training.failures start 0.0",
              "gauss.routing.training.starts  0.0"),
          registry.getMeters().stream().map(RoundOutcomesTest::line).sorted().toList());
    }
  }

  private static String line(Meter meter) {
    String tags =
        meter.getId().getTags().stream().map(t -> t.getValue()).collect(Collectors.joining());
    return meter.getId().getName()
        + " "
        + tags
        + " "
        + meter.measure().iterator().next().getValue();
  }
}
