package io.gauss.compute.row;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.memory.Memory;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.RandomValues;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.TypeContext;
import io.gauss.compute.type.Value;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RowCodecTest {
  private static Value value(PgType type, String text) {
    Value value = new Value();
    if (text != null) {
      TypeCodec.of(type).fromText(text, TypeContext.DEFAULT, value);
    }
    return value;
  }

  @Test
  void the_bytes_of_a_row_never_change() {
    List<PgType> types =
        List.of(
            PgType.INT4,
            PgType.TEXT,
            PgType.BOOL,
            PgType.numeric(12, 2),
            PgType.numeric(4, 4),
            PgType.NUMERIC,
            PgType.DATE,
            PgType.INT8,
            PgType.varchar(10));
    Value[] row = {
      value(PgType.INT4, "-2"),
      value(PgType.TEXT, "h\u00e9"),
      value(PgType.BOOL, "t"),
      value(PgType.NUMERIC, "1234.56"),
      value(PgType.NUMERIC, "0.0789"),
      value(PgType.NUMERIC, "-300.0"),
      value(PgType.DATE, "2000-01-03"),
      value(PgType.INT8, null),
      value(PgType.TEXT, "z")
    };
    ByteSink sink = new ByteSink();
    new RowCodec(types).encode(row, sink);
    assertEquals(
        "01"
            + "0900"
            + "8000"
            + "feffffff"
            + "01"
            + "40e2010000000000"
            + "15030000"
            + "02000000"
            + "0000000000000000"
            + "0300"
            + "0800"
            + "0900"
            + "68c3a9"
            + "000100f448"
            + "7a",
        HexFormat.of().formatHex(sink.toByteArray()));
  }

  @Test
  void rows_of_any_types_come_back() {
    Random random = new Random(RandomValues.seed("RowCodecTest"));
    try (Arena arena = Arena.ofConfined()) {
      long memory = Memory.allocate(arena, 1 << 20, 8);
      for (int round = 0; round < 3000; round++) {
        int n = 1 + random.nextInt(20);
        List<PgType> types = new ArrayList<>();
        Value[] row = new Value[n];
        Value[] missing = new Value[n];
        for (int i = 0; i < n; i++) {
          PgType type = RandomValues.TYPES.get(random.nextInt(RandomValues.TYPES.size()));
          types.add(type);
          row[i] = RandomValues.next(type, random, true);
          missing[i] = RandomValues.next(type, random, true);
        }
        int wideColumn = random.nextInt(10) == 0 ? types.indexOf(PgType.TEXT) : -1;
        if (wideColumn >= 0) {
          row[wideColumn].setBytes("x".repeat(70_000).getBytes(), 0, 70_000);
        }
        // Written when the table had fewer columns, read with all.
        int written = 1 + random.nextInt(n);
        ByteSink sink = new ByteSink();
        sink.putByte(7);
        new RowCodec(types.subList(0, written)).encode(row, sink);
        int length = sink.length - 1;
        Memory.copyIn(sink.array, 1, memory + 3, length);
        RowCodec codec = new RowCodec(types, missing);
        Value read = new Value();
        for (int i = 0; i < n; i++) {
          Value expected = i < written ? row[i] : missing[i];
          PgType type = types.get(i);
          codec.decode(sink.array, 1, length, i, read);
          assertTrue(RandomValues.identical(type, expected, read), () -> "array " + type);
          ColumnVector vector = new ColumnVector(type.kind());
          codec.decode(memory + 3, length, i, vector, 9);
          vector.get(9, read);
          assertTrue(RandomValues.identical(type, expected, read), () -> "memory " + type);
        }
      }
    }
  }

  @Test
  void bytes_that_are_no_row_are_refused() {
    RowCodec codec = new RowCodec(List.of(PgType.TEXT));
    byte[] bytes = {1, 1, 0, 0, 50, 0, 'a'};
    Value out = new Value();
    assertEquals(
        "XX001",
        assertThrows(GaussException.class, () -> codec.decode(bytes, 0, bytes.length, 0, out))
            .state()
            .code());
  }
}
