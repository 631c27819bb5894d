package io.gauss.simulation;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;

/** What the JDK hides of its virtual threads. */
final class VirtualThreads {
  /**
   * Above all that the JVM gives to its own threads: to monitors, a thread is its identifier. Those
   * of one run are those of the next, but a thread that was killed has no monitor: it waited.
   */
  private static final long FIRST_ID = 1L << 40;

  private static final MethodHandle CREATE;
  private static final Field ID;
  private static final VarHandle RANDOM_SEED;
  private static final VarHandle RANDOM_PROBE;
  private static final VarHandle RANDOM_SECONDARY_SEED;
  private static final VarHandle STATE;
  private static final VarHandle TIMEOUT_TASK;
  private static final int UNPARKED;
  private static final int UNBLOCKED;
  private static final int WAIT;
  private static final int TIMED_WAIT;

  static {
    try {
      Method create =
          Class.forName("java.lang.ThreadBuilders")
              .getDeclaredMethod(
                  "newVirtualThread", Executor.class, String.class, int.class, Runnable.class);
      create.setAccessible(true);
      CREATE = MethodHandles.lookup().unreflect(create);
      ID = Thread.class.getDeclaredField("tid");
      ID.setAccessible(true);
      MethodHandles.Lookup ofAll =
          MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup());
      RANDOM_SEED = ofAll.findVarHandle(Thread.class, "threadLocalRandomSeed", long.class);
      RANDOM_PROBE = ofAll.findVarHandle(Thread.class, "threadLocalRandomProbe", int.class);
      RANDOM_SECONDARY_SEED =
          ofAll.findVarHandle(Thread.class, "threadLocalRandomSecondarySeed", int.class);
      Class<?> threads = Class.forName("java.lang.VirtualThread");
      MethodHandles.Lookup inside = MethodHandles.privateLookupIn(threads, MethodHandles.lookup());
      STATE = inside.findVarHandle(threads, "state", int.class);
      TIMEOUT_TASK = inside.findVarHandle(threads, "timeoutTask", Future.class);
      UNPARKED = constant(threads, "UNPARKED");
      UNBLOCKED = constant(threads, "UNBLOCKED");
      WAIT = constant(threads, "WAIT");
      TIMED_WAIT = constant(threads, "TIMED_WAIT");
    } catch (ReflectiveOperationException | RuntimeException e) {
      throw new IllegalStateException(
          "a simulation needs JDK 25 and --add-opens=java.base/java.lang=ALL-UNNAMED", e);
    }
  }

  private VirtualThreads() {}

  private static int constant(Class<?> of, String name) throws ReflectiveOperationException {
    Field field = of.getDeclaredField(name);
    field.setAccessible(true);
    return field.getInt(null);
  }

  /** A thread, not yet started, whose continuations are executed by the scheduler. */
  static Thread create(Executor scheduler, String name, Runnable task) {
    try {
      return (Thread) CREATE.invoke(scheduler, name, 0, task);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Gives a thread that has not been started what the JVM would number and draw for it: the
   * identifier, which is its hash code, and what libraries get on it from {@link
   * java.util.concurrent.ThreadLocalRandom}, into which the identifier goes as well.
   *
   * @param number counts the threads of a run
   */
  static void number(Thread thread, long number, long seed) {
    try {
      ID.setLong(thread, FIRST_ID + number);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
    SplittableRandom seeds = new SplittableRandom(seed);
    RANDOM_SEED.set(thread, seeds.nextLong());
    RANDOM_PROBE.set(thread, seeds.nextInt() | 1); // 0 = not seeded yet
    RANDOM_SECONDARY_SEED.set(thread, seeds.nextInt() | 1);
  }

  /** Whether it has stopped until a time of the JVM's, which may have come already. */
  static boolean waitsForTime(Thread thread) {
    return TIMEOUT_TASK.get(thread) != null;
  }

  /** Whether it was to park, and may continue. */
  static boolean isUnparked(Thread thread) {
    return (int) STATE.getVolatile(thread) == UNPARKED;
  }

  /** Whether it has stopped at a monitor that it can have now. */
  static boolean isUnblocked(Thread thread) {
    return (int) STATE.getVolatile(thread) == UNBLOCKED;
  }

  /** Whether it is in a wait of {@link Object}'s. */
  static boolean isInObjectWait(Thread thread) {
    int state = (int) STATE.getVolatile(thread);
    return state == WAIT || state == TIMED_WAIT;
  }
}
