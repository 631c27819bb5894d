package io.gauss.compute.type;

import static org.junit.jupiter.api.Assertions.fail;

import io.gauss.common.error.GaussException;
import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Whatever a client sends is converted, or refused, in a time that grows hardly faster than its
 * length. The bound is on the thread's processor time, so that a busy machine does not matter, and
 * about a hundred times what the conversions need: what takes quadratic time exceeds it by far.
 */
class ConversionTimeTest {
  private static final int BYTES = 1 << 20;
  private static final long BOUND_NANOS = 8_000_000_000L;
  private static final int RANDOM_TEXTS = 3;

  /** Of which inputs are made: what some type's input takes as the beginning or end of a part. */
  private static final String[] TOKENS = {
    "9",
    "0",
    "1",
    ".",
    "-",
    "+",
    "e",
    "E",
    "9e",
    " ",
    "{",
    "}",
    "\"",
    "\\",
    "\\\\",
    "\\x",
    "ff",
    ",",
    ":",
    "/",
    "a",
    "T",
    "P",
    "Z",
    "z",
    "Y",
    "infinity",
    "null",
    "[",
    "]",
    "=",
    "1 ",
    "1,",
    "{1,",
    "\u00e9",
    "1:",
    "1-",
    "BC ",
    "day ",
    "1 day ",
    "jan ",
    "ago",
    "J",
    "t",
    "true",
    "0x",
    "europe/rome ",
    "+1",
    "utc"
  };

  private static final String[] USUAL = {"9", "0", "9 ", "1,", "-", "1 day ", "a", "\\\\"};

  @TestFactory
  Stream<DynamicTest> textInALinearTime() {
    Random random = new Random(RandomValues.seed("ConversionTimeTest"));
    List<DynamicTest> tests = new ArrayList<>();
    List<PgType> types = new ArrayList<>(RandomValues.TYPES);
    types.add(PgType.NUMERIC.array());
    types.add(PgType.INTERVAL.array());
    for (PgType type : types) {
      List<byte[]> texts = new ArrayList<>();
      for (String usual : USUAL) {
        texts.add(text("", usual, ""));
      }
      texts.add(text("0.", "0", "1"));
      texts.add(text("1e", "0", "9"));
      texts.add(text("{\"", "9", "\"}"));
      texts.add(text("P", "9", "Y"));
      for (int i = 0; i < RANDOM_TEXTS; i++) {
        texts.add(text(some(random, 3), some(random, 3), some(random, 3)));
      }
      tests.add(
          DynamicTest.dynamicTest(
              type.displayName(), () -> texts.forEach(text -> readsInTime(type, text))));
    }
    return tests.stream();
  }

  private static String some(Random random, int most) {
    StringBuilder text = new StringBuilder();
    for (int i = 1 + random.nextInt(most); i > 0; i--) {
      text.append(TOKENS[random.nextInt(TOKENS.length)]);
    }
    return text.toString();
  }

  private static byte[] text(String start, String repeated, String end) {
    ByteArrayOutputStream text = new ByteArrayOutputStream(BYTES + 64);
    text.writeBytes(start.getBytes(StandardCharsets.UTF_8));
    byte[] part = repeated.getBytes(StandardCharsets.UTF_8);
    while (text.size() < BYTES) {
      text.writeBytes(part);
    }
    text.writeBytes(end.getBytes(StandardCharsets.UTF_8));
    return text.toByteArray();
  }

  private static void readsInTime(PgType type, byte[] text) {
    String shown = new String(text, 0, 40, StandardCharsets.UTF_8);
    inTime(
        type.displayName() + " from " + shown + "...",
        () -> {
          Value value = new Value();
          TypeCodec.of(type).readText(text, 0, text.length, TypeContext.DEFAULT, value);
          ByteSink out = new ByteSink();
          TypeCodec.of(type).writeText(value, TypeContext.DEFAULT, out);
          out.clear();
          TypeCodec.of(type).writeBinary(value, out);
        });
  }

  /** As many numbers of the longest binary form as fit into a message. */
  @Test
  void theLongestNumbersOfBinaryFormInALinearTime() {
    int groups = 65_535;
    ByteSink binary = new ByteSink();
    binary.putShort(groups);
    binary.putShort(32_767);
    binary.putShort(0);
    binary.putShort(16_383);
    for (int i = 0; i < groups; i++) {
      binary.putShort(9_999);
    }
    inTime(
        "numeric from binary form",
        () -> {
          for (int i = 0; i < 60; i++) {
            readBinary(PgType.NUMERIC, binary.array, binary.length);
          }
        });
  }

  @Test
  void randomBinaryFormsInALinearTime() {
    Random random = new Random(RandomValues.seed("ConversionTimeTest.binary"));
    for (PgType type : RandomValues.TYPES) {
      for (int i = 0; i < 4; i++) {
        byte[] binary = new byte[BYTES / 4];
        byte[] part = new byte[1 + random.nextInt(8)];
        random.nextBytes(part);
        for (int at = 0; at < binary.length; at++) {
          binary[at] = at < 20 ? (byte) random.nextInt(3) : part[at % part.length];
        }
        inTime(type.displayName() + " from binary form", () -> readBinary(type, binary, BYTES / 4));
      }
    }
  }

  private static void readBinary(PgType type, byte[] binary, int length) {
    TypeCodec.of(type).readBinary(binary, 0, length, new Value());
  }

  /** Runs it on a thread of its own, which is left behind when it takes too long. */
  private static void inTime(String what, Runnable conversion) {
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  try {
                    conversion.run();
                  } catch (GaussException e) {
                    // Refused: that counts as an answer.
                  }
                });
    while (true) {
      try {
        if (thread.join(java.time.Duration.ofMillis(500))) {
          return;
        }
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      long used = ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.threadId());
      if (used > BOUND_NANOS) {
        fail(what + " took more than " + BOUND_NANOS / 1_000_000 + " ms of processor time");
      }
    }
  }
}
