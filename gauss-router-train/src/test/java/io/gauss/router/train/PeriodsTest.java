package io.gauss.router.train;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

class PeriodsTest {
  private final Random random = new Random(3);

  private int period(int samples, IntUnaryOperator node) {
    double[] values = new double[samples];
    List<Integer> homes = new ArrayList<>();
    for (int i = 0; i < samples; i++) {
      int value = random.nextInt(1_000_000);
      values[i] = value;
      homes.add(node.applyAsInt(value));
    }
    return Periods.of(values, homes);
  }

  /** The node of the remainder's tenant, in no order. */
  private static int nodeOf(int tenant) {
    return 1 + new Random(tenant * 7919L).nextInt(1000) % 3;
  }

  @Test
  void thePeriodIsTheNumberOfTenants() {
    for (int tenants : new int[] {7, 11, 61, 127}) {
      assertEquals(tenants, period(4000, value -> nodeOf(value % tenants)), tenants + " tenants");
    }
  }

  @Test
  void someThatAreElsewhereDoNotHideIt() {
    assertEquals(
        61,
        period(
            8000, value -> random.nextInt(10) == 0 ? 1 + random.nextInt(3) : nodeOf(value % 61)));
  }

  @Test
  void whereThereIsNoneNoneIsFound() {
    assertEquals(0, period(4000, value -> nodeOf(value)));
    assertEquals(0, period(4000, value -> value / 400_000 + 1), "ranges");
    assertEquals(0, period(4000, value -> 1));
    assertEquals(0, period(1, value -> 1));
  }
}
