package io.gauss.simulation;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A run in which the seed decides everything. The thread that calls {@link #run} becomes the only
 * one that executes anything; all others are virtual threads of the simulation.
 *
 * <p>Everything but {@link #run} is for the threads of the simulation.
 */
public final class Simulation {
  private static final int KEPT_EVENTS = Integer.getInteger("gauss.simulation.events", 4_000);
  private static final long MAX_CLOCK_OFFSET_NANOS = TimeUnit.DAYS.toNanos(10);

  private final long seed;
  private final Trace trace = new Trace(KEPT_EVENTS);
  private final Random drawn; // for the program
  private final Random world; // for clocks and the network
  private final SeededScheduler scheduler;
  private final SimulatedNode outside;

  /**
   * @param seed decides everything
   */
  public Simulation(long seed) {
    this.seed = seed;
    Random seeds = new Random(seed * 0x9e3779b97f4a7c15L + 1);
    drawn = trace.drawing("the program", seeds.nextLong());
    world = trace.drawing("the world", seeds.nextLong());
    scheduler = new SeededScheduler(seeds.nextLong(), 100L << seeds.nextInt(6), trace);
    outside = new SimulatedNode(scheduler, "outside", 0);
  }

  /** The simulation to which the calling thread belongs; null for a thread of the JVM's. */
  static Simulation ofCaller() {
    SeededScheduler of = SeededScheduler.ofCaller();
    return of == null ? null : SimulatedHost.simulation(of);
  }

  /** Work of the run; it may fail as it likes. */
  @FunctionalInterface
  public interface Work {
    void run() throws Exception;
  }

  /**
   * Executes the work on a thread of no node, and all threads that it starts, until it is complete.
   *
   * @throws AssertionError when the work fails, when it waits for what never comes, or when
   *     something happened that no seed repeats
   */
  public void run(Work work) {
    Outcome outcome = new Outcome();
    DirectMemory.prepare();
    SimulatedHost.begin(this);
    try {
      scheduler.run(outcome.begin(work));
    } finally {
      SimulatedHost.end();
      trace.end();
    }
    if (outcome.failure != null) {
      throw new AssertionError(
          "seed %d failed after %s".formatted(seed, Duration.ofNanos(scheduler.now())),
          outcome.failure);
    }
  }

  private final class Outcome {
    private boolean started;
    private boolean done;
    private Throwable failure;

    private BooleanSupplier begin(Work work) {
      return () -> {
        if (!started) {
          started = true;
          outside.start("run", () -> complete(work));
        }
        return done;
      };
    }

    private void complete(Work work) {
      try {
        work.run();
      } catch (Throwable e) {
        failure = e;
      }
      done = true;
    }
  }

  /** A new process. */
  public SimulatedNode node(String name) {
    return new SimulatedNode(scheduler, name, world.nextLong(MAX_CLOCK_OFFSET_NANOS));
  }

  /** The process of the calling thread. */
  SimulatedNode acting() {
    SimulatedNode acting = scheduler.acting();
    return acting == null ? outside : acting;
  }

  /** What decides everything. */
  public long seed() {
    return seed;
  }

  /** What has happened until now. */
  public Trace trace() {
    return trace;
  }

  /**
   * Notes an event in the trace.
   *
   * @param what with a hash code and words that are the same in every run
   */
  public void event(Object what) {
    trace.event(scheduler.now(), what);
  }

  /** Simulated time since the beginning. */
  public Duration elapsed() {
    return Duration.ofNanos(scheduler.now());
  }

  /** How often a thread has run from one wait to the next. */
  public long steps() {
    return scheduler.steps();
  }

  /** Sees which threads run. */
  @FunctionalInterface
  public interface Watch {
    /** A thread runs, from one wait to the next. */
    void runs(String process, String thread);
  }

  /** From now on this one sees each step. */
  public void watch(Watch by) {
    scheduler.watch(by);
  }

  /** Ends the run with this failure. */
  public void fail(Throwable why) {
    scheduler.fail(why);
  }

  SeededScheduler scheduler() {
    return scheduler;
  }

  /** Random numbers for the program. */
  Random drawn() {
    return drawn;
  }

  /** Random numbers for what surrounds the program. */
  Random world() {
    return world;
  }
}
