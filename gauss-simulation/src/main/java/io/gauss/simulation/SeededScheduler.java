package io.gauss.simulation;

import java.util.ArrayList;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Runs virtual threads one at a time, in an order that the seed decides, in simulated time. A
 * thread runs until it waits or yields: nothing interrupts it in between. When no thread can run,
 * time jumps to the next timer.
 *
 * <p>Owned by the thread that calls {@link #run}; the threads of the simulation are mounted on it.
 * Invariants: at most one of them runs; only they, and timers, make threads ready. A thread that is
 * made ready by anything else, a thread of the JVM's among them, ends the run with a failure, since
 * no seed repeats that. One exception: a thread that meets a monitor which a thread of the JVM's
 * has for a moment (that of a cleaner, for example) has it as soon as it is free, and nothing else
 * runs meanwhile.
 */
final class SeededScheduler {
  private static final long STRANGERS_NANOS = 50_000_000;
  private static final long MONITOR_NANOS = 1_000_000_000;
  private static final long MONITOR_LOOK_NANOS = 10_000;
  private static final int MONITOR_LOOKS = 500;
  private static volatile SeededScheduler running;

  private final long seed;
  private final Random random;
  private final Trace trace;
  private final ArrayList<Ready> ready = new ArrayList<>();
  private final PriorityQueue<Timer> timers = new PriorityQueue<>();
  private final long stepNanos;
  private long now;
  private long timersMade;
  private long threadsMade;
  private long steps;
  private Thread carrier;
  private volatile SimulatedThread current; // null: none, or a timer's action runs
  private boolean currentIsReady; // it has been made ready again while it ran
  private volatile Runnable unblocked; // of the current thread, which has got its monitor
  private SimulatedNode acting; // whose thread or timer runs; null = of no node
  private volatile Throwable failure;
  private Simulation.Watch watch = (node, name) -> {};

  private record Ready(SimulatedThread thread, Runnable continuation) {}

  /** An action at a time; without a node it belongs to the world, which cannot be killed. */
  final class Timer implements Comparable<Timer> {
    private final long at;
    private final long order;
    private final SimulatedNode node;
    private Runnable action; // null = done or cancelled

    private Timer(long at, SimulatedNode node, Runnable action) {
      this.at = at;
      this.order = timersMade++;
      this.node = node;
      this.action = action;
    }

    /** Returns whether the action will not run because of this. */
    boolean cancel() {
      boolean wasPending = action != null;
      action = null;
      return wasPending;
    }

    @Override
    public int compareTo(Timer other) {
      int byTime = Long.compare(at, other.at);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  /**
   * @param stepNanos time that a thread takes from one wait to the next
   */
  SeededScheduler(long seed, long stepNanos, Trace trace) {
    this.seed = seed;
    this.random = new Random(seed);
    this.stepNanos = stepNanos;
    this.trace = trace;
  }

  /** The scheduler to which the calling thread belongs; null for a thread of the JVM's. */
  static SeededScheduler ofCaller() {
    SeededScheduler scheduler = running;
    return scheduler != null && scheduler.isCallersScheduler() ? scheduler : null;
  }

  /** Whether a simulation runs, and the calling thread, one of the JVM's own, is not part of it. */
  static boolean runsWithoutCaller() {
    SeededScheduler scheduler = running;
    return scheduler != null && !scheduler.isCallersScheduler();
  }

  private boolean isCallersScheduler() {
    Thread caller = Thread.currentThread();
    return caller == carrier || (current != null && current.thread() == caller);
  }

  /** A thread of the node, not yet started. */
  Thread thread(SimulatedNode node, String name, Runnable task) {
    SimulatedThread thread = new SimulatedThread(this, node, ++threadsMade, name);
    Thread virtual = VirtualThreads.create(thread, name, task);
    VirtualThreads.number(virtual, threadsMade, seed + threadsMade);
    thread.is(virtual);
    return thread.thread();
  }

  /** Called by the JDK when a thread can continue. */
  void ready(SimulatedThread thread, Runnable continuation) {
    if (running == this && thread == current && VirtualThreads.isUnblocked(thread.thread())) {
      unblocked = continuation; // told by a thread of the JVM's, or by its own, whoever is faster
      return;
    }
    if (running != this || !isCallersScheduler()) {
      failForeign(thread);
      return;
    }
    if (thread == current && VirtualThreads.isUnparked(thread.thread())) {
      failUnrepeatable(thread, "was continued by a thread of the JVM's while it parked");
      return;
    }
    currentIsReady |= thread == current;
    if (!thread.node().isDead()) {
      ready.add(new Ready(thread, continuation));
    }
  }

  /**
   * The current thread has stopped at a monitor: if a thread of the JVM's has it, it is free soon.
   *
   * @return the rest of the thread's step; null when it has not stopped there, or does not get on
   */
  private Runnable awaitMonitor(SimulatedThread thread) {
    long start = System.nanoTime();
    // Looks count as well: on a busy machine the monitor's owner may not run for seconds.
    for (int looks = 0;
        unblocked == null
            && !currentIsReady
            && isAtMonitor(thread)
            && (looks < MONITOR_LOOKS || System.nanoTime() - start < MONITOR_NANOS);
        looks++) {
      LockSupport.parkNanos(MONITOR_LOOK_NANOS);
    }
    Runnable rest = unblocked;
    unblocked = null;
    return rest;
  }

  /** RUNNABLE and not made ready: it has the monitor, and is about to be continued. */
  private boolean isAtMonitor(SimulatedThread thread) {
    if (VirtualThreads.isInObjectWait(thread.thread())) {
      failUnrepeatable(thread, "waits in Object.wait");
      return false;
    }
    Thread.State state = thread.thread().getState();
    return state == Thread.State.BLOCKED || state == Thread.State.RUNNABLE;
  }

  private void failForeign(SimulatedThread thread) {
    failUnrepeatable(thread, "was continued by " + Thread.currentThread());
  }

  /** What the thread waits for now would be ended by a thread of the JVM's, or has been. */
  private void checkTime(SimulatedThread thread) {
    if (VirtualThreads.waitsForTime(thread.thread())) {
      failUnrepeatable(thread, "waits for time of the JVM's");
    }
  }

  private void checkWait(SimulatedThread thread) {
    if (thread.thread().getState() == Thread.State.BLOCKED) {
      failUnrepeatable(thread, "waits for a monitor");
    }
  }

  private synchronized void failUnrepeatable(SimulatedThread thread, String what) {
    if (failure != null || running != this) {
      return; // also a repetition, for the stack trace below
    }
    IllegalStateException why =
        new IllegalStateException(thread + " " + what + ", which no seed repeats");
    failure = why;
    why.setStackTrace(thread.thread().getStackTrace());
  }

  /** Runs the action after the delay, unless the node is dead by then. */
  Timer after(SimulatedNode node, long nanos, Runnable action) {
    Timer timer = new Timer(now + Math.max(0, nanos), node, action);
    timers.add(timer);
    return timer;
  }

  /**
   * Parks the calling thread, as {@link LockSupport#parkNanos(Object, long)} does, in simulated
   * time.
   */
  void parkNanos(Object blocker, long nanos) {
    if (nanos <= 0) {
      return;
    }
    if (current == null) {
      throw new IllegalStateException("a timer's action must not wait");
    }
    Thread waiting = current.thread();
    Timer timer = after(current.node(), nanos, () -> LockSupport.unpark(waiting));
    LockSupport.park(blocker);
    timer.cancel();
  }

  /** Time since the beginning. */
  long now() {
    return now;
  }

  /** Time passes, by as little as it takes to look at a clock: a loop that waits for it ends. */
  void lookAtClock() {
    now += 25;
  }

  /** The node whose thread or timer runs; null = of no node. */
  SimulatedNode acting() {
    return acting;
  }

  /** Times that a thread has run from one wait to the next. */
  long steps() {
    return steps;
  }

  /** From now on this one sees each step. */
  void watch(Simulation.Watch by) {
    watch = by;
  }

  /** Ends the run. Any thread may call it. */
  void fail(Throwable why) {
    if (failure == null) {
      failure = why;
    }
  }

  /**
   * Runs until the condition holds, which is asked after each step.
   *
   * @throws AssertionError when no thread can run any more, or the run has failed
   */
  void run(BooleanSupplier done) {
    if (running != null) {
      throw new IllegalStateException("one simulation at a time in a JVM");
    }
    carrier = Thread.currentThread();
    running = this;
    try {
      while (!done.getAsBoolean()) {
        checkFailure();
        fireDue();
        if (ready.isEmpty()) {
          Timer next = timers.peek();
          if (next == null) {
            LockSupport.parkNanos(STRANGERS_NANOS); // may be about to continue one, and is told of
            checkFailure();
            throw new AssertionError("every thread waits, and none for time");
          }
          now = Math.max(now, next.at);
        } else {
          step(random.nextInt(ready.size()));
        }
      }
    } finally {
      running = null;
      carrier = null;
    }
  }

  private void checkFailure() {
    Throwable why = failure;
    if (why != null) {
      synchronized (this) { // until the place is noted
        throw new AssertionError("a thread failed, or the run cannot be repeated", why);
      }
    }
  }

  private void fireDue() {
    for (Timer next = timers.peek(); next != null && next.at <= now; next = timers.peek()) {
      timers.poll();
      Runnable action = next.action;
      if (action == null || next.node.isDead()) {
        continue;
      }
      if (next.node.isPaused()) {
        Timer held = next;
        next.node.hold(() -> timers.add(held));
        continue;
      }
      next.action = null;
      acting = next.node;
      action.run();
      acting = null;
    }
  }

  private void step(int chosen) {
    Ready next = ready.get(chosen);
    Ready last = ready.removeLast();
    if (chosen < ready.size()) {
      ready.set(chosen, last);
    }
    SimulatedThread thread = next.thread();
    if (thread.node().isDead()) {
      return;
    }
    if (thread.node().isPaused()) {
      thread.node().hold(() -> ready.add(next));
      return;
    }
    steps++;
    trace.step(now, thread);
    watch.runs(thread.node().toString(), thread.name());
    currentIsReady = false;
    current = thread;
    acting = thread.node();
    for (Runnable rest = next.continuation(); rest != null; rest = awaitMonitor(thread)) {
      rest.run();
      checkTime(thread);
    }
    checkWait(thread);
    current = null;
    acting = null;
    now += stepNanos;
  }
}
