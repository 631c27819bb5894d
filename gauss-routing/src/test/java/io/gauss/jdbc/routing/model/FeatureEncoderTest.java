package io.gauss.jdbc.routing.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class FeatureEncoderTest {
  private final FeatureEncoder encoder =
      new FeatureEncoder(
          List.of(
              new ColumnProfile(
                  "t.id", ColumnProfile.Kind.NUMBER, "", new double[] {0, 50, 1000}, 900, true),
              new ColumnProfile(
                  "t.name", ColumnProfile.Kind.TEXT, "user", new double[] {0, 1L << 47}, 9, false)),
          List.of(new ModelTemplate(11, new int[] {0, 1}), new ModelTemplate(12, new int[] {-1})));

  @Test
  void aValueIsItsPlaceAmongTheColumnsValues() {
    float[] input = new float[encoder.width()];
    encoder.encode(0, new int[] {0, 2}, new Object[] {50L, "user1"}, input);
    assertEquals(1, input[0]);
    assertEquals(0, input[1]);
    int id = 2;
    int name = 2 + FeatureEncoder.BLOCK;
    assertEquals(1, input[id]);
    assertEquals(0.5f, input[id + 1]);
    assertEquals(1, input[id + 3]);
    assertEquals(1, input[name + 5]);
    assertEquals(1, input[id + 7], 1e-6); // sin(pi / 2)
    assertEquals(0, input[id + 8], 1e-6);
    assertEquals(1, input[id + 28], 1e-6); // 50 is even: cos(2 pi 50 / 2) is 1
  }

  /** Of any period, not only of some. */
  @Test
  void remaindersByAColumnsPeriodAreFarApart() {
    for (int period : new int[] {11, 61}) {
      FeatureEncoder of =
          new FeatureEncoder(
              List.of(
                  new ColumnProfile(
                      "t.id",
                      ColumnProfile.Kind.NUMBER,
                      "",
                      new double[] {0, 1e9},
                      1e9,
                      true,
                      period)),
              List.of(new ModelTemplate(11, new int[] {0})));
      float[][] inputs = new float[2 * period][of.width()];
      for (int i = 0; i < inputs.length; i++) {
        of.encode(0, new int[] {0}, new Object[] {500_000_000L + i}, inputs[i]);
      }
      for (int i = 1; i < inputs.length; i++) {
        double distance = 0;
        for (int k = 28; k < 44; k++) {
          distance += Math.pow(inputs[i][k] - inputs[0][k], 2);
        }
        assertEquals(i == period, distance < 1, period + ": " + i + " is " + distance + " away");
      }
    }
  }

  @Test
  void numbersInStringsAreNumbersWhereTheColumnHoldsThem() {
    assertEquals(
        encoder.quantised(0, new Object[] {50L, null}),
        encoder.quantised(0, new Object[] {" 50", null}));
    assertNotEquals(
        encoder.quantised(0, new Object[] {50L, null}),
        encoder.quantised(0, new Object[] {51L, null}));
  }

  @Test
  void whatIsNotKnownTellsNothing() {
    assertEquals(-1, encoder.place(13, 1));
    assertEquals(-1, encoder.place(11, 1));
    assertEquals(0, encoder.place(11, 2));
    assertTrue(encoder.tells(0, new Object[] {1L, null}));
    assertFalse(encoder.tells(0, new Object[] {null, null}));
    assertFalse(encoder.tells(0, new Object[] {"x", null}));
    assertFalse(encoder.tells(1, new Object[] {1L}));
  }

  @Test
  void textIsOrderedBehindItsPrefix() {
    assertTrue(ColumnProfile.text("user10", "user") < ColumnProfile.text("user2", "user"));
    assertTrue(ColumnProfile.text("abc", "user") < ColumnProfile.text("user", "user") + 1);
    assertTrue(ColumnProfile.text("zzz", "user") > ColumnProfile.text("user9999999", "user"));
  }
}
