package io.gauss.storage.raft.stream;

import io.gauss.storage.raft.stream.Subscriptions.Subscription;
import io.gauss.storage.wire.LogHold;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Since when subscriptions keep a stream's log as of where they are. A subscription at the stream's
 * end keeps nothing; it begins to with the next append.
 *
 * <p>Written by the one thread that applies entries; read by any.
 */
final class LogHolds {
  /**
   * A subscription at an offset.
   *
   * @param holds whether there was something at or behind that offset when it was looked at last
   * @param since when that was first so, by the clock
   */
  private record Mark(Subscription of, boolean holds, long since) {}

  private final LongSupplier clock;
  private Subscriptions seen = Subscriptions.NONE;
  private boolean allHold = true;
  private volatile List<Mark> marks = List.of();

  /**
   * @param clock nanoseconds, monotonic
   */
  LogHolds(LongSupplier clock) {
    this.clock = clock;
  }

  /** An entry was applied, or a snapshot restored. */
  void applied(Subscriptions now, long end) {
    if (now == seen && allHold) {
      return;
    }
    List<Mark> next = new ArrayList<>();
    boolean all = true;
    for (Subscription each : now.all()) {
      boolean holds = each.from() < end;
      Mark before = mark(each.node());
      boolean same = before != null && before.holds() && before.of().from() == each.from();
      next.add(new Mark(each, holds, same ? before.since() : clock.getAsLong()));
      all &= holds;
    }
    seen = now;
    allHold = all;
    marks = List.copyOf(next);
  }

  private Mark mark(int node) {
    for (Mark mark : marks) {
      if (mark.of().node() == node) {
        return mark;
      }
    }
    return null;
  }

  /** What is kept now, ascending by node. */
  List<LogHold> all(long end) {
    long now = clock.getAsLong();
    List<LogHold> all = new ArrayList<>();
    for (Mark mark : marks) {
      Subscription of = mark.of();
      if (mark.holds() && of.from() < end) {
        all.add(
            new LogHold(of.node(), of.tenure(), of.from(), end - of.from(), now - mark.since()));
      }
    }
    return all;
  }
}
