package io.gauss.compute.txn;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Runs a small scenario of several threads, given as lists of steps, in every order in which the
 * steps can happen. A step that is not enabled yet stands for a wait.
 */
final class Interleavings {
  private Interleavings() {}

  record Step(BooleanSupplier enabled, Runnable action) {}

  /** One run of the scenario: fresh state, its threads, and what must hold when all have ended. */
  record Run(List<List<Step>> threads, BooleanSupplier holds) {}

  static Step step(Runnable action) {
    return new Step(() -> true, action);
  }

  static Step when(BooleanSupplier enabled, Runnable action) {
    return new Step(enabled, action);
  }

  /** The first order in which the scenario fails, as thread numbers; null when it holds in all. */
  static String counterExample(Supplier<Run> scenario) {
    List<Integer> prefix = new ArrayList<>();
    while (true) {
      Run run = scenario.get();
      int[] next = new int[run.threads().size()];
      List<Integer> order = new ArrayList<>();
      List<Integer> bounds = new ArrayList<>();
      while (true) {
        List<Integer> ready = ready(run, next);
        if (ready.isEmpty()) {
          break;
        }
        int choice = order.size() < prefix.size() ? prefix.get(order.size()) : 0;
        int thread = ready.get(choice);
        run.threads().get(thread).get(next[thread]++).action().run();
        order.add(choice);
        bounds.add(ready.size());
      }
      if (!run.holds().getAsBoolean()) {
        return describe(scenario, order);
      }
      int last = order.size() - 1;
      while (last >= 0 && order.get(last) + 1 >= bounds.get(last)) {
        last--;
      }
      if (last < 0) {
        return null;
      }
      prefix = new ArrayList<>(order.subList(0, last));
      prefix.add(order.get(last) + 1);
    }
  }

  private static List<Integer> ready(Run run, int[] next) {
    List<Integer> ready = new ArrayList<>();
    for (int thread = 0; thread < next.length; thread++) {
      List<Step> steps = run.threads().get(thread);
      if (next[thread] < steps.size() && steps.get(next[thread]).enabled().getAsBoolean()) {
        ready.add(thread);
      }
    }
    return ready;
  }

  private static String describe(Supplier<Run> scenario, List<Integer> choices) {
    Run run = scenario.get();
    int[] next = new int[run.threads().size()];
    List<Integer> threads = new ArrayList<>();
    for (int choice : choices) {
      int thread = ready(run, next).get(choice);
      run.threads().get(thread).get(next[thread]++).action().run();
      threads.add(thread);
    }
    return "threads in this order: " + threads;
  }
}
