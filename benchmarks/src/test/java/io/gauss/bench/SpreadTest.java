package io.gauss.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

final class SpreadTest {
  @Test
  void theMedianOfAnEvenNumberIsTheMeanOfTheMiddle() {
    assertEquals(Optional.of(new Spread(2.5, 1, 4)), Spread.of(DoubleStream.of(4, 1, 3, 2)));
    assertEquals(Optional.of(new Spread(3, 1, 9)), Spread.of(DoubleStream.of(9, 1, 3)));
  }

  @Test
  void whatIsUnknownIsLeftOut() {
    assertEquals(Optional.of(new Spread(7, 7, 7)), Spread.of(DoubleStream.of(Double.NaN, 7)));
    assertEquals(Optional.empty(), Spread.of(DoubleStream.of(Double.NaN)));
  }

  @Test
  void changesHaveSigns() {
    assertEquals("-1.25 (-3.00 to +0.50)", new Spread(-1.25, -3, 0.5).shownAsChange(2));
    assertEquals("2 (1 to 4)", new Spread(2.25, 1, 4).shown(0));
  }
}
