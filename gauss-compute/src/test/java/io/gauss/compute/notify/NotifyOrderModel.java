package io.gauss.compute.notify;

import io.gauss.common.explore.Exploration;
import io.gauss.common.explore.Exploration.Steps;
import java.util.ArrayList;
import java.util.List;

/**
 * A transaction A of one node, and B of another one, which begins to commit when it has seen A, and
 * a third node that listens. Messages of the two nodes may overtake each other.
 *
 * <p>Forbidden: B is told before A.
 */
record NotifyOrderModel(boolean inOrderOfArrival)
    implements Exploration.Model<NotifyOrderModel.State> {
  /** What has become of a transaction, and its last message is on its way or not. */
  enum Step {
    NOT_BEGUN,
    TELLS,
    ARRIVED,
    VISIBLE,
    DECIDED
  }

  /**
   * @param queue letters of those that have arrived, in order
   * @param told letters of those that were told, in order
   */
  record State(Step a, Step b, String queue, String told) {}

  @Override
  public State initial() {
    return new State(Step.NOT_BEGUN, Step.NOT_BEGUN, "", "");
  }

  @Override
  public String violation(State s) {
    return s.told.startsWith("B") ? "the effect is told before the cause" : null;
  }

  @Override
  public void steps(State s, Steps<State> steps) {
    steps.addIf(
        s.a == Step.NOT_BEGUN, "A tells", () -> new State(Step.TELLS, s.b, s.queue, s.told));
    steps.addIf(
        s.a == Step.TELLS, "A arrives", () -> new State(Step.ARRIVED, s.b, s.queue + "A", s.told));
    steps.addIf(
        s.a == Step.ARRIVED, "A is visible", () -> new State(Step.VISIBLE, s.b, s.queue, s.told));
    steps.addIf(
        s.a == Step.VISIBLE,
        "A's outcome arrives",
        () -> told(new State(Step.DECIDED, s.b, s.queue, s.told)));
    boolean hasSeen = s.a == Step.VISIBLE || s.a == Step.DECIDED;
    steps.addIf(
        s.b == Step.NOT_BEGUN && hasSeen,
        "B has seen A, and tells",
        () -> new State(s.a, Step.TELLS, s.queue, s.told));
    steps.addIf(
        s.b == Step.TELLS, "B arrives", () -> new State(s.a, Step.ARRIVED, s.queue + "B", s.told));
    steps.addIf(
        s.b == Step.ARRIVED, "B is visible", () -> new State(s.a, Step.VISIBLE, s.queue, s.told));
    steps.addIf(
        s.b == Step.VISIBLE,
        "B's outcome arrives",
        () -> told(new State(s.a, Step.DECIDED, s.queue, s.told)));
  }

  /** Tells what may be told. */
  private State told(State s) {
    List<String> waiting = new ArrayList<>(List.of(s.queue.split("")));
    StringBuilder told = new StringBuilder(s.told);
    for (String next : List.copyOf(waiting)) {
      if ((next.equals("A") ? s.a : s.b) == Step.DECIDED) {
        told.append(next);
        waiting.remove(next);
      } else if (inOrderOfArrival) {
        break;
      }
    }
    return new State(s.a, s.b, String.join("", waiting), told.toString());
  }
}
