package io.gauss.jdbc;

import io.gauss.jdbc.cluster.NodeConnection;
import io.gauss.jdbc.text.Effect;
import io.gauss.jdbc.text.SessionCommands;
import io.gauss.jdbc.text.StatementText;
import java.util.ArrayList;
import java.util.List;

/**
 * The application's transaction, as a state machine: events are what was sent together with what
 * the server has reported since. No I/O. For one thread at a time.
 *
 * <pre>
 *          answered, open         answered, none open   broke                  rolled back
 * NONE     BEGUN or BOUND         NONE                  NONE, or LOST *        NONE
 * BEGUN    BEGUN or BOUND         NONE                  LOST, or NONE **       NONE
 * BOUND    BOUND                  NONE                  LOST, or NONE **       NONE
 * LOST     -                      -                     -                      NONE
 * </pre>
 *
 * <p>BEGUN as long as all that was done can be repeated on another node. (*) LOST without
 * autocommit: the application is in a transaction. (**) NONE when what was sent would have ended
 * the transaction.
 */
final class LogicalTransaction {
  /** Where a transaction stands. */
  enum Phase {
    /** None is open. The next statement may go to any node. */
    NONE,
    /** Open, but what it has done can be repeated: it may be moved. */
    BEGUN,
    /** Open, and stays where it is. */
    BOUND,
    /** It was lost with its connection, and the application has not rolled it back yet. */
    LOST
  }

  private final Trail trail;
  private final List<String> prelude = new ArrayList<>(2);
  private Phase phase = Phase.NONE;

  LogicalTransaction(Trail trail) {
    this.trail = trail;
  }

  Phase phase() {
    return phase;
  }

  boolean isOpen() {
    return phase == Phase.BEGUN || phase == Phase.BOUND;
  }

  boolean isLost() {
    return phase == Phase.LOST;
  }

  /** Of BEGUN: the statements that make on another node what was done. */
  List<String> prelude() {
    return List.copyOf(prelude);
  }

  /**
   * What is known from the connection before a call: by an unwrapped connection or a function the
   * transaction may have ended, or begun, unseen.
   */
  void look(NodeConnection on) {
    boolean isOpen = !on.isIdle();
    if (isOpen() && !isOpen) {
      trail.ended(Trail.Outcome.UNKNOWN, on);
      none();
    } else if (phase == Phase.NONE && isOpen) {
      phase = Phase.BOUND;
    }
  }

  /**
   * The server has executed a text.
   *
   * @param wasOpen a transaction was open before, or was begun for it
   * @param hadFailed the transaction could only be rolled back
   * @param toldNothing the text does not show where the transaction belongs
   * @param on where it was executed
   */
  void answered(
      StatementText text,
      boolean wasOpen,
      boolean hadFailed,
      boolean toldNothing,
      NodeConnection on) {
    boolean isOpen = wasOpen;
    boolean failed = hadFailed;
    for (Effect effect : text.effects()) {
      if (effect instanceof Effect.Begin) {
        isOpen = true;
      } else if (effect instanceof Effect.End end) {
        if (isOpen) {
          boolean isCommitted = end.isCommit() && !failed;
          trail.ended(isCommitted ? Trail.Outcome.COMMITTED : Trail.Outcome.ROLLED_BACK, on);
        }
        isOpen &= end.isChained();
        failed = false;
      } else if (effect instanceof Effect.Savepoint savepoint) {
        trail.savepoint(savepoint.name());
      } else if (effect instanceof Effect.Release release) {
        trail.release(release.name());
      } else if (effect instanceof Effect.RollbackTo to) {
        trail.rollbackTo(to.name());
        failed = false;
      } else {
        trail.apply(effect, isOpen, on);
      }
    }
    boolean isOpenNow = !on.isIdle();
    if (isOpen && !isOpenNow) {
      trail.ended(Trail.Outcome.UNKNOWN, on);
    }
    if (!isOpenNow) {
      none();
    } else if (phase != Phase.BOUND && text.isRepeatable() && toldNothing) {
      phase = Phase.BEGUN;
      text.effects().forEach(this::note);
    } else {
      bound();
    }
  }

  private void note(Effect effect) {
    if (effect instanceof Effect.Begin begin) {
      prelude.add(begin.text());
    } else if (effect instanceof Effect.Set set) {
      prelude.add(set.text());
    } else if (effect instanceof Effect.ForTransaction own) {
      prelude.add(own.text());
    } else if (effect instanceof Effect.Savepoint savepoint) {
      prelude.add(savepoint.text());
    } else if (effect instanceof Effect.Release release) {
      prelude.add(release.text());
    } else if (effect instanceof Effect.RollbackTo to) {
      prelude.add(to.text());
    }
  }

  /** A text has failed, and the connection has not. */
  void failed(StatementText text, boolean wasOpen, NodeConnection on) {
    boolean isOpen = !on.isIdle();
    if (!text.isAtomic()) {
      trail.unsure(text.effects()); // it may have been executed in part
    } else if (text.takesSessionsLocks()) {
      trail.pin(SessionCommands.ADVISORY); // no error takes back what it has taken before
    }
    if (!text.isSingle()) {
      trail.outlives(text.effects());
    }
    if (wasOpen && !isOpen) {
      trail.ended(text.isAtomic() ? Trail.Outcome.ROLLED_BACK : Trail.Outcome.UNKNOWN, on);
    }
    if (isOpen) {
      bound();
    } else {
      none();
    }
  }

  /** A call other than a text may have begun a transaction, which it binds unless it only asks. */
  void called(boolean binds, NodeConnection on) {
    if (on.isIdle()) {
      return;
    }
    if (binds) {
      bound();
    } else if (phase == Phase.NONE) {
      phase = Phase.BEGUN;
    }
  }

  /** The whole transaction has ended, by a call of JDBC. */
  void ended(Trail.Outcome outcome, NodeConnection on) {
    trail.ended(outcome, on);
    none();
  }

  /**
   * The connection broke.
   *
   * @param text what was under way
   * @param wasOpen a transaction was open, or was begun for it
   */
  void broke(StatementText text, boolean wasOpen) {
    trail.clear();
    none();
    if (wasOpen && text.leavesOpen(true)) {
      phase = Phase.LOST;
    }
  }

  /** The application knows that it is lost. */
  void rolledBack() {
    none();
  }

  private void bound() {
    phase = Phase.BOUND;
    prelude.clear();
  }

  private void none() {
    phase = Phase.NONE;
    prelude.clear();
  }
}
