package io.gauss.compute.keys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.keys.LeadingColumn.Bound;
import io.gauss.compute.type.PgType;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LeadingColumnTest {
  private static final List<PgType> NUMBERS =
      List.of(
          PgType.INT2,
          PgType.INT4,
          PgType.INT8,
          PgType.OID,
          PgType.DATE,
          PgType.TIMESTAMP,
          PgType.TIMESTAMPTZ);

  private static byte[] encode(PgType type, String text) {
    return new LeadingColumn(type).encode(text);
  }

  private static Bound decode(PgType type, byte[] key) {
    return new LeadingColumn(type).decode(key);
  }

  private static long day(long days) {
    return days * 86_400_000_000L;
  }

  @Test
  void valuesComeBackAsDriversSeeThem() {
    for (String number : List.of("0", "1", "-1", "32767", "-32768")) {
      for (PgType type : List.of(PgType.INT2, PgType.INT4, PgType.INT8)) {
        assertEquals(new Bound(Long.parseLong(number), false), decode(type, encode(type, number)));
      }
    }
    String micros = "" + day(20_000);
    for (PgType type : List.of(PgType.DATE, PgType.TIMESTAMP, PgType.TIMESTAMPTZ)) {
      assertEquals(new Bound(day(20_000), false), decode(type, encode(type, micros)));
    }
    for (PgType type : List.of(PgType.TEXT, PgType.VARCHAR, PgType.BPCHAR, PgType.NAME)) {
      assertEquals(new Bound("Äpfel", false), decode(type, encode(type, "Äpfel")));
    }
    String uuid = "0123e567-e89b-12d3-a456-426614174000";
    assertEquals(new Bound(uuid, false), decode(PgType.UUID, encode(PgType.UUID, uuid)));
  }

  @Test
  void whatIsNoValueOfTheTypeIsNoKey() {
    assertNull(encode(PgType.INT4, "4000000000"));
    assertNull(encode(PgType.INT2, "-40000"));
    assertNull(encode(PgType.OID, "-1"));
    assertNull(encode(PgType.INT8, "seven"));
    assertNull(encode(PgType.DATE, "2026-11-28"));
    assertNull(encode(PgType.UUID, "no uuid"));
    assertFalse(new LeadingColumn(PgType.FLOAT8).isTold());
    assertFalse(new LeadingColumn(PgType.BYTEA).isTold());
    assertTrue(new LeadingColumn(PgType.UUID).isTold());
  }

  @Test
  void infiniteTimesAreTheExtremes() {
    assertEquals(
        Long.MAX_VALUE,
        decode(PgType.TIMESTAMP, new byte[] {-1, -1, -1, -1, -1, -1, -1, -1}).value());
    assertTrue((long) decode(PgType.DATE, new byte[] {-1, -1, -1, -1}).value() > day(100_000_000));
    assertTrue((long) decode(PgType.DATE, new byte[4]).value() < day(-100_000_000));
  }

  /** A separator stands for the least key that begins with it, in the order of the values. */
  @Test
  void separatorsOfAnyLengthKeepTheOrder() {
    long seed = new SplittableRandom().nextLong();
    System.out.println("seed " + seed);
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 2000; i++) {
      PgType type = NUMBERS.get(random.nextInt(NUMBERS.size()));
      long low = type.is(PgType.OID) ? 0 : -32_768;
      long unit = type.is(PgType.DATE) ? day(1) : 1;
      byte[] a = encode(type, "" + unit * random.nextLong(low, 32_768));
      byte[] b = encode(type, "" + unit * random.nextLong(low, 32_768));
      byte[] separator = Arrays.copyOf(b, 1 + random.nextInt(b.length));
      long least = (long) decode(type, separator).value();
      assertEquals(
          Arrays.compareUnsigned(a, separator) < 0,
          (long) decode(type, a).value() < least,
          type.name());
    }
  }

  /** A separator may end in the middle of a character. */
  @Test
  void separatorsOfTextsKeepTheOrder() {
    long seed = new SplittableRandom().nextLong();
    System.out.println("seed " + seed);
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 20_000; i++) {
      byte[] a = encode(PgType.TEXT, text(random));
      byte[] b = encode(PgType.TEXT, text(random));
      byte[] separator = Arrays.copyOf(b, 1 + random.nextInt(b.length));
      String least = (String) decode(PgType.TEXT, separator).value();
      assertEquals(
          Arrays.compareUnsigned(a, separator) < 0,
          ((String) decode(PgType.TEXT, a).value()).compareTo(least) < 0,
          Arrays.toString(a) + " and " + Arrays.toString(separator));
    }
  }

  /** Characters of one, two and three bytes; of those with four the order is another one here. */
  private static String text(SplittableRandom random) {
    int[] characters = {'a', 'z', 0x80, 'ä', 'я', 0x7FF, 0x800, '語', '诗', 0xD7FF, 0xE000, 0xFFFD};
    int[] chosen = new int[1 + random.nextInt(4)];
    Arrays.setAll(chosen, i -> characters[random.nextInt(characters.length)]);
    return new String(chosen, 0, chosen.length);
  }

  @Test
  void moreColumnsMeanThatAValueMayBeginBefore() {
    byte[] one = encode(PgType.INT4, "5");
    assertEquals(new Bound(5L, true), decode(PgType.INT4, Arrays.copyOf(one, 6)));
    byte[] text = encode(PgType.TEXT, "ab");
    assertEquals(new Bound("ab", false), decode(PgType.TEXT, text));
    assertEquals(new Bound("a", false), decode(PgType.TEXT, Arrays.copyOf(text, 1)));
    assertEquals(new Bound("ab", true), decode(PgType.TEXT, Arrays.copyOf(text, 4)));
    assertNull(decode(PgType.TEXT, new byte[0]));
  }
}
