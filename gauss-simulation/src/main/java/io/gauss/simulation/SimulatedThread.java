package io.gauss.simulation;

import java.util.concurrent.Executor;

/**
 * A virtual thread of a simulation: the JDK hands it its own continuation whenever it can continue,
 * so that the scheduler knows whose it is.
 */
final class SimulatedThread implements Executor {
  private final SeededScheduler scheduler;
  private final SimulatedNode node;
  private final long number;
  private final String name;
  private Thread thread;

  /**
   * @param number counts the threads of a run
   */
  SimulatedThread(SeededScheduler scheduler, SimulatedNode node, long number, String name) {
    this.scheduler = scheduler;
    this.node = node;
    this.number = number;
    this.name = name;
  }

  /** To be called once, before anything else. */
  void is(Thread virtual) {
    this.thread = virtual;
    virtual.setUncaughtExceptionHandler(
        (of, failure) ->
            scheduler.fail(new AssertionError(this + " ended with an exception", failure)));
  }

  Thread thread() {
    return thread;
  }

  SimulatedNode node() {
    return node;
  }

  long number() {
    return number;
  }

  String name() {
    return name;
  }

  @Override
  public void execute(Runnable continuation) {
    scheduler.ready(this, continuation);
  }

  @Override
  public String toString() {
    return name + "#" + number + " of " + node;
  }
}
