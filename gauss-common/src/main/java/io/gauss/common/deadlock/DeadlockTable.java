package io.gauss.common.deadlock;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;

/**
 * The deadlock detector: takes reports of waits that last, finds cycles, makes sure of them, and
 * names the member that has to give way. Pure: no clock, no thread, no network; what is to be said
 * to the nodes goes out through {@link Output}. Not thread-safe.
 *
 * <p>A <em>wait</em> is a transaction's wait number and the number of its wait, which counts up. A
 * report may be on its way while its wait ends, and an end may be on its way while the table still
 * has the wait: so a cycle in the table may never have been one. Therefore each member is asked
 * whether the wait that was reported still stands. If all say yes, every edge stood from its report
 * until that answer; the last of the reports came before the first question, so at that moment all
 * of them stood at once, and a cycle of waits that stand at once is a deadlock for good. Only then
 * the youngest member is told to give way, by the number of its wait, so that one that ended
 * meanwhile is not touched.
 *
 * <p>Invariant: a wait is chosen at most once. Whoever was chosen is taken out, so no second member
 * of its cycles dies for the same one.
 */
public final class DeadlockTable {
  private final WaitGraph graph = new WaitGraph();
  private final Map<Long, Wait> waits = new HashMap<>();
  private final Map<Long, Doubt> doubts = new HashMap<>();
  private final Map<Long, Long> chosen = new HashMap<>(); // waiter -> its wait, until that is over
  private long nextQuestion;

  private record Wait(long number, String who, String what) {}

  /** A cycle whose members are being asked. */
  private static final class Doubt {
    private final long[] members;
    private final long[] numbers;
    private final Set<Long> open = new HashSet<>();

    private Doubt(long[] members, long[] numbers) {
      this.members = members;
      this.numbers = numbers;
    }
  }

  /** What the table has to say; called during its methods. */
  public interface Output {
    /** Asks the waiter's node whether the wait stands; {@link #answered} brings the answer. */
    void ask(long question, long waiter, long wait);

    /** The wait's transaction is to give way. */
    void choose(long waiter, long wait, String detail);
  }

  /**
   * A wait stands, and these have to end before it does; replaces what was reported of the waiter
   * before.
   *
   * @param waiter wait number of the transaction
   * @param wait number of its wait; a lower one than before comes too late and is ignored
   * @param age clock value at which the transaction began: the highest is the youngest
   * @param holders wait numbers, 0 = nobody
   * @param who the transaction, for people
   * @param what it waits for, for people
   */
  public void report(
      long waiter, long wait, long age, long[] holders, String who, String what, Output output) {
    Wait before = waits.get(waiter);
    if (before != null && before.number > wait || chosen.getOrDefault(waiter, -1L) >= wait) {
      return;
    }
    chosen.remove(waiter);
    waits.put(waiter, new Wait(wait, who, what));
    graph.set(waiter, age, holders);
    long[] cycle = lowestFirst(graph.cycleThrough(waiter));
    if (cycle.length != 0 && !isInDoubt(cycle)) {
      askAll(cycle, output);
    }
  }

  /** One cycle has one order, whoever found it. */
  private static long[] lowestFirst(long[] cycle) {
    int lowest = 0;
    for (int i = 1; i < cycle.length; i++) {
      lowest = cycle[i] < cycle[lowest] ? i : lowest;
    }
    long[] turned = new long[cycle.length];
    for (int i = 0; i < cycle.length; i++) {
      turned[i] = cycle[(lowest + i) % cycle.length];
    }
    return turned;
  }

  private boolean isInDoubt(long[] cycle) {
    for (Doubt doubt : doubts.values()) {
      if (Arrays.equals(doubt.members, cycle) && stands(doubt)) {
        return true;
      }
    }
    return false;
  }

  private void askAll(long[] cycle, Output output) {
    long[] numbers = new long[cycle.length];
    Doubt doubt = new Doubt(cycle, numbers);
    for (int i = 0; i < cycle.length; i++) {
      numbers[i] = waits.get(cycle[i]).number;
      doubt.open.add(cycle[i]);
    }
    long question = ++nextQuestion;
    doubts.put(question, doubt);
    for (int i = 0; i < cycle.length && doubts.get(question) == doubt; i++) {
      output.ask(question, cycle[i], numbers[i]);
    }
  }

  /** A member's answer to {@link Output#ask}. */
  public void answered(long question, long waiter, boolean stands, Output output) {
    Doubt doubt = doubts.get(question);
    if (doubt == null) {
      return;
    }
    if (!stands) {
      doubts.remove(question);
      return;
    }
    doubt.open.remove(waiter);
    if (!doubt.open.isEmpty()) {
      return;
    }
    doubts.remove(question);
    if (stands(doubt)) {
      choose(doubt, output);
    }
  }

  /** Whether all its waits are still the newest that is known of their transactions. */
  private boolean stands(Doubt doubt) {
    for (int i = 0; i < doubt.members.length; i++) {
      Wait wait = waits.get(doubt.members[i]);
      if (wait == null || wait.number != doubt.numbers[i]) {
        return false;
      }
    }
    return true;
  }

  private void choose(Doubt doubt, Output output) {
    long victim = graph.youngest(doubt.members);
    String detail = describe(doubt.members);
    long number = waits.get(victim).number;
    remove(victim);
    chosen.put(victim, number);
    output.choose(victim, number, detail);
  }

  private String describe(long[] cycle) {
    StringBuilder text = new StringBuilder();
    for (long member : cycle) {
      Wait wait = waits.get(member);
      text.append(text.isEmpty() ? "" : " ")
          .append(Character.toUpperCase(wait.who.charAt(0)))
          .append(wait.who, 1, wait.who.length())
          .append(" waits for ")
          .append(wait.what)
          .append('.');
    }
    return text.toString();
  }

  /** A wait is over. */
  public void over(long waiter, long wait) {
    if (chosen.getOrDefault(waiter, Long.MAX_VALUE) <= wait) {
      chosen.remove(waiter);
    }
    Wait known = waits.get(waiter);
    if (known != null && known.number <= wait) {
      remove(waiter);
    }
  }

  /** A node is gone, and its waits with it. */
  public void forget(int slot) {
    for (Iterator<Long> all = waits.keySet().iterator(); all.hasNext(); ) {
      long waiter = all.next();
      if (WaitNumber.slot(waiter) == slot) {
        all.remove();
        graph.remove(waiter);
      }
    }
    chosen.keySet().removeIf(waiter -> WaitNumber.slot(waiter) == slot);
    dropDoubts();
  }

  private void remove(long waiter) {
    waits.remove(waiter);
    graph.remove(waiter);
    dropDoubts();
  }

  private void dropDoubts() {
    doubts.values().removeIf(doubt -> !stands(doubt));
  }

  /** Waits reported and not over. */
  public int size() {
    return waits.size();
  }

  /** Cycles whose members have not all answered. */
  int inDoubt() {
    return doubts.size();
  }
}
