package io.gauss.compute.pgwire;

import io.gauss.common.error.GaussException;
import io.gauss.common.runtime.Environment;
import io.gauss.compute.session.FatalSessionException;
import io.gauss.compute.session.Session;
import java.util.concurrent.TimeUnit;

/**
 * The answer of one connection that waits for the {@link AnswerGate}. For the thread that has the
 * connection, save {@link #isHolding}.
 */
final class AnswerHold {
  /** An answer that is held is late already: checking often would only waste CPU time. */
  static final long LOOK_MILLIS = 20;

  private final AnswerGate gate;
  private long since;

  /** Written by whoever has the connection, read by any thread. */
  private volatile boolean holding;

  AnswerHold(AnswerGate gate) {
    this.gate = gate;
  }

  boolean mayTell() {
    if (gate.isOpen()) {
      if (holding) { // asked before every answer, where a volatile write would be felt
        holding = false;
      }
      return true;
    }
    return false;
  }

  boolean isHolding() {
    return holding;
  }

  /**
   * After {@link #mayTell} has returned false: whether to ask again, a little later.
   *
   * @param hasGivenUp the answer is that of a statement that has waited in vain for as long as
   *     answers are held: the client has waited long enough
   */
  boolean isWorthIt(boolean hasGivenUp) {
    long now = Environment.nanoTime();
    if (!holding) {
      holding = true;
      since = now;
    }
    return !hasGivenUp && now - since < gate.patienceNanos();
  }

  GaussException why() {
    return gate.why();
  }

  /**
   * Waits on a virtual thread until an answer may leave.
   *
   * @param hasGivenUp see {@link #isWorthIt}
   * @throws FatalSessionException when it must not
   * @throws GaussException when the session is interrupted
   */
  void await(Session session, boolean hasGivenUp) {
    while (!mayTell()) {
      if (!isWorthIt(hasGivenUp)) {
        throw new FatalSessionException(why());
      }
      session.checkInterrupt();
      Environment.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS));
    }
  }
}
