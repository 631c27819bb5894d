package io.gauss.compute.row;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.RandomValues;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.TypeContext;
import io.gauss.compute.type.Value;
import io.gauss.compute.type.ValueOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class KeyCodecTest {
  private static byte[] key(KeyCodec codec, Value... values) {
    ByteSink sink = new ByteSink();
    codec.encode(values, sink);
    return sink.toByteArray();
  }

  private static String hex(PgType type, String text) {
    Value value = new Value();
    TypeCodec.of(type).fromText(text, TypeContext.DEFAULT, value);
    return HexFormat.of().formatHex(key(KeyCodec.primaryKey(List.of(type)), value));
  }

  @Test
  void the_bytes_of_keys_never_change() {
    assertEquals("80000005", hex(PgType.INT4, "5"));
    assertEquals("7fffffffffffffff", hex(PgType.INT8, "-1"));
    assertEquals("616200", hex(PgType.TEXT, "ab"));
    assertEquals("616200", hex(PgType.BPCHAR, "ab  "));
    assertEquals("01ff00ff020000", hex(PgType.BYTEA, "\\x01ff0002"));
    assertEquals("30", hex(PgType.NUMERIC, "0.00"));
    assertEquals("40400001020300", hex(PgType.NUMERIC, "1.02"));
    assertEquals("40400002021900", hex(PgType.NUMERIC, "124.00"));
    assertEquals("20bffffefdfcff", hex(PgType.NUMERIC, "-1.02"));
    assertEquals("60", hex(PgType.NUMERIC, "NaN"));
    assertEquals("ffffffffffffffff", hex(PgType.FLOAT8, "NaN"));
    assertEquals("8000000000000000", hex(PgType.FLOAT8, "-0"));
    assertEquals("01", hex(PgType.JSONB, "[]"));
    assertEquals("0210", hex(PgType.JSONB, "null"));
    assertEquals("0211616200", hex(PgType.JSONB, "\"ab\""));
    assertEquals("021240400001020300", hex(PgType.JSONB, "1.02"));
    assertEquals("0315000000021314", hex(PgType.JSONB, "[false, true]"));
    assertEquals("0416000000026100106262001500000000", hex(PgType.JSONB, "{\"bb\":[],\"a\":null}"));
  }

  @Test
  void byte_order_is_value_order() {
    Random random = new Random(RandomValues.seed("KeyCodecTest"));
    for (int round = 0; round < 40_000; round++) {
      int n = 1 + random.nextInt(3);
      List<PgType> types = new ArrayList<>();
      boolean[] descending = new boolean[n];
      boolean[] nullsFirst = new boolean[n];
      Value[] a = new Value[n];
      Value[] b = new Value[n];
      int expected = 0;
      for (int i = 0; i < n; i++) {
        PgType type;
        do {
          type = RandomValues.TYPES.get(random.nextInt(RandomValues.TYPES.size()));
        } while (type.isArray());
        types.add(type);
        descending[i] = random.nextBoolean();
        nullsFirst[i] = random.nextBoolean();
        a[i] = RandomValues.next(type, random, true);
        b[i] = random.nextInt(3) == 0 ? a[i] : RandomValues.next(type, random, true);
        if (expected == 0) {
          expected = compare(type, a[i], b[i], descending[i], nullsFirst[i]);
        }
      }
      KeyCodec codec = KeyCodec.index(types, descending, nullsFirst);
      byte[] left = key(codec, a);
      byte[] right = key(codec, b);
      assertEquals(
          Integer.signum(expected),
          Integer.signum(Arrays.compareUnsigned(left, right)),
          () ->
              types + " " + HexFormat.of().formatHex(left) + " " + HexFormat.of().formatHex(right));
      if (expected != 0) {
        // No key is a prefix of a different one.
        assertTrue(Arrays.mismatch(left, right) < Math.min(left.length, right.length));
      }
    }
  }

  private static int compare(
      PgType type, Value a, Value b, boolean descending, boolean nullsFirst) {
    if (a.isNull || b.isNull) {
      int nulls = Boolean.compare(a.isNull, b.isNull);
      return nullsFirst ? -nulls : nulls;
    }
    int order = ValueOrder.of(type).compare(a, b);
    return descending ? -order : order;
  }

  @Test
  void the_successor_is_above_all_keys_with_the_prefix() {
    ByteSink sink = new ByteSink();
    sink.putBytes(new byte[] {9, 1, (byte) 0xFF});
    assertTrue(KeyCodec.successor(1, sink));
    assertEquals("0902", HexFormat.of().formatHex(sink.toByteArray()));
    sink.clear();
    sink.putBytes(new byte[] {9, (byte) 0xFF});
    assertFalse(KeyCodec.successor(1, sink));
    assertEquals(1, sink.length);
  }
}
