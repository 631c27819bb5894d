package io.gauss.compute.pgwire;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** For how long an answer is held while its node may not answer. */
class AnswerHoldTest {
  private final Gate gate = new Gate();
  private final AnswerHold hold = new AnswerHold(gate);

  private static final class Gate implements AnswerGate {
    private boolean isOpen;

    @Override
    public boolean isOpen() {
      return isOpen;
    }

    @Override
    public long patienceNanos() {
      return TimeUnit.HOURS.toNanos(1);
    }

    @Override
    public GaussException why() {
      return new GaussException(SqlState.CANNOT_CONNECT_NOW, "no lease");
    }
  }

  private static GaussException error(SqlState state) {
    return new GaussException(state, "an error");
  }

  @Test
  void anAnswerIsHeldUntilTheGateOpens() {
    assertFalse(hold.mayTell());
    assertTrue(hold.isWorthIt(false));
    assertTrue(hold.isHolding());
    gate.isOpen = true;
    assertTrue(hold.mayTell());
    assertFalse(hold.isHolding());
  }

  /** Its client would wait for twice the time that is documented. */
  @Test
  void aStatementThatHasWaitedInVainIsNotHeldAsWell() {
    BackendWriter out = new BackendWriter(null);
    out.error("ERROR", error(SqlState.UNIQUE_VIOLATION));
    assertFalse(out.hasGivenUp());
    out.error("ERROR", error(SqlState.CANNOT_CONNECT_NOW));
    assertTrue(out.hasGivenUp());
    assertFalse(hold.mayTell());
    assertFalse(hold.isWorthIt(out.hasGivenUp()));
    out.discard();
    assertFalse(out.hasGivenUp());
  }
}
