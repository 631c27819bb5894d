package io.gauss.simulation;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.concurrent.Executor;

/** What the JDK hides of its virtual threads. */
final class VirtualThreads {
  private static final MethodHandle CREATE;
  private static final VarHandle STATE;
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
      Class<?> threads = Class.forName("java.lang.VirtualThread");
      MethodHandles.Lookup inside = MethodHandles.privateLookupIn(threads, MethodHandles.lookup());
      STATE = inside.findVarHandle(threads, "state", int.class);
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
