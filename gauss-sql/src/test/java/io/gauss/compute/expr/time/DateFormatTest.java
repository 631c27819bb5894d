package io.gauss.compute.expr.time;

import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Test;

class DateFormatTest {
  /** All sessions share those that are kept, and nothing but their number is bounded. */
  @Test
  void onlyShortTemplatesAreKept() {
    assertSame(DateFormat.of("YYYY-MM-DD"), DateFormat.of("YYYY-MM-DD"));
    String longer = "YYYY".repeat(1000);
    assertNotSame(DateFormat.of(longer), DateFormat.of(longer));
  }
}
