package io.gauss.compute.type;

import java.math.BigDecimal;

/**
 * One SQL value, mutable and reused: expressions store their results in it, and row codecs read
 * from it. Only the fields of its type's {@link ValueKind} are meaningful. Not thread-safe.
 */
public final class Value {
  public boolean isNull = true;

  /** LONG values; unscaled value of a compact NUMERIC. */
  public long l;

  public double d;

  /** NUMERIC: number of digits after the point that are shown; PostgreSQL's dscale. */
  public int scale;

  /** NUMERIC that does not fit {@link #l}; null when compact. Its scale equals {@link #scale}. */
  public BigDecimal big;

  /** NUMERIC special: 0 = finite, 1 = NaN, 2 = Infinity, 3 = -Infinity. */
  public int special;

  /**
   * BYTES: range [off, off + len) of an array that the value need not own and that must not change
   * while the value is in use.
   */
  public byte[] bytes;

  public int off;
  public int len;

  public void setNull() {
    isNull = true;
  }

  public void setLong(long value) {
    isNull = false;
    l = value;
  }

  public void setBoolean(boolean value) {
    isNull = false;
    l = value ? 1 : 0;
  }

  public void setDouble(double value) {
    isNull = false;
    d = value;
  }

  public void setNumeric(long unscaled, int numericScale) {
    isNull = false;
    l = unscaled;
    scale = numericScale;
    big = null;
    special = 0;
  }

  /**
   * Takes the compact form where it fits. A negative scale, which PostgreSQL does not have, becomes
   * 0.
   */
  public void setNumeric(BigDecimal given) {
    BigDecimal value = given.scale() < 0 ? given.setScale(0) : given;
    isNull = false;
    special = 0;
    scale = value.scale();
    if (value.precision() <= 18) {
      l = value.unscaledValue().longValue();
      big = null;
    } else {
      big = value;
    }
  }

  public void setBytes(byte[] array, int offset, int length) {
    isNull = false;
    bytes = array;
    off = offset;
    len = length;
  }

  /** Copies another value; byte ranges are shared, not copied. */
  public void set(Value other) {
    isNull = other.isNull;
    l = other.l;
    d = other.d;
    scale = other.scale;
    big = other.big;
    special = other.special;
    bytes = other.bytes;
    off = other.off;
    len = other.len;
  }
}
