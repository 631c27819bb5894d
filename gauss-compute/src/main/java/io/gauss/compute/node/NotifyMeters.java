package io.gauss.compute.node;

import io.gauss.compute.notify.Notifications;
import io.gauss.compute.notify.Notifications.State;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;

/** Metrics of notifications. */
record NotifyMeters(Notifications notifications) implements MeterBinder {
  @Override
  public void bindTo(MeterRegistry registry) {
    gauge(registry, "gauss.notify.listening", "Sessions that listen", State::sessions);
    gauge(
        registry,
        "gauss.notify.queue.bytes",
        "Memory of notifications that wait for sessions or outcomes",
        State::queueBytes);
    gauge(
        registry,
        "gauss.notify.undecided",
        "Transactions in the queue whose outcome is awaited",
        State::undecided);
    counter(
        registry, "gauss.notify.sent", "Transactions of this node that have notified", State::sent);
    counter(
        registry,
        "gauss.notify.delivered",
        "Notifications handed to sessions, each once for each of them",
        State::delivered);
    counter(
        registry,
        "gauss.notify.refused",
        "Transactions of this node that a full queue has aborted (54000)",
        State::refused);
  }

  private void gauge(
      MeterRegistry registry, String name, String description, ToDoubleFunction<State> value) {
    Gauge.builder(name, notifications, its -> value.applyAsDouble(its.state()))
        .description(description)
        .register(registry);
  }

  private void counter(
      MeterRegistry registry, String name, String description, ToDoubleFunction<State> value) {
    FunctionCounter.builder(name, notifications, its -> value.applyAsDouble(its.state()))
        .description(description)
        .register(registry);
  }
}
