package io.gauss.common.deadlock;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;

/**
 * The deadlock detector: takes reports of long waits, finds cycles, verifies them, and chooses the
 * member to abort. Pure: no clock, no thread, no network; messages to the nodes go out through
 * {@link Output}. Not thread-safe.
 *
 * <p>A <em>wait</em> is a transaction's wait number and the number of its wait, which counts up. A
 * wait may end while its report is under way, and the message of its end may be under way while the
 * table still has the wait. So a cycle in the table may never have existed. Therefore each member
 * is asked whether the reported wait still stands. If all confirm, every edge stood from its report
 * until that answer. The last report came before the first question, so at that moment all of them
 * stood at once, and a cycle of waits that stand at once is a permanent deadlock. Only then is the
 * youngest member aborted, by the number of its wait, so that a wait that ended meanwhile is not
 * affected.
 *
 * <p>Messages may be lost while the detector moves from one node to another. A wait whose end was
 * lost is removed when its node says that it does not stand; a question whose answer was lost is
 * asked again with the next report.
 *
 * <p>Invariants: a wait is chosen at most once. A chosen waiter is removed from the graph, so no
 * second member is aborted for the same cycle. A cycle is in doubt only while all its waits are the
 * newest known ones of their transactions.
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
    private final long question;
    private final long[] members;
    private final long[] numbers;
    private final Set<Long> open = new HashSet<>();

    private Doubt(long question, long[] members, long[] numbers) {
      this.question = question;
      this.members = members;
      this.numbers = numbers;
    }
  }

  /** The table's output; called during its methods. */
  public interface Output {
    /** Asks the waiter's node whether the wait stands; {@link #answered} receives the answer. */
    void ask(long question, long waiter, long wait);

    /** The wait's transaction is to be aborted. */
    void choose(long waiter, long wait, String detail);
  }

  /**
   * A wait stands, and these holders have to end before it does; replaces the waiter's earlier
   * report.
   *
   * @param waiter wait number of the transaction
   * @param wait number of its wait; a lower one than before is late and is ignored
   * @param age clock value at which the transaction began: the highest is the youngest
   * @param holders wait numbers, 0 = none
   * @param who display text of the transaction
   * @param what display text of the object that it waits for
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
    dropDoubts();
    long[] cycle = lowestFirst(graph.cycleThrough(waiter));
    if (cycle.length != 0) {
      Doubt doubt = doubtAbout(cycle);
      // A report that is repeated repeats the questions, too: an answer may have been lost.
      ask(doubt != null ? doubt : begin(cycle), output);
    }
  }

  /** Gives a cycle the same order, regardless of the start of the search. */
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

  private Doubt doubtAbout(long[] cycle) {
    for (Doubt doubt : doubts.values()) {
      if (Arrays.equals(doubt.members, cycle)) {
        return doubt;
      }
    }
    return null;
  }

  private Doubt begin(long[] cycle) {
    long[] numbers = new long[cycle.length];
    Doubt doubt = new Doubt(++nextQuestion, cycle, numbers);
    for (int i = 0; i < cycle.length; i++) {
      numbers[i] = waits.get(cycle[i]).number;
      doubt.open.add(cycle[i]);
    }
    doubts.put(doubt.question, doubt);
    return doubt;
  }

  /** Asks the members that have not answered. */
  private void ask(Doubt doubt, Output output) {
    for (int i = 0; i < doubt.members.length && doubts.get(doubt.question) == doubt; i++) {
      if (doubt.open.contains(doubt.members[i])) {
        output.ask(doubt.question, doubt.members[i], doubt.numbers[i]);
      }
    }
  }

  /** A member's answer to {@link Output#ask}. */
  public void answered(long question, long waiter, boolean stands, Output output) {
    Doubt doubt = doubts.get(question);
    if (doubt == null) {
      return;
    }
    if (!stands) {
      // Its end may be lost: the wait would hide real cycles behind the one that it seems to close.
      // No doubt outlives the wait that it is about, so this is the wait that was asked about.
      remove(waiter);
      return;
    }
    doubt.open.remove(waiter);
    if (!doubt.open.isEmpty()) {
      return;
    }
    doubts.remove(question);
    choose(doubt, output);
  }

  /** Whether all its waits are still the newest known ones of their transactions. */
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

  /** A node is gone, and its waits with it. What it said may not be passed to this any more. */
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

  /** Number of reported waits that are not over. */
  public int size() {
    return waits.size();
  }

  /** Number of cycles whose members have not all answered. */
  int inDoubt() {
    return doubts.size();
  }
}
