package io.gauss.common.invariant;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class InvariantTest {
  @Test
  void whatHoldsIsNotTold() {
    Invariant.check(true, "a");
    Invariant.check(true, "a {}", 1);
    Invariant.check(true, "a {} {}", 1, 2);
    Invariant.check(true, "a {} {} {}", 1, 2, 3);
    Invariant.check(true, "a {}", "b");
    Invariant.check(true, "a {} {}", "b", "c");
  }

  @Test
  void theMessageHasItsArguments() {
    assertEquals("plain", message(() -> Invariant.check(false, "plain")));
    assertEquals("1 of 7", message(() -> Invariant.check(false, "{} of 7", 1)));
    assertEquals("1 of 7", message(() -> Invariant.check(false, "{} of {}", 1, 7)));
    assertEquals("1, 2, 3.", message(() -> Invariant.check(false, "{}, {}, {}.", 1, 2, 3)));
    assertEquals("no b", message(() -> Invariant.check(false, "no {}", "b")));
    assertEquals("no null at c", message(() -> Invariant.check(false, "no {} at {}", null, "c")));
    assertEquals("too few 1", message(() -> Invariant.check(false, "too few", 1)));
  }

  @Test
  void theHandlerIsToldAlsoWhenADispatcherSwallowsTheError() {
    BrokenInvariant found =
        InvariantsHold.expectBroken(
            () ->
                CompletableFuture.runAsync(() -> Invariant.check(false, "on another thread"))
                    .exceptionally(error -> null)
                    .join());
    assertEquals("on another thread", found.getMessage());
  }

  @Test
  void theHandlerIsToldBeforeTheErrorIsThrown() {
    StringBuilder order = new StringBuilder();
    Invariant.Handler before = Invariant.install(found -> order.append("told "));
    try {
      Invariant.check(false, "x");
    } catch (BrokenInvariant e) {
      order.append("thrown");
    } finally {
      Invariant.install(before);
    }
    assertEquals("told thrown", order.toString());
  }

  @Test
  void oneThatCausesAnotherIsToldOnce() {
    BrokenInvariant[] seen = new BrokenInvariant[2];
    InvariantsHold.expectBroken(
        () -> {
          seen[0] = Invariant.broken("first");
          seen[1] = Invariant.broken("second", seen[0]);
        });
    assertSame(seen[0], seen[1]);
  }

  @Test
  void aTestThatExpectsABrokenInvariantFailsWithoutOne() {
    assertThrows(AssertionError.class, () -> InvariantsHold.expectBroken(() -> {}));
  }

  private static String message(InvariantsHold.Body body) {
    return InvariantsHold.expectBroken(body).getMessage();
  }
}
