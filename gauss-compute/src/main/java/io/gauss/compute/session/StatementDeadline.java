package io.gauss.compute.session;

import io.gauss.common.error.SqlState;
import io.gauss.compute.wait.Interrupts;
import java.util.concurrent.Future;

/**
 * The time by which a message has to have ended (statement_timeout). A timer that fires at the very
 * end of its message interrupts nothing: the next one, which may run at once, has a deadline of its
 * own. {@link #passed} is called by the timer, the rest by the session.
 */
final class StatementDeadline {
  private final Interrupts interrupts;
  private Future<?> timer; // the session's
  private boolean isOver;
  private Interrupts.Request request; // null = the time is not up

  StatementDeadline(Interrupts interrupts) {
    this.interrupts = interrupts;
  }

  /** The timer is set. */
  void by(Future<?> set) {
    timer = set;
  }

  /** The time is up. */
  synchronized void passed() {
    if (!isOver) {
      request =
          interrupts.request(
              SqlState.QUERY_CANCELED, "canceling statement due to statement timeout");
    }
  }

  /**
   * Whether the time was up while nothing ran, between the messages of a group: what comes next has
   * a new one.
   */
  synchronized boolean isSpent() {
    return request != null && !interrupts.isPending(request);
  }

  /** The message has ended, in time or not. */
  void end() {
    timer.cancel(false);
    synchronized (this) {
      isOver = true;
      if (request != null) {
        interrupts.withdraw(request);
      }
    }
  }
}
