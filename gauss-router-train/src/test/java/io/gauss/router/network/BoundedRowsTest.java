package io.gauss.router.network;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class BoundedRowsTest {
  private static final int WIDTH = 1000;
  private static final int ROW = 12 + (WIDTH + 1) * 6;
  private static final int ROWS = 4000;

  /** Every other row is of another kind. */
  private static TrainingRows rows(BoundedRows rows) {
    float[] input = new float[WIDTH];
    for (int i = 0; i < ROWS; i++) {
      Arrays.fill(input, 1 + i % 2);
      rows.add(1 + i % 2, input, new float[] {1});
    }
    return rows.build();
  }

  @Test
  void allRowsAreKeptWhereThereIsRoom() {
    BoundedRows all = new BoundedRows(WIDTH, 1, (long) ROWS * ROW, 1);
    assertEquals(ROWS, rows(all).size());
    assertEquals(0, all.dropped());
  }

  @Test
  void ofTooManyAnEvenShareIsKept() {
    BoundedRows some = new BoundedRows(WIDTH, 1, 1000L * ROW, 1);
    TrainingRows kept = rows(some);
    assertEquals(ROWS, kept.size() + some.dropped());
    assertTrue(kept.size() > 400 && kept.size() <= 1000, kept.size() + " rows");
    double weights = 0;
    for (int row = 0; row < kept.size(); row++) {
      weights += kept.weight(row);
      assertEquals(kept.weight(row), kept.input(row).values()[0]);
    }
    assertEquals(1.5, weights / kept.size(), 0.1, "of both kinds as many");
  }

  @Test
  void oneRowIsAlwaysKept() {
    BoundedRows some = new BoundedRows(WIDTH, 1, 1, 1);
    assertEquals(1, rows(some).size());
  }
}
