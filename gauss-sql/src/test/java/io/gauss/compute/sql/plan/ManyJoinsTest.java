package io.gauss.compute.sql.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** More tables than a set of them has bits: each is read once, and joined by its condition. */
class ManyJoinsTest {
  private final FixtureCatalog small = Fixtures.small();

  @ParameterizedTest
  @ValueSource(ints = {62, 63, 64, 65, 130})
  void areAllInThePlan(int tables) {
    StringBuilder sql = new StringBuilder("SELECT count(*) FROM t t0");
    for (int i = 1; i < tables; i++) {
      sql.append(" JOIN t t%d ON t%d.id = t%d.a + %d".formatted(i, i, i - 1, i));
    }
    String plan = Fixtures.explain(small, sql.toString()) + "\n";
    assertEquals(tables, count(plan, "Seq Scan on t\n"), plan);
    assertEquals(tables - 1, count(plan, "Hash Join\n"), plan);
  }

  private static int count(String text, String part) {
    int found = 0;
    for (int at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
      found++;
    }
    return found;
  }
}
