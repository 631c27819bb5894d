package io.gauss.common.explore;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Visits all states that a model can reach, nearest first, so that a counter-example is a shortest
 * one. States are compared by {@code equals}.
 */
public final class Exploration<S> {
  /** What can happen next, and what must never be. */
  public interface Model<S> {
    S initial();

    /** Offers every step that is possible in the state. */
    void steps(S state, Steps<S> steps);

    /** What is wrong with the state; null when nothing is. */
    String violation(S state);
  }

  /** Takes the steps of a state. */
  public interface Steps<S> {
    void add(String name, Supplier<S> next);

    default void addIf(boolean enabled, String name, Supplier<S> next) {
      if (enabled) {
        add(name, next);
      }
    }
  }

  /**
   * What was found.
   *
   * @param trace the way to a violation, and what is wrong there; empty when there is none
   */
  public record Found(int states, List<String> trace) {
    public boolean isSafe() {
      return trace.isEmpty();
    }
  }

  private record Origin<S>(S from, String step) {}

  private final Model<S> model;
  private final int maxStates;
  private final Map<S, Origin<S>> seen = new HashMap<>();

  private Exploration(Model<S> model, int maxStates) {
    this.model = model;
    this.maxStates = maxStates;
  }

  /**
   * Explores until a violation is found or nothing is left.
   *
   * @throws AssertionError when there are more states than allowed: the model has no bound
   */
  public static <S> Found explore(Model<S> model, int maxStates) {
    return new Exploration<>(model, maxStates).run();
  }

  private Found run() {
    ArrayDeque<S> queue = new ArrayDeque<>();
    S initial = model.initial();
    seen.put(initial, new Origin<>(null, "initially"));
    queue.add(initial);
    while (!queue.isEmpty()) {
      S state = queue.remove();
      String violation = model.violation(state);
      if (violation != null) {
        return new Found(seen.size(), trace(state, violation));
      }
      model.steps(
          state,
          (name, step) -> {
            S next = step.get();
            if (next != null && seen.putIfAbsent(next, new Origin<>(state, name)) == null) {
              queue.add(next);
            }
          });
      if (seen.size() > maxStates) {
        throw new AssertionError("more than " + maxStates + " states");
      }
    }
    return new Found(seen.size(), List.of());
  }

  private List<String> trace(S state, String violation) {
    List<String> trace = new ArrayList<>(List.of(violation));
    for (S at = state; at != null; at = seen.get(at).from()) {
      trace.add(seen.get(at).step());
    }
    Collections.reverse(trace);
    return trace;
  }
}
