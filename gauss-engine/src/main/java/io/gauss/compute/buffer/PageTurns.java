package io.gauss.compute.buffer;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;

/**
 * The turns of local threads that waited for a page: other nodes get it when they have latched it,
 * or had the time for that.
 *
 * <p>A turn is over when no thread has the page pinned, after a moment for threads that are about
 * to, or after {@link #TURN_NANOS}; pages that are kept with others have more time. Nobody notices
 * when it ends unless somebody else wants the page. So turns are looked at when that is so, and
 * otherwise all together and late: a look at each would be a timer, and would wake a thread, for
 * every page that comes.
 *
 * <p>Belongs to one lane.
 */
final class PageTurns {
  /** The shortest turn, and the pause between two looks at a page that is wanted. */
  static final long LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

  /** How long local threads that waited for a page have it before other nodes get it. */
  static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /**
   * The longest time for which a thread that needs several pages together retains those it has. The
   * order of acquisition already excludes that two nodes wait for each other, so this limit is for
   * unforeseen cases and for nodes that hang.
   */
  static final long KEEP_NANOS = TimeUnit.SECONDS.toNanos(5);

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
    private final long start;
    private final Runnable over;
    private boolean wanted;

    private Turn(long start, Runnable over) {
      this.start = start;
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
   * @param over run once, when their turn is over; not by this call
   */
  void begin(long page, Runnable over) {
    turns.put(page, new Turn(nanoTime.getAsLong(), over));
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
        LOOK_NANOS,
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
    long had = nanoTime.getAsLong() - turn.start;
    boolean continues =
        isKept.test(page)
            ? had < KEEP_NANOS
            : had < LOOK_NANOS || (had < TURN_NANOS && isPinned.test(page));
    if (continues) {
      return false;
    }
    turns.remove(page);
    turn.over.run();
    return true;
  }
}
