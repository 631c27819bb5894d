package io.gauss.common.deadlock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DeadlockTableTest {
  private final DeadlockTable table = new DeadlockTable();
  private final List<String> said = new ArrayList<>();
  private final DeadlockTable.Output output =
      new DeadlockTable.Output() {
        @Override
        public void ask(long question, long waiter, long wait) {
          said.add("ask " + question + " " + waiter + "/" + wait);
        }

        @Override
        public void choose(long waiter, long wait, String detail) {
          said.add("choose " + waiter + "/" + wait + ": " + detail);
        }
      };

  private void report(long waiter, long wait, long age, long... holders) {
    table.report(waiter, wait, age, holders, "transaction " + waiter, "row " + wait, output);
  }

  @Test
  void aCycleIsAskedAboutAndThenItsYoungestMemberIsChosen() {
    report(1, 10, 500, 2);
    report(2, 20, 400, 1);
    assertEquals(List.of("ask 1 1/10", "ask 1 2/20"), said);
    table.answered(1, 1, true, output);
    assertEquals(2, said.size());
    table.answered(1, 2, true, output);
    assertEquals(
        "choose 1/10: Transaction 1 waits for row 10. Transaction 2 waits for row 20.",
        said.getLast());
    assertEquals(1, table.size());
  }

  @Test
  void aWaitThatIsOverByTheTimeItIsAskedAboutSavesAll() {
    report(1, 10, 500, 2);
    report(2, 20, 400, 1);
    table.answered(1, 1, true, output);
    table.answered(1, 2, false, output);
    assertEquals(2, said.size());
    assertEquals(0, table.inDoubt());
  }

  @Test
  void anEndThatComesBeforeTheAnswersSavesAll() {
    report(1, 10, 500, 2);
    report(2, 20, 400, 1);
    table.over(2, 20);
    table.answered(1, 1, true, output);
    table.answered(1, 2, true, output);
    assertEquals(2, said.size());
  }

  @Test
  void aLaterWaitOfAMemberIsNotTakenForTheOneThatWasAskedAbout() {
    report(1, 10, 500, 2);
    report(2, 20, 400, 1);
    report(2, 21, 400, 3);
    table.answered(1, 1, true, output);
    table.answered(1, 2, true, output);
    assertEquals(2, said.size());
  }

  @Test
  void aReportThatIsRepeatedAsksWhoHasNotAnsweredAndChoosesOnce() {
    report(1, 10, 500, 2);
    report(2, 20, 400, 1);
    table.answered(1, 1, true, output);
    report(1, 10, 500, 2);
    assertEquals(List.of("ask 1 1/10", "ask 1 2/20", "ask 1 2/20"), said, "the same doubt");
    table.answered(1, 2, true, output);
    table.answered(1, 2, true, output);
    report(1, 10, 500, 2);
    report(2, 20, 400, 1);
    assertEquals(4, said.size(), "the chosen one has not heard of it yet");
  }

  @Test
  void aWaitWhoseEndWasLostHidesNoDeadlock() {
    report(1, 10, 500, 2, 3);
    report(3, 30, 300, 1); // over since, but nobody said so
    table.answered(1, 1, true, output);
    table.answered(1, 3, false, output);
    assertEquals(1, table.size());
    report(2, 20, 400, 1);
    report(1, 10, 500, 2, 3);
    table.answered(2, 1, true, output);
    table.answered(2, 2, true, output);
    assertEquals(
        "choose 1/10: Transaction 1 waits for row 10. Transaction 2 waits for row 20.",
        said.getLast());
  }

  @Test
  void aDoubtEndsWithTheWaitsThatItIsAbout() {
    report(1, 10, 500, 2);
    report(2, 20, 400, 1);
    report(2, 21, 400, 1);
    assertEquals(1, table.inDoubt());
    table.answered(1, 2, false, output);
    assertEquals(2, table.size(), "an answer about the wait before");
  }

  @Test
  void anOldReportDoesNotReplaceANewOneAndAnOldEndDoesNotEndIt() {
    report(1, 11, 500, 2);
    report(1, 10, 500, 3);
    table.over(1, 10);
    report(2, 20, 400, 1);
    assertEquals(List.of("ask 1 1/11", "ask 1 2/20"), said);
  }

  @Test
  void waitsOfANodeThatIsLostAreNoMembers() {
    long one = WaitNumber.first(1, 7);
    long two = WaitNumber.first(2, 7);
    report(one, 1, 500, two);
    table.forget(1);
    report(two, 1, 400, one);
    assertEquals(0, said.size());
    assertEquals(1, table.size());
  }

  @Test
  void waitNumbersCountWithinASession() {
    long first = WaitNumber.first(63, (1L << 30) - 1);
    assertEquals(63, WaitNumber.slot(first));
    assertEquals(63, WaitNumber.slot(WaitNumber.next(first)));
    assertEquals(first + 1, WaitNumber.next(first));
    assertEquals(first, WaitNumber.next(first | (1L << 28) - 1), "round");
  }

  /**
   * Transactions wait for each other at random, and their messages to and from the table are late.
   * A chosen one was in a cycle of waits that all stood at once, and every deadlock is resolved.
   */
  @Test
  void randomWaitsWithLateMessagesChooseOnlyMembersOfRealCyclesAndLeaveNone() {
    randomWaits(0);
  }

  /** As when the detector moves to another node and back. */
  @Test
  void soDoRandomWaitsOfWhichMessagesAreLost() {
    randomWaits(10);
  }

  private static void randomWaits(int lost) {
    long seed = Long.getLong("gauss.seed", System.nanoTime());
    for (int round = 0; round < 300; round++) {
      new Model(new Random(seed + round), lost, "-Dgauss.seed=" + (seed + round)).run();
    }
  }

  /** The actual waits, and the messages under way. */
  private static final class Model implements DeadlockTable.Output {
    private static final int TRANSACTIONS = 5;
    private final Random random;
    private final int lost; // messages to the table, per cent
    private final String seed;
    private final DeadlockTable table = new DeadlockTable();
    private final Map<Long, Long> holderOf = new HashMap<>(); // waiter -> holder
    private final Map<Long, Long> waitOf = new HashMap<>(); // waiter -> number of its wait
    private final Map<Long, ArrayDeque<Runnable>> toTable = new HashMap<>(); // in order per waiter
    private final Map<Long, ArrayDeque<Runnable>> toNode = new HashMap<>();
    private final Set<Long> deadlocked = new HashSet<>(); // waits that were in a cycle at some time
    private long waits;

    Model(Random random, int lost, String seed) {
      this.random = random;
      this.lost = lost;
      this.seed = seed;
      for (long i = 1; i <= TRANSACTIONS; i++) {
        toTable.put(i, new ArrayDeque<>());
        toNode.put(i, new ArrayDeque<>());
      }
    }

    void run() {
      for (int step = 0; step < 300; step++) {
        step(random.nextInt(100));
      }
      // Everything arrives, and transactions that still wait report again. A round finds at least
      // one of the waits that are over, or a victim.
      for (int i = 0; i < 2 * TRANSACTIONS + 1; i++) {
        holderOf.keySet().stream().sorted().toList().forEach(this::report);
        while (deliver(0)) {
          assertTrue(waits > 0, seed);
        }
      }
      assertTrue(cycleMembers().isEmpty(), () -> seed + ": a deadlock is left: " + holderOf);
    }

    private void step(int dice) {
      long waiter = 1L + random.nextInt(TRANSACTIONS);
      if (dice < 25) {
        long holder = 1L + random.nextInt(TRANSACTIONS);
        if (!holderOf.containsKey(waiter) && holder != waiter) {
          holderOf.put(waiter, holder);
          waitOf.put(waiter, ++waits);
          cycleMembers().forEach(member -> deadlocked.add(waitOf.get(member)));
          report(waiter);
        }
      } else if (dice < 40) {
        // A wait ends when its holder does, or by a timeout; for a member of a deadlock only the
        // timeout is left.
        end(waiter);
      } else {
        deliver(lost);
      }
    }

    private void report(long waiter) {
      long wait = waitOf.get(waiter);
      long[] holders = {holderOf.get(waiter)};
      toTable
          .get(waiter)
          .add(() -> table.report(waiter, wait, waiter, holders, "t" + waiter, "r", this));
    }

    private void end(long waiter) {
      if (holderOf.remove(waiter) != null) {
        long wait = waitOf.remove(waiter);
        toTable.get(waiter).add(() -> table.over(waiter, wait));
      }
    }

    /** One message arrives, or is lost on its way to the table. */
    private boolean deliver(int lostNow) {
      List<ArrayDeque<Runnable>> queues = new ArrayList<>();
      toTable.values().stream().filter(q -> !q.isEmpty()).forEach(queues::add);
      toNode.values().stream().filter(q -> !q.isEmpty()).forEach(queues::add);
      if (queues.isEmpty()) {
        return false;
      }
      ArrayDeque<Runnable> queue = queues.get(random.nextInt(queues.size()));
      Runnable message = queue.remove();
      if (!toTable.containsValue(queue) || random.nextInt(100) >= lostNow) {
        message.run();
      }
      return true;
    }

    private Set<Long> cycleMembers() {
      Set<Long> members = new HashSet<>();
      for (long start : holderOf.keySet()) {
        Long at = holderOf.get(start);
        for (int i = 0; i < TRANSACTIONS && at != null && at != start; i++) {
          at = holderOf.get(at);
        }
        if (at != null && at == start) {
          members.add(start);
        }
      }
      return members;
    }

    @Override
    public void ask(long question, long waiter, long wait) {
      toNode
          .get(waiter)
          .add(
              () -> {
                boolean stands = waitOf.getOrDefault(waiter, 0L) == wait;
                toTable.get(waiter).add(() -> table.answered(question, waiter, stands, this));
              });
    }

    @Override
    public void choose(long waiter, long wait, String detail) {
      assertTrue(
          deadlocked.contains(wait), () -> seed + ": " + waiter + " was in no cycle: " + detail);
      toNode
          .get(waiter)
          .add(
              () -> {
                if (waitOf.getOrDefault(waiter, 0L) == wait) {
                  end(waiter);
                }
              });
    }
  }
}
