package io.gauss.compute.session;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.wait.Interrupts;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Whom the end of a message's time interrupts. */
class StatementDeadlineTest {
  private final Interrupts interrupts = new Interrupts();
  private final StatementDeadline deadline = new StatementDeadline(interrupts);

  StatementDeadlineTest() {
    deadline.by(new CompletableFuture<>());
  }

  @Test
  void aMessageThatTakesTooLongIsInterrupted() {
    deadline.passed();
    GaussException error = assertThrows(GaussException.class, interrupts::check);
    assertEquals(SqlState.QUERY_CANCELED, error.state());
    deadline.end();
  }

  /** Its client may have sent another one, which runs at once. */
  @Test
  void theNextMessageIsNotInterruptedByATimerThatFiresAtTheEnd() {
    deadline.passed();
    deadline.end();
    assertDoesNotThrow(interrupts::check);
  }

  @Test
  void norByOneThatFiresLater() {
    deadline.end();
    deadline.passed();
    assertDoesNotThrow(interrupts::check);
  }

  /** A client may take its time between Parse and Execute. */
  @Test
  void aTimeThatWasUpWhileNothingRanIsSpent() {
    assertFalse(deadline.isSpent());
    deadline.passed();
    assertFalse(deadline.isSpent(), "what runs has not been stopped yet");
    interrupts.clear();
    assertTrue(deadline.isSpent());
  }

  @Test
  void otherRequestsStay() {
    deadline.passed();
    interrupts.request(SqlState.ADMIN_SHUTDOWN, "the node ends");
    deadline.end();
    GaussException error = assertThrows(GaussException.class, interrupts::check);
    assertEquals(SqlState.ADMIN_SHUTDOWN, error.state());
  }
}
