package io.gauss.compute.type;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** The binary form of int2vector. */
class VectorCodecTest {
  private static final int INT2 = 21;
  private final TypeCodec codec = TypeCodec.of(PgType.INT2VECTOR);

  /** An array of one dimension; null is an element without a value. */
  private void read(int lowerBound, Short... elements) {
    ByteBuffer bytes = ByteBuffer.allocate(20 + 6 * elements.length);
    bytes.putInt(1).putInt(0).putInt(INT2).putInt(elements.length).putInt(lowerBound);
    for (Short element : elements) {
      if (element == null) {
        bytes.putInt(-1);
      } else {
        bytes.putInt(2).putShort(element);
      }
    }
    Value value = new Value();
    codec.readBinary(bytes.array(), 0, bytes.position(), value);
    assertEquals(elements.length, new ArrayReader(value).size());
  }

  private void refused(int lowerBound, Short... elements) {
    GaussException e = assertThrows(GaussException.class, () -> read(lowerBound, elements));
    assertEquals(SqlState.INVALID_BINARY_REPRESENTATION, e.state());
    assertEquals("invalid int2vector data", e.getMessage());
  }

  @Test
  void aVectorBeginsAtZeroAndHasAllOfItsElements() {
    read(0, (short) 1, (short) 2);
    read(0);
    refused(1, (short) 1);
    refused(0, (short) 1, null);
  }
}
