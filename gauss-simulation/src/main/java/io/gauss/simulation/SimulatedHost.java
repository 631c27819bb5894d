package io.gauss.simulation;

import io.gauss.common.runtime.Host;
import io.gauss.common.runtime.JvmHost;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Threads, time and random numbers of the simulation for its threads, and those of the JVM for all
 * others: tests, and what starts a simulation. For the system property {@code gauss.host}.
 */
public final class SimulatedHost implements Host {
  private static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");
  private static volatile Simulation simulation;

  private final Host jvm = new JvmHost();

  static void begin(Simulation one) {
    simulation = one;
  }

  static void end() {
    simulation = null;
  }

  /** The simulation of the caller's scheduler. */
  static Simulation simulation(SeededScheduler of) {
    Simulation now = simulation;
    return now != null && now.scheduler() == of ? now : null;
  }

  /** The simulation of the calling thread; null for a thread of the JVM's. */
  public static Simulation caller() {
    return Simulation.ofCaller();
  }

  @Override
  public long nanoTime() {
    Simulation of = Simulation.ofCaller();
    if (of == null) {
      return jvm.nanoTime();
    }
    of.scheduler().lookAtClock();
    return of.acting().nanoTime();
  }

  @Override
  public Instant now() {
    Simulation of = Simulation.ofCaller();
    return of == null ? jvm.now() : BEGINNING.plus(of.elapsed());
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    Simulation of = Simulation.ofCaller();
    if (of == null) {
      jvm.parkNanos(blocker, nanos);
    } else {
      of.scheduler().parkNanos(blocker, nanos);
    }
  }

  @Override
  public Thread thread(String name, Runnable task) {
    Simulation of = Simulation.ofCaller();
    return of == null ? jvm.thread(name, task) : of.scheduler().thread(of.acting(), name, task);
  }

  @Override
  public Thread virtualThread(String name, Runnable task) {
    Simulation of = Simulation.ofCaller();
    return of == null
        ? jvm.virtualThread(name, task)
        : of.scheduler().thread(of.acting(), name, task);
  }

  @Override
  public ScheduledExecutorService scheduler(String threadName, boolean finishesDelayed) {
    Simulation of = Simulation.ofCaller();
    return of == null
        ? jvm.scheduler(threadName, finishesDelayed)
        : new SimulatedTaskQueue(of.scheduler(), of.acting(), threadName, finishesDelayed);
  }

  @Override
  public Future<?> after(long delay, TimeUnit unit, String threadName, Runnable task) {
    Simulation of = Simulation.ofCaller();
    if (of == null) {
      return jvm.after(delay, unit, threadName, task);
    }
    SimulatedNode node = of.acting();
    return SimulatedTask.after(
        of.scheduler(), node, unit.toNanos(delay), () -> node.start(threadName, task));
  }

  @Override
  public ExecutorService pool(String threadPrefix, int threads) {
    Simulation of = Simulation.ofCaller();
    return of == null
        ? jvm.pool(threadPrefix, threads)
        : new SimulatedPool(of.scheduler(), of.acting(), threadPrefix, threads);
  }

  /** That of the simulation for all threads: what is kept must not depend on who was first. */
  @Override
  public int size(int usual, int simulated) {
    return simulated;
  }

  /** Nobody knows it in a simulation: how much it is differs from run to run. */
  @Override
  public long processorNanos() {
    return Simulation.ofCaller() == null ? jvm.processorNanos() : -1;
  }

  @Override
  public RandomGenerator random() {
    Simulation of = Simulation.ofCaller();
    return of == null ? jvm.random() : of.drawn();
  }
}
