package io.gauss.compute.notify;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Transactions of this node that have looked who listens and are about to commit, by ticket, which
 * is the order in which they do; and what waits until those of a moment have gone.
 *
 * <p>Under the lock of {@link Notifications}.
 */
final class CommitTickets {
  private final Map<Long, Publication> underWay = new LinkedHashMap<>();
  private final List<Barrier> barriers = new ArrayList<>();
  private long last;

  /** An action for the time when no transaction up to a ticket is under way any more. */
  static final class Barrier {
    private final long through;
    private Runnable action; // null = done, or given up

    private Barrier(long through, Runnable action) {
      this.through = through;
      this.action = action;
    }

    /** Whether the transactions have gone, or nobody waits for that any more. */
    boolean isPast() {
      return action == null;
    }

    /** Nobody waits for it any more. */
    void giveUp() {
      action = null;
    }
  }

  long next() {
    return ++last;
  }

  void add(Publication publication) {
    underWay.put(publication.ticket, publication);
  }

  /** Null when it is not under way. */
  Publication find(long ticket) {
    return underWay.get(ticket);
  }

  /**
   * Transactions may commit when all have taken them, and those before them that somebody gets as
   * well have reserved their CSNs: so who gets both gets them in the order of their commits.
   */
  void check() {
    long before = 0;
    for (Publication publication : underWay.values()) {
      if (publication.waiting == 0 && (before & publication.receivers) == 0) {
        publication.ready().complete(null);
      }
      before |= publication.receivers;
    }
  }

  /** The transaction is not about to commit any more, but has, or never will. */
  void leave(Publication publication) {
    underWay.remove(publication.ticket);
    check();
    checkBarriers();
  }

  /** No answer of these nodes, by bits of their slots, is waited for any more. */
  void lost(long nodes) {
    underWay.values().forEach(publication -> publication.waiting &= ~nodes);
    check();
  }

  /** Runs the action when the transactions that are under way now have gone, maybe at once. */
  Barrier after(Runnable action) {
    Barrier barrier = new Barrier(last, action);
    barriers.add(barrier);
    checkBarriers();
    return barrier;
  }

  private void checkBarriers() {
    if (barriers.isEmpty()) {
      return;
    }
    long oldest = underWay.isEmpty() ? Long.MAX_VALUE : underWay.keySet().iterator().next();
    List<Runnable> due = new ArrayList<>();
    for (Iterator<Barrier> each = barriers.iterator(); each.hasNext(); ) {
      Barrier barrier = each.next();
      if (barrier.isPast()) {
        each.remove();
      } else if (oldest > barrier.through) {
        each.remove();
        due.add(barrier.action);
        barrier.giveUp();
      }
    }
    due.forEach(Runnable::run);
  }

  /** Number of actions that wait. */
  int waiting() {
    return barriers.size();
  }
}
