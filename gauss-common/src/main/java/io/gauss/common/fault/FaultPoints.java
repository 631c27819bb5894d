package io.gauss.common.fault;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Named places in the code where tests make the process crash, fail or wait.
 *
 * <p>Unarmed, a hit is one volatile read of a field that stays null. Arming is for tests only;
 * nothing in the product arms a point. Thread-safe. The names are listed in docs/architecture.md.
 */
public final class FaultPoints {
  private static volatile Map<String, Runnable> armed;

  private FaultPoints() {}

  /**
   * Runs the action that a test armed under this name, if any. Its exceptions propagate to the
   * caller.
   */
  public static void hit(String name) {
    Map<String, Runnable> points = armed;
    if (points != null) {
      Runnable action = points.get(name);
      if (action != null) {
        action.run();
      }
    }
  }

  /** Whether a test has armed this point: a hit may fail or wait. */
  public static boolean isArmed(String name) {
    Map<String, Runnable> points = armed;
    return points != null && points.containsKey(name);
  }

  /** Arms a point; closing the result disarms it. */
  public static synchronized Armed arm(String name, Runnable action) {
    Map<String, Runnable> points = armed == null ? new ConcurrentHashMap<>() : armed;
    points.put(name, action);
    armed = points;
    return new Armed(name);
  }

  private static synchronized void disarm(String name) {
    Map<String, Runnable> points = armed;
    if (points != null) {
      points.remove(name);
      if (points.isEmpty()) {
        armed = null;
      }
    }
  }

  /** An armed point, for try-with-resources. */
  public static final class Armed implements AutoCloseable {
    private final String name;

    private Armed(String name) {
      this.name = name;
    }

    @Override
    public void close() {
      disarm(name);
    }
  }
}
