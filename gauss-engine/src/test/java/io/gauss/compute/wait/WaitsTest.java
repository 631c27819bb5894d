package io.gauss.compute.wait;

import static io.gauss.common.invariant.InvariantsHold.expectBroken;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.mtr.EngineContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class WaitsTest {
  private final EngineContext ctx = new EngineContext(null);
  private final Waits waits = ctx.waits();

  @Test
  void law4NobodyWaitsWithALatchHeld() {
    ctx.latched();
    assertEquals(
        "law 4: about to wait with 1 latches held", expectBroken(waits::beforeWait).getMessage());
    ctx.unlatched();
    assertDoesNotThrow(waits::beforeWait);
  }

  @Test
  void noPageIsWaitedForBelowOneThatIsKept() {
    ctx.pageRetained(5);
    assertDoesNotThrow(() -> ctx.beforePage(6));
    expectBroken(() -> ctx.beforePage(5));
    ctx.pageReleased();
    assertDoesNotThrow(() -> ctx.beforePage(5));
  }

  @Test
  void whatIsReleasedTwiceIsFound() {
    expectBroken(new EngineContext(null)::unlatched);
    expectBroken(new EngineContext(null)::pageReleased);
  }

  @Test
  void onAnEventLoopNothingWaitsAndNothingTakesLong() {
    waits.mayBlock(false);
    assertThrows(WouldBlockException.class, waits::beforeWait);
    assertThrows(WouldBlockException.class, waits::longWork);
    waits.mayBlock(true);
    assertDoesNotThrow(waits::beforeWait);
    assertDoesNotThrow(waits::longWork);
  }

  @Test
  void anInterruptIsThrownBeforeAWaitAndAtABreath() {
    ctx.interrupts().request(SqlState.QUERY_CANCELED, "cancelled");
    assertThrows(GaussException.class, waits::beforeWait);
    ctx.interrupts().request(SqlState.QUERY_CANCELED, "cancelled");
    assertThrows(GaussException.class, waits::yieldCarrier);
  }

  @Test
  void timesAreCountedByCause() {
    waits.waited(WaitCause.PAGE, 3);
    waits.waited(WaitCause.LOG, 10);
    waits.waited(WaitCause.PAGE, 4);
    assertEquals(7, waits.waitedNanos(WaitCause.PAGE));
    assertEquals(10, waits.waitedNanos(WaitCause.LOG));
    assertEquals(0, waits.waitedNanos(WaitCause.ROW));
    assertEquals(4, waits.lastNanos());
  }

  @Test
  void anotherThreadSeesWhatIsWaitedForAndEndsTheWait() throws InterruptedException {
    AtomicReference<Throwable> end = new AtomicReference<>();
    Thread session =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    Parking.awaitDone(ctx, WaitCause.LOG, new CompletableFuture<>());
                  } catch (GaussException e) {
                    end.set(e);
                  }
                });
    CurrentWait seen;
    while ((seen = waits.current()) == null) {
      Thread.onSpinWait();
    }
    assertEquals("log", seen.cause());
    assertTrue(seen.nanos() >= 0, seen::toString);
    ctx.interrupts().request(SqlState.QUERY_CANCELED, "cancelled");
    session.join(180_000);
    assertTrue(end.get() instanceof GaussException, "the wait was ended");
    assertNull(waits.current());
  }
}
