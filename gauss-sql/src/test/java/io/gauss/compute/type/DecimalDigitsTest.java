package io.gauss.compute.type;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DecimalDigitsTest {
  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static String digits(Random random, int count) {
    StringBuilder text = new StringBuilder(count);
    boolean zeros = random.nextInt(4) == 0;
    for (int i = 0; i < count; i++) {
      text.append((char) ('0' + (zeros && random.nextInt(10) > 0 ? 0 : random.nextInt(10))));
    }
    return text.toString();
  }

  @Test
  void digitsOfEveryCountAreTheNumberThatTheyAreForJava() {
    Random random = new Random(RandomValues.seed("DecimalDigitsTest"));
    for (int count : new int[] {1, 17, 18, 19, 511, 512, 513, 1023, 1024, 1025, 1536, 1537, 9999}) {
      String text = digits(random, count);
      assertEquals(
          new BigInteger(text), DecimalDigits.toBigInteger(bytes("x" + text), 1, count + 1));
    }
    for (int i = 0; i < 2_000; i++) {
      String text = digits(random, 1 + random.nextInt(3_000));
      assertEquals(new BigInteger(text), DecimalDigits.toBigInteger(bytes(text), 0, text.length()));
    }
  }

  @Test
  void longNumbersAreReadAsJavaReadsThem() {
    Random random = new Random(RandomValues.seed("DecimalDigitsTest.numbers"));
    for (int i = 0; i < 2_000; i++) {
      String text =
          (random.nextBoolean() ? "-" : "")
              + "0".repeat(random.nextInt(4) * random.nextInt(40))
              + digits(random, random.nextInt(1_500))
              + (random.nextBoolean() ? "" : "." + digits(random, 1 + random.nextInt(1_500)));
      if (text.endsWith("-") || text.isEmpty() || text.startsWith("-.") || text.startsWith(".")) {
        continue;
      }
      assertEquals(new BigDecimal(text), Numerics.parse(text), text);
      int exponent = random.nextInt(3_000) - 1_500;
      BigDecimal shifted = new BigDecimal(text + "e" + exponent);
      BigDecimal expected =
          shifted.signum() == 0
              ? BigDecimal.ZERO.setScale(Math.max(0, shifted.scale()))
              : shifted.scale() < 0 ? shifted.setScale(0) : shifted;
      assertEquals(expected, Numerics.parse(text + "e" + exponent), text + "e" + exponent);
    }
  }

  @Test
  void theLongestNumberSurvivesBinaryForm() {
    String text = "9".repeat(Numerics.MAX_WHOLE_DIGITS) + "." + "8".repeat(Numerics.MAX_SCALE);
    Value value = new Value();
    value.setNumeric(Numerics.parse(text));
    ByteSink binary = new ByteSink();
    TypeCodec.of(PgType.NUMERIC).writeBinary(value, binary);
    Value read = new Value();
    TypeCodec.of(PgType.NUMERIC).readBinary(binary.array, 0, binary.length, read);
    ByteSink out = new ByteSink();
    TypeCodec.of(PgType.NUMERIC).writeText(read, TypeContext.DEFAULT, out);
    assertEquals(text, out.toString());
  }

  @Test
  void aLongerOneIsRefused() {
    for (String text :
        new String[] {
          "9".repeat(Numerics.MAX_WHOLE_DIGITS + 1),
          "1e" + Numerics.MAX_WHOLE_DIGITS,
          "0." + "0".repeat(Numerics.MAX_SCALE) + "1",
          "1e-" + (Numerics.MAX_SCALE + 1),
          "9".repeat(4 << 20)
        }) {
      GaussException refused = assertThrows(GaussException.class, () -> Numerics.parse(text));
      assertEquals(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, refused.state());
    }
    assertEquals(BigDecimal.ONE, Numerics.parse("0".repeat(4 << 20) + "1"));
  }

  /** Digits behind the scale are cut off, whole groups of them before anything is converted. */
  @Test
  void binaryFormIsCutToItsScale() {
    for (int scale = 0; scale <= 12; scale++) {
      ByteSink binary = new ByteSink();
      binary.putShort(6);
      binary.putShort(1);
      binary.putShort(0x4000);
      binary.putShort(scale);
      for (int group : new int[] {12, 3456, 7890, 1234, 5678, 9012}) {
        binary.putShort(group);
      }
      Value read = new Value();
      TypeCodec.of(PgType.NUMERIC).readBinary(binary.array, 0, binary.length, read);
      String expected = "-123456" + (scale == 0 ? "" : ".7890123456789012".substring(0, scale + 1));
      ByteSink out = new ByteSink();
      TypeCodec.of(PgType.NUMERIC).writeText(read, TypeContext.DEFAULT, out);
      assertEquals(expected, out.toString());
    }
  }
}
