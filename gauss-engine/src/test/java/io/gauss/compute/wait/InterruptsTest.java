package io.gauss.compute.wait;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class InterruptsTest {
  private final Interrupts interrupts = new Interrupts();

  @Test
  void aRequestIsThrownOnce() {
    interrupts.request(SqlState.QUERY_CANCELED, "cancelled");
    GaussException thrown = assertThrows(GaussException.class, interrupts::check);
    assertEquals(SqlState.QUERY_CANCELED, thrown.state());
    assertEquals("cancelled", thrown.getMessage());
    assertDoesNotThrow(interrupts::check);
  }

  @Test
  void theLastOfTwoRequestsIsThrown() {
    interrupts.request(SqlState.QUERY_CANCELED, "cancelled");
    interrupts.request(SqlState.ADMIN_SHUTDOWN, "the node ends");
    GaussException thrown = assertThrows(GaussException.class, interrupts::check);
    assertEquals(SqlState.ADMIN_SHUTDOWN, thrown.state());
    assertEquals("the node ends", thrown.getMessage());
  }

  @Test
  void aRequestThatIsClearedIsNotThrown() {
    interrupts.request(SqlState.QUERY_CANCELED, "cancelled");
    interrupts.clear();
    assertDoesNotThrow(interrupts::check);
  }

  @Test
  void aRequestIsPendingUntilTheLastHoldIsReleased() {
    interrupts.hold();
    interrupts.hold();
    interrupts.request(SqlState.QUERY_CANCELED, "cancelled");
    assertDoesNotThrow(interrupts::check);
    interrupts.release();
    assertDoesNotThrow(interrupts::check);
    interrupts.release();
    assertThrows(GaussException.class, interrupts::check);
  }

  @Test
  void aRequestWakesTheThreadThatParks() throws InterruptedException {
    AtomicReference<Throwable> end = new AtomicReference<>();
    Thread session =
        Thread.ofPlatform()
            .start(
                () -> {
                  interrupts.wakes(Thread.currentThread());
                  try {
                    while (true) {
                      interrupts.check();
                      LockSupport.park(this);
                    }
                  } catch (GaussException e) {
                    end.set(e);
                  } finally {
                    interrupts.wakes(null);
                  }
                });
    interrupts.request(SqlState.QUERY_CANCELED, "cancelled");
    session.join(180_000);
    assertTrue(end.get() instanceof GaussException, "it was woken");
  }
}
