package io.gauss.common.invariant;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class InvariantsHoldTest {
  @Test
  void aTestFailsByAnInvariantThatBrokeOnAnotherThreadAndWasSwallowedThere() {
    CompletableFuture.runAsync(() -> Invariant.check(false, "swallowed"))
        .exceptionally(error -> null)
        .join();
    AssertionError failure =
        assertThrows(AssertionError.class, () -> InvariantsHold.check("in this test"));
    assertEquals("swallowed", failure.getCause().getMessage());
  }

  @Test
  void allThatBrokeAreShown() {
    for (int i = 0; i < 3; i++) {
      Invariant.broken("number " + i);
    }
    AssertionError failure =
        assertThrows(AssertionError.class, () -> InvariantsHold.check("in this test"));
    assertTrue(failure.getMessage().startsWith("3 "), failure.getMessage());
    assertEquals("number 2", failure.getSuppressed()[1].getMessage());
  }

  @Test
  void whatBrokeBeforeIsNotForgivenByAnExpectation() {
    BrokenInvariant before = Invariant.broken("before");
    assertEquals(
        "expected",
        InvariantsHold.expectBroken(() -> Invariant.check(false, "expected")).getMessage());
    AssertionError failure =
        assertThrows(AssertionError.class, () -> InvariantsHold.check("in this test"));
    assertSame(before, failure.getCause());
  }

  @Test
  void nothingIsSaidWhenAllHold() {
    InvariantsHold.check("in this test");
  }
}
