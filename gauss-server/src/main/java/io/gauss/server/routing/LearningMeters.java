package io.gauss.server.routing;

import io.gauss.router.process.ProcessTraining;
import io.gauss.router.process.TrainingFailure;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/** Registers meters for rounds of learning, and for the process that trains. */
final class LearningMeters implements MeterBinder {
  private final RoundOutcomes rounds;
  private final ProcessTraining training;

  LearningMeters(RoundOutcomes rounds, ProcessTraining training) {
    this.rounds = rounds;
    this.training = training;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    for (RoundOutcomes.Outcome outcome : RoundOutcomes.Outcome.values()) {
      FunctionCounter.builder("gauss.routing.rounds", rounds, r -> r.count(outcome))
          .tag("outcome", outcome.label())
          .description("Rounds of learning where transactions belong")
          .register(registry);
    }
    Gauge.builder("gauss.routing.rounds.failing", rounds, RoundOutcomes::failedInARow)
        .description("Rounds that failed since the last one that did not")
        .register(registry);
    FunctionCounter.builder("gauss.routing.trained", training, ProcessTraining::trainedByPyTorch)
        .tag("by", "pytorch")
        .description("Networks that were trained")
        .register(registry);
    FunctionCounter.builder("gauss.routing.trained", training, ProcessTraining::trainedByJava)
        .tag("by", "java")
        .description("Networks that were trained")
        .register(registry);
    FunctionCounter.builder("gauss.routing.training.starts", training, ProcessTraining::starts)
        .description("Processes started to train by PyTorch")
        .register(registry);
    for (TrainingFailure failure : TrainingFailure.values()) {
      FunctionCounter.builder("gauss.routing.training.failures", training, t -> t.failures(failure))
          .tag("failure", failure.label())
          .description("Failures of these processes")
          .register(registry);
    }
  }
}
