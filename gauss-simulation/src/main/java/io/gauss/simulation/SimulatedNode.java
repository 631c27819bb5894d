package io.gauss.simulation;

import java.util.ArrayList;
import java.util.List;

/**
 * A process of a simulation, from its start to its end: the threads that its threads have started,
 * and its timers. Another start of the same node is another process. Only the threads of the
 * simulation use it.
 */
public final class SimulatedNode {
  private final SeededScheduler scheduler;
  private final String name;
  private final long clockOffsetNanos;
  private final List<Runnable> held = new ArrayList<>();
  private boolean paused;
  private boolean dead;

  SimulatedNode(SeededScheduler scheduler, String name, long clockOffsetNanos) {
    this.scheduler = scheduler;
    this.name = name;
    this.clockOffsetNanos = clockOffsetNanos;
  }

  /** Starts a thread of this process. */
  public Thread start(String threadName, Runnable task) {
    Thread thread = scheduler.thread(this, threadName, task);
    thread.start();
    return thread;
  }

  /** None of its threads runs again, at whatever they were. */
  public void kill() {
    dead = true;
    held.clear();
  }

  /** Its threads stand still; time passes for them all the same. */
  public void pause() {
    paused = true;
  }

  /** Its threads continue. */
  public void resume() {
    paused = false;
    List<Runnable> later = List.copyOf(held);
    held.clear();
    later.forEach(Runnable::run);
  }

  public boolean isDead() {
    return dead;
  }

  boolean isPaused() {
    return paused;
  }

  /** Its monotonic clock, which no other process shares. */
  long nanoTime() {
    return scheduler.now() + clockOffsetNanos;
  }

  void hold(Runnable later) {
    held.add(later);
  }

  @Override
  public String toString() {
    return name;
  }
}
