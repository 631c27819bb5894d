package io.gauss.compute.row;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.engine.Seeds;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A patched row has the bytes of the row encoded anew. */
class RowPatchCodecTest {
  private static final List<PgType> TYPES =
      List.of(
          PgType.INT4,
          PgType.TEXT,
          PgType.numeric(12, 2),
          PgType.BOOL,
          PgType.NUMERIC,
          PgType.FLOAT8,
          PgType.VARCHAR,
          PgType.INT8,
          PgType.numeric(5, 1));

  private final Random random = new Random(Seeds.next());

  private void randomize(PgType type, Value out) {
    if (random.nextInt(5) == 0) {
      out.setNull();
      return;
    }
    switch (type.kind()) {
      case LONG -> out.setLong(type.is(PgType.BOOL) ? random.nextInt(2) : random.nextInt(1000));
      case DOUBLE -> out.setDouble(random.nextDouble());
      case NUMERIC ->
          out.setNumeric(
              random.nextInt(10_000), type.isCompactNumeric() ? type.scale() : random.nextInt(5));
      case BYTES -> {
        byte[] bytes = new byte[random.nextInt(3)];
        random.nextBytes(bytes);
        out.setBytes(bytes, 0, bytes.length);
      }
    }
  }

  @Test
  void patchedRowsAreRowsEncodedAnew() {
    RowCodec codec = new RowCodec(TYPES);
    Value[] values = new Value[TYPES.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = new Value();
      randomize(TYPES.get(i), values[i]);
    }
    ByteSink row = new ByteSink();
    codec.encode(values, row);
    int patched = 0;
    for (int round = 0; round < 5000; round++) {
      int column = random.nextInt(values.length);
      randomize(TYPES.get(column), values[column]);
      ByteSink expected = new ByteSink();
      codec.encode(values, expected);
      byte[] before = row.toByteArray();
      if (codec.patch(row, 0, column, values[column])) {
        patched++;
      } else {
        assertArrayEquals(before, row.toByteArray());
        row = new ByteSink();
        row.putBytes(expected.toByteArray());
      }
      assertArrayEquals(expected.toByteArray(), row.toByteArray());
    }
    assertTrue(patched > 2000, "patched " + patched);
  }

  @Test
  void rowsWithFewerColumnsAreLeftAlone() {
    Value number = new Value();
    number.setLong(5);
    ByteSink row = new ByteSink();
    new RowCodec(List.of(PgType.INT4)).encode(new Value[] {number}, row);
    RowCodec now = new RowCodec(List.of(PgType.INT4, PgType.INT4));
    assertFalse(now.patch(row, 0, 0, number));
  }
}
