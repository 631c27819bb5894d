package io.gauss.compute.buffer;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;

/**
 * The turns of local threads that waited for a page: other nodes get it when they have latched it,
 * or had the time for that.
 *
 * <p>A page stays until one of the threads that waited for it has used it (rule 46). That its time
 * is up is not enough: where threads wait for processors, each node would give the page away before
 * it had used it, and none would get on, however often the page came. Then the turn is over when no
 * thread has the page pinned, after a moment for threads that are about to, or after {@link
 * #TURN_NANOS}; pages that are kept with others have more time. Nobody notices when it ends unless
 * somebody else wants the page. So turns are looked at when that is so, and otherwise all together
 * and late: a look at each would be a timer, and would wake a thread, for every page that comes.
 *
 * <p>Belongs to one lane.
 */
final class PageTurns {
  /** The shortest turn, and the pause between two looks at a page that is wanted. */
  static final long LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

  /**
   * How long local threads that waited for a page have it before other nodes get it, once one of
   * them has used it.
   */
  static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /**
   * The longest time for which a page stays for a thread that needs several pages together, or for
   * one that waited for it and has not run since. The order of acquisition already excludes that
   * two nodes wait for each other, and the other thread waits for a processor only; so this limit
   * is for unforeseen cases and for threads that hang.
   */
  static final long KEEP_NANOS = TimeUnit.SECONDS.toNanos(5);

  /**
   * The time between two looks counts for no more than this part of that: when the process stood
   * still, no thread has had its turn meanwhile.
   */
  static final int LEAST_LOOKS = 16;

  /** A page that is wanted and stays is looked at again after this part of its time. */
  private static final int LOOK_PART = 64;

  /** How late the end of a turn that nobody waits for may be noticed. */
  static final long UNWANTED_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final LongSupplier nanoTime;
  private final Later later;
  private final LongPredicate isPinned;
  private final LongPredicate isKept;
  private final Map<Long, Turn> turns = new LinkedHashMap<>();
  private boolean looksLater;

  /** Runs an action on the lane, after a time. */
  @FunctionalInterface
  interface Later {
    void run(long nanos, Runnable action);
  }

  private static final class Turn {
    private final BooleanSupplier isOwed;
    private final Runnable over;
    private boolean wanted;
    private boolean wasOwed; // at the last look
    private long lastLook;
    private long stayed; // nanoseconds for whom it is owed or kept,
    private long had; // and for all others, from then on

    private Turn(long start, BooleanSupplier isOwed, Runnable over) {
      this.lastLook = start;
      this.isOwed = isOwed;
      this.over = over;
    }
  }

  /**
   * @param isPinned whether a local thread uses the page, or waits for its latch
   * @param isKept whether a thread retains it until it has others, too
   */
  PageTurns(LongSupplier nanoTime, Later later, LongPredicate isPinned, LongPredicate isKept) {
    this.nanoTime = nanoTime;
    this.later = later;
    this.isPinned = isPinned;
    this.isKept = isKept;
  }

  /**
   * The threads that waited for the page have been woken.
   *
   * @param isOwed whether none of them has used it yet, and some still want to
   * @param over run once, when their turn is over; not by this call
   */
  void begin(long page, BooleanSupplier isOwed, Runnable over) {
    turns.put(page, new Turn(nanoTime.getAsLong(), isOwed, over));
    if (!looksLater) {
      looksLater = true;
      later.run(UNWANTED_NANOS, this::lookAtAll);
    }
  }

  /** Somebody waits for the page: its turn ends as soon as may be, and perhaps at once. */
  void wanted(long page) {
    Turn turn = turns.get(page);
    if (turn != null && !turn.wanted && !end(page, turn)) {
      turn.wanted = true;
      lookSoon(page, turn);
    }
  }

  private void lookSoon(long page, Turn turn) {
    later.run(
        Math.max(LOOK_NANOS, turn.stayed / LOOK_PART),
        () -> {
          if (turns.get(page) == turn && !end(page, turn)) {
            lookSoon(page, turn);
          }
        });
  }

  private void lookAtAll() {
    looksLater = false;
    for (Map.Entry<Long, Turn> one : List.copyOf(turns.entrySet())) {
      if (turns.get(one.getKey()) == one.getValue()) { // no other turn has ended or replaced it
        end(one.getKey(), one.getValue());
      }
    }
    if (!turns.isEmpty() && !looksLater) {
      looksLater = true;
      later.run(UNWANTED_NANOS, this::lookAtAll);
    }
  }

  /** Ends the turn if it is over. */
  private boolean end(long page, Turn turn) {
    long now = nanoTime.getAsLong();
    long step = Math.min(now - turn.lastLook, KEEP_NANOS / LEAST_LOOKS);
    turn.lastLook = now;
    boolean continues;
    boolean isOwed = turn.isOwed.getAsBoolean();
    if (isOwed || isKept.test(page)) {
      turn.stayed += step;
      continues = turn.stayed < KEEP_NANOS;
    } else {
      turn.had += turn.wasOwed ? Math.min(step, LOOK_NANOS) : step; // it was used just now
      continues = turn.had < LOOK_NANOS || (turn.had < TURN_NANOS && isPinned.test(page));
    }
    turn.wasOwed = isOwed;
    if (continues) {
      return false;
    }
    turns.remove(page);
    turn.over.run();
    return true;
  }
}
