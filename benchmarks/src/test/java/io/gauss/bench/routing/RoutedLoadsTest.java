package io.gauss.bench.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.routing.statement.StatementReader;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class RoutedLoadsTest {
  private static final int MANY = 20_000;

  private final SplittableRandom random = new SplittableRandom(7);

  private double shareOfRanges(HotRanges load, IntPredicate wanted) {
    return IntStream.range(0, MANY).filter(i -> wanted.test(load.nextRange(random))).count()
        / (double) MANY;
  }

  @Test
  void aFifthOfTheRangesTakesFourFifthsOfTheLoad() {
    assertEquals(0.8, shareOfRanges(new HotRanges(10_000, 100), r -> r < 20), 0.02);
  }

  @Test
  void theHotSpotMovesByHalfOfTheRanges() {
    HotRanges load = new HotRanges(10_000, 100);
    load.moveHotSpot();
    assertEquals(0.8, shareOfRanges(load, r -> r >= 50 && r < 70), 0.02);
    load.moveHotSpot();
    assertEquals(0.8, shareOfRanges(load, r -> r < 20), 0.02);
  }

  @Test
  void keysOfARangeAreItsOwn() {
    HotRanges load = new HotRanges(1003, 7);
    for (int range = 0; range < 7; range++) {
      int first = 1003 * range / 7;
      int end = 1003 * (range + 1) / 7;
      for (int i = 0; i < 1000; i++) {
        int key = load.nextKey(range, random);
        assertTrue(key >= first && key < end, key + " in range " + range);
      }
    }
  }

  @Test
  void dealtKeysBelongToTenantsInTurn() {
    ScatteredKeys keys = new ScatteredKeys(ScatteredKeys.Order.DEALT, 600, 60);
    for (int id = 0; id < 600; id++) {
      assertEquals(id % 60, keys.tenant(id));
    }
  }

  @Test
  void shuffledKeysFillAllTenantsWithoutAnOrder() {
    ScatteredKeys keys = new ScatteredKeys(ScatteredKeys.Order.SHUFFLED, 60_000, 60);
    int[] members = new int[60];
    int neighbours = 0;
    for (int id = 0; id < 60_000; id++) {
      members[keys.tenant(id)]++;
      neighbours += id > 0 && keys.tenant(id) == keys.tenant(id - 1) ? 1 : 0;
    }
    for (int count : members) {
      assertEquals(1000, count);
    }
    assertEquals(1000, neighbours, 150); // one of sixty, at random
  }

  @Test
  void membersThatDoNotFillTheTenantsAreRefused() {
    assertThrows(
        IllegalArgumentException.class, () -> new ScatteredKeys(ScatteredKeys.Order.DEALT, 61, 60));
  }

  @Test
  void theMapperWritesFiveHundredStatements() {
    List<String> texts = new Orm(60).texts();
    assertEquals(Orm.TEMPLATES, Set.copyOf(texts).size());
    assertEquals(
        Orm.TEMPLATES,
        texts.stream().map(t -> StatementReader.read(t).template().id()).distinct().count());
  }

  @Test
  void theHotTenantHasHalfOfTheLoad() {
    Tenants load = new Tenants(20, 200, true);
    long hot = IntStream.range(0, MANY).filter(i -> load.nextTenant(random) == 0).count();
    assertEquals(0.525, hot / (double) MANY, 0.02);
    assertThrows(IllegalArgumentException.class, () -> new Tenants(3, 10, false));
  }

  @Test
  void smallBankDrawsItsTransactionsByWeight() {
    int[] counts = new int[SmallBank.KINDS.size()];
    for (int i = 0; i < MANY; i++) {
      counts[SmallBank.nextKind(random)]++;
    }
    for (int kind = 0; kind < counts.length; kind++) {
      double wanted = SmallBank.KINDS.get(kind).equals("send_payment") ? 0.25 : 0.15;
      assertEquals(wanted, counts[kind] / (double) MANY, 0.02, SmallBank.KINDS.get(kind));
    }
  }

  @Test
  void smallBankNamesCustomersAsBenchBaseDoes() {
    assertEquals(64, SmallBank.customerName(17).length());
    assertEquals(17, Integer.parseInt(SmallBank.customerName(17)));
    assertNotEquals(SmallBank.customerName(1), SmallBank.customerName(10));
  }
}
