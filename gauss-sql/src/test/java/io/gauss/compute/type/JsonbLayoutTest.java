package io.gauss.compute.type;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class JsonbLayoutTest {
  private static final TypeCodec JSONB = TypeCodec.of(PgType.JSONB);

  private static Value read(String text) {
    Value value = new Value();
    JSONB.fromText(text, TypeContext.DEFAULT, value);
    return value;
  }

  private static String hex(String text) {
    Value value = read(text);
    return HexFormat.of().formatHex(value.bytes, value.off, value.off + value.len);
  }

  private static String text(Value value) {
    return JSONB.toText(value, TypeContext.DEFAULT);
  }

  @Test
  void theBytesOfValuesNeverChange() {
    assertEquals("00", hex("null"));
    assertEquals("01", hex("false"));
    assertEquals("02", hex("true"));
    assertEquals("0003", hex("0"));
    assertEquals("ff03", hex("-1"));
    assertEquals("012c03", hex("300"));
    assertEquals("0f000104", hex("1.5"));
    assertEquals("0de0b6b3a763ffff03", hex("999999999999999999"));
    assertEquals("0de0b6b3a764000003", hex("1000000000000000000"));
    assertEquals("008ac7230489e8000003", hex("10000000000000000000"));
    assertEquals("616205", hex("\"ab\""));
    assertEquals("0006", hex("[]"));
    assertEquals("0007", hex("{}"));
    assertEquals("010302" + "0203" + "0206", hex("[1, true]"));
    assertEquals("01620103" + "01610203" + "04080004" + "0207", hex("{\"b\": 1, \"a\": 2}"));
    assertEquals("01610203" + "0004" + "0107", hex("{\"a\": 1, \"a\": 2}"));
    String longName = "n".repeat(128);
    assertEquals(
        "80000080" + "6e".repeat(128) + "00" + "0085" + "0107",
        hex("{\"" + longName + "\": null}"));
    String longText = "x".repeat(300);
    assertEquals("78".repeat(300) + "05" + "2d01" + "0100" + "0e", hex("[\"" + longText + "\"]"));
  }

  @Test
  void partsAreValuesThemselves() {
    JsonbView view = new JsonbView(read("{\"b\": [10, {\"c\": \"deep\"}], \"aa\": null}"));
    byte[] name = "b".getBytes(StandardCharsets.UTF_8);
    view.fieldValue(view.find(name, 0, 1), view);
    Value part = new Value();
    view.get(part);
    assertEquals("[10, {\"c\": \"deep\"}]", text(part));
    view.element(1, view);
    view.get(part);
    assertEquals("{\"c\": \"deep\"}", text(part));
  }

  /** A text made of a map that is its twin. */
  @Test
  void fieldsAreThoseOfAMap() {
    Random random = new Random(RandomValues.seed("JsonbLayoutTest"));
    for (int round = 0; round < 300; round++) {
      int names = 1 + random.nextInt(round % 20 == 0 ? 2_000 : 40);
      Map<String, Integer> twin =
          new TreeMap<>(
              (a, b) -> a.length() != b.length() ? a.length() - b.length() : a.compareTo(b));
      List<String> fields = new ArrayList<>();
      for (int i = random.nextInt(3 * names); i >= 0; i--) {
        String name = "k".repeat(random.nextInt(150) / 50) + random.nextInt(names);
        twin.put(name, i);
        fields.add("\"" + name + "\":" + i);
      }
      Value value = read("{" + String.join(",", fields) + "}");
      List<String> expected = new ArrayList<>();
      JsonbView view = new JsonbView(value);
      JsonbView inner = new JsonbView();
      Value number = new Value();
      twin.forEach(
          (name, wanted) -> {
            expected.add("\"" + name + "\": " + wanted);
            byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
            view.fieldValue(view.find(bytes, 0, bytes.length), inner);
            inner.getNumber(number);
            assertEquals(wanted.longValue(), number.l, name);
          });
      assertEquals("{" + String.join(", ", expected) + "}", text(value));
      assertEquals(-1, view.find(new byte[] {'z', 'z'}, 0, 2));
    }
  }

  @Test
  void whatEqualValuesHaveInCommon() {
    Random random = new Random(RandomValues.seed("JsonbLayoutTest.equal"));
    ValueOrder order = ValueOrder.of(PgType.JSONB);
    for (int i = 0; i < 5_000; i++) {
      Value a = read(RandomValues.nextJson(random, 2));
      Value b = random.nextBoolean() ? read(text(a)) : read(RandomValues.nextJson(random, 2));
      boolean equal = order.compare(a, b) == 0;
      assertEquals(equal, order.equal(a, b));
      assertEquals(-order.compare(b, a), order.compare(a, b));
      if (equal) {
        assertEquals(order.hash(a), order.hash(b), () -> text(a) + " " + text(b));
      }
    }
  }

  // ------------------------------------------------------------------ limits

  private static String nested(String open, String close, int levels) {
    return open.repeat(levels) + close.repeat(levels);
  }

  private static void assertTooDeep(PgType type, String text) {
    Value value = new Value();
    GaussException refused =
        assertThrows(
            GaussException.class,
            () -> TypeCodec.of(type).fromText(text, TypeContext.DEFAULT, value));
    assertEquals("54001", refused.state().code());
  }

  /** On a thread whose stack is as small as those of event loops. */
  @Test
  void nestingIsBoundedByLevelsAndNotByTheStack() throws InterruptedException {
    List<Throwable> failures = new ArrayList<>();
    Thread thread =
        new Thread(
            null,
            () -> {
              nestingIsBounded();
            },
            "small stack",
            1 << 20);
    thread.setUncaughtExceptionHandler((t, e) -> failures.add(e));
    thread.start();
    thread.join();
    assertEquals(List.of(), failures);
  }

  private static void nestingIsBounded() {
    String deepest = nested("[", "]", JsonParser.DEPTH_MAX);
    Value value = read(deepest);
    assertEquals(deepest, text(value));
    ValueOrder order = ValueOrder.of(PgType.JSONB);
    assertEquals(0, order.compare(value, read(deepest)));
    assertEquals(order.hash(value), order.hash(read(deepest)));
    assertTooDeep(PgType.JSONB, nested("[", "]", JsonParser.DEPTH_MAX + 1));
    assertTooDeep(PgType.JSON, nested("[", "]", JsonParser.DEPTH_MAX + 1));
    assertTooDeep(PgType.JSONB, "{\"a\":".repeat(JsonParser.DEPTH_MAX + 1));
    assertTooDeep(PgType.JSON, "[".repeat(1 << 20));
    JsonbBuilder around = new JsonbBuilder();
    around.arrayStart();
    GaussException refused = assertThrows(GaussException.class, () -> around.node(value));
    assertEquals("54001", refused.state().code());
  }

  @Test
  void valuesAreNoLargerThanOthers() {
    JsonbBuilder builder = new JsonbBuilder();
    builder.arrayStart();
    GaussException refused =
        assertThrows(
            GaussException.class,
            () -> {
              for (int i = 0; i < ByteSink.LARGEST_VALUE; i++) {
                builder.nothing();
              }
            });
    assertEquals("54000", refused.state().code());
  }

  @Test
  void aRowOfSmallNumbersTakesLittleMoreThanItsText() {
    String text =
        "{\"id\": 12345, \"name\": \"Some Name\", \"tags\": [\"a\", \"b\"], \"ok\": true}";
    assertTrue(read(text).len < text.length());
  }
}
