package io.gauss.common.explore;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Visits all reachable states of a model, nearest first, so that a counter-example is a shortest
 * one. States are compared by {@code equals}.
 */
public final class Exploration<S> {
  /** The possible steps, and the forbidden states. */
  public interface Model<S> {
    S initial();

    /** Offers every step that is possible in the state. */
    void steps(S state, Steps<S> steps);

    /** The violation in the state; null when there is none. */
    String violation(S state);
  }

  /** Receives the steps of a state. */
  public interface Steps<S> {
    void add(String name, Supplier<S> next);

    default void addIf(boolean enabled, String name, Supplier<S> next) {
      if (enabled) {
        add(name, next);
      }
    }
  }

  /**
   * Result of an exploration.
   *
   * @param trace the steps to a violation, and the violation; empty when there is none
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
   * Explores until a violation is found or all states are visited.
   *
   * @throws AssertionError when there are more states than allowed: the model is unbounded
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
