package io.gauss.compute.engine;

import io.gauss.common.health.Problem;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The problems that a node has now, collected from all its parts about once a second. A problem
 * that comes or goes is reported to listeners once; it is logged when the next look finds it again.
 * One that has gone by then is no fault that anybody could act on: a node that had no processor for
 * a moment has no clock lease, for example, and says so itself. Thread-safe.
 */
public final class Health {
  private static final Logger LOG = LoggerFactory.getLogger(Health.class);
  private static final String UP = "UP";

  private final List<Supplier<List<Problem>>> parts = new CopyOnWriteArrayList<>();
  private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();
  private volatile List<Problem> problems = List.of();

  /** What the problems are that have been logged, and are not over. Guarded by this. */
  private final Set<String> logged = new HashSet<>();

  /**
   * @param part returns its problems; must not wait
   */
  public void add(Supplier<List<Problem>> part) {
    parts.add(part);
  }

  /**
   * @param listener gets the {@link #state} when problems come or go
   */
  void onChange(Consumer<String> listener) {
    listeners.add(listener);
  }

  /** Asks all parts and reports changes. */
  public synchronized void look() {
    List<Problem> now = new ArrayList<>();
    parts.forEach(part -> now.addAll(part.get()));
    List<Problem> before = problems;
    problems = List.copyOf(now);
    boolean changed = false;
    for (Problem problem : now) {
      if (!names(before).contains(problem.what())) {
        changed = true;
      } else if (logged.add(problem.what())) {
        LOG.error("degraded: {}", problem);
      }
    }
    for (Problem problem : before) {
      if (!names(now).contains(problem.what())) {
        if (logged.remove(problem.what())) {
          LOG.info("no longer degraded: {}", problem.what());
        }
        changed = true;
      }
    }
    if (changed) {
      String state = state();
      listeners.forEach(listener -> listener.accept(state));
    }
  }

  private static List<String> names(List<Problem> problems) {
    return problems.stream().map(Problem::what).toList();
  }

  /** As of the last check; empty when all is well. */
  public List<Problem> problems() {
    return problems;
  }

  /** {@code UP}, or {@code degraded:} and the problems. */
  public String state() {
    List<Problem> now = problems;
    return now.isEmpty()
        ? UP
        : now.stream().map(Problem::toString).collect(Collectors.joining("; ", "degraded: ", ""));
  }
}
