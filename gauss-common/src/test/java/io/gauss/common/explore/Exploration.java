package io.gauss.common.explore;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
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

  /**
   * Looks for a reachable state from which no state of a goal can be reached: whatever happens from
   * there on, something waits for ever. Takes memory for every step, so it is for models of some
   * hundred thousand states.
   *
   * @throws AssertionError when there are more states than allowed: the model is unbounded
   */
  public static <S> Found findDeadEnd(Model<S> model, Predicate<S> goal, int maxStates) {
    return new Exploration<>(model, maxStates).deadEnd(goal);
  }

  private Found deadEnd(Predicate<S> goal) {
    Map<S, Integer> numbers = new HashMap<>();
    List<S> states = new ArrayList<>();
    List<List<Integer>> before = new ArrayList<>();
    S initial = model.initial();
    seen.put(initial, new Origin<>(null, "initially"));
    numbers.put(initial, 0);
    states.add(initial);
    before.add(new ArrayList<>());
    for (int i = 0; i < states.size(); i++) {
      int number = i;
      S state = states.get(i);
      model.steps(
          state,
          (name, step) -> {
            S next = step.get();
            if (next == null) {
              return;
            }
            if (seen.putIfAbsent(next, new Origin<>(state, name)) == null) {
              numbers.put(next, states.size());
              states.add(next);
              before.add(new ArrayList<>());
            }
            before.get(numbers.get(next)).add(number);
          });
      if (states.size() > maxStates) {
        throw new AssertionError("more than " + maxStates + " states");
      }
    }
    BitSet good = backwards(states, before, goal);
    int stuck = good.nextClearBit(0);
    return stuck == states.size()
        ? new Found(stuck, List.of())
        : new Found(
            states.size(), trace(states.get(stuck), "from here there is no way to the goal"));
  }

  /** The numbers of the states from which the goal can be reached. */
  private BitSet backwards(List<S> states, List<List<Integer>> before, Predicate<S> goal) {
    BitSet good = new BitSet();
    ArrayDeque<Integer> queue = new ArrayDeque<>();
    for (int i = 0; i < states.size(); i++) {
      if (goal.test(states.get(i))) {
        good.set(i);
        queue.add(i);
      }
    }
    while (!queue.isEmpty()) {
      for (int previous : before.get(queue.remove())) {
        if (!good.get(previous)) {
          good.set(previous);
          queue.add(previous);
        }
      }
    }
    return good;
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
