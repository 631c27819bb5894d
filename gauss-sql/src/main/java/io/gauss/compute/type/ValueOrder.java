package io.gauss.compute.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.util.Arrays;

/**
 * Order, equality and hash of a type's values, as the default B-tree and hash operators of
 * PostgreSQL with collation C have them. The caller handles NULLs. Stateless, shared.
 */
public abstract class ValueOrder {
  private static final ValueOrder LONGS =
      new ValueOrder() {
        @Override
        public int compare(Value a, Value b) {
          return Long.compare(a.l, b.l);
        }

        @Override
        public boolean equal(Value a, Value b) {
          return a.l == b.l;
        }

        @Override
        public int hash(Value a) {
          return mix(a.l);
        }
      };

  private static final ValueOrder DOUBLES =
      new ValueOrder() {
        @Override
        public int compare(Value a, Value b) {
          return compareDoubles(a.d, b.d);
        }

        @Override
        public int hash(Value a) {
          return mix(a.d == 0 ? 0 : Double.doubleToLongBits(a.d));
        }
      };

  private static final ValueOrder NUMERICS =
      new ValueOrder() {
        @Override
        public int compare(Value a, Value b) {
          return Numerics.compare(a, b);
        }

        @Override
        public int hash(Value a) {
          return mix(Numerics.hash(a));
        }
      };

  private static final ValueOrder BYTES =
      new ValueOrder() {
        @Override
        public int compare(Value a, Value b) {
          return compareBytes(a.bytes, a.off, a.len, b.bytes, b.off, b.len);
        }

        @Override
        public boolean equal(Value a, Value b) {
          return a.len == b.len
              && Arrays.equals(a.bytes, a.off, a.off + a.len, b.bytes, b.off, b.off + b.len);
        }

        @Override
        public int hash(Value a) {
          return hashBytes(a.bytes, a.off, a.len);
        }
      };

  /** char(n): trailing blanks do not count. */
  private static final ValueOrder BLANK_PADDED =
      new ValueOrder() {
        @Override
        public int compare(Value a, Value b) {
          return compareBytes(
              a.bytes,
              a.off,
              Utf8.trimmedLength(a.bytes, a.off, a.len),
              b.bytes,
              b.off,
              Utf8.trimmedLength(b.bytes, b.off, b.len));
        }

        @Override
        public int hash(Value a) {
          return hashBytes(a.bytes, a.off, Utf8.trimmedLength(a.bytes, a.off, a.len));
        }
      };

  private static final ValueOrder INTERVALS =
      new ValueOrder() {
        @Override
        public int compare(Value a, Value b) {
          return Interval.compare(a, b);
        }

        @Override
        public int hash(Value a) {
          return mix(Interval.wholeDays(a) * 31 + Interval.restMicros(a));
        }
      };

  private static final ValueOrder JSONB =
      new ValueOrder() {
        @Override
        public int compare(Value a, Value b) {
          return JsonbOrder.compare(new JsonbView(a), new JsonbView(b));
        }

        @Override
        public boolean equal(Value a, Value b) {
          return JsonbOrder.equal(new JsonbView(a), new JsonbView(b));
        }

        @Override
        public int hash(Value a) {
          return mix(JsonbOrder.hash(new JsonbView(a)));
        }
      };

  /** json has neither equality nor order. */
  private static final ValueOrder NONE =
      new ValueOrder() {
        @Override
        public int compare(Value a, Value b) {
          throw missing("a comparison function");
        }

        @Override
        public boolean equal(Value a, Value b) {
          throw missing("an equality operator");
        }

        @Override
        public int hash(Value a) {
          throw missing("a hash function");
        }

        private GaussException missing(String what) {
          return new GaussException(
              SqlState.UNDEFINED_FUNCTION, "could not identify " + what + " for type json");
        }
      };

  private ValueOrder() {}

  public static ValueOrder of(PgType type) {
    if (type.isArray()) {
      return new ArrayOrder(type.element());
    }
    return switch (type.kind()) {
      case LONG -> LONGS;
      case DOUBLE -> DOUBLES;
      case NUMERIC -> NUMERICS;
      case BYTES ->
          switch (type.oid()) {
            case 114 -> NONE;
            case 1042 -> BLANK_PADDED;
            case 1186 -> INTERVALS;
            case 3802 -> JSONB;
            default -> BYTES;
          };
    };
  }

  /** Negative, zero or positive; both not NULL. */
  public abstract int compare(Value a, Value b);

  public boolean equal(Value a, Value b) {
    return compare(a, b) == 0;
  }

  /** Equal values have equal hashes; well mixed. */
  public abstract int hash(Value a);

  /** NaN equals itself and is above all; -0 equals 0. */
  static int compareDoubles(double a, double b) {
    if (a < b) {
      return -1;
    }
    if (a > b) {
      return 1;
    }
    if (a == b) {
      return 0;
    }
    return Boolean.compare(Double.isNaN(a), Double.isNaN(b));
  }

  /** Unsigned byte order; a prefix comes first. */
  public static int compareBytes(
      byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength) {
    return Arrays.compareUnsigned(a, aOffset, aOffset + aLength, b, bOffset, bOffset + bLength);
  }

  private static int mix(long value) {
    long h = value * 0x9E3779B97F4A7C15L;
    return (int) (h ^ h >>> 32);
  }

  static int hashBytes(byte[] bytes, int offset, int length) {
    long h = length;
    int p = offset;
    int end = offset + length;
    for (; end - p >= 8; p += 8) {
      h = (h ^ ByteSink.getLongLe(bytes, p)) * 0x9E3779B97F4A7C15L;
      h ^= h >>> 29;
    }
    for (; p < end; p++) {
      h = (h ^ bytes[p]) * 0x100000001B3L;
    }
    return mix(h);
  }

  /** Arrays: element by element, NULL above all, then the shorter one, then the lower subscript. */
  private static final class ArrayOrder extends ValueOrder {
    private final TypeCodec codec;
    private final ValueOrder elements;

    ArrayOrder(PgType element) {
      codec = TypeCodec.of(element);
      elements = of(element);
    }

    @Override
    public int compare(Value a, Value b) {
      ArrayReader left = new ArrayReader(a);
      ArrayReader right = new ArrayReader(b);
      Value x = new Value();
      Value y = new Value();
      for (int i = 0; i < Math.min(left.size(), right.size()); i++) {
        left.next(codec, x);
        right.next(codec, y);
        int order =
            x.isNull || y.isNull ? Boolean.compare(x.isNull, y.isNull) : elements.compare(x, y);
        if (order != 0) {
          return order;
        }
      }
      return left.size() != right.size()
          ? Integer.compare(left.size(), right.size())
          : Integer.compare(left.lowerBound(), right.lowerBound());
    }

    @Override
    public boolean equal(Value a, Value b) {
      ArrayReader left = new ArrayReader(a);
      ArrayReader right = new ArrayReader(b);
      if (left.size() != right.size() || left.lowerBound() != right.lowerBound()) {
        return false;
      }
      Value x = new Value();
      Value y = new Value();
      for (int i = 0; i < left.size(); i++) {
        left.next(codec, x);
        right.next(codec, y);
        boolean same = x.isNull || y.isNull ? x.isNull && y.isNull : elements.equal(x, y);
        if (!same) {
          return false;
        }
      }
      return true;
    }

    @Override
    public int hash(Value a) {
      ArrayReader reader = new ArrayReader(a);
      Value item = new Value();
      int h = reader.size();
      for (int i = 0; i < reader.size(); i++) {
        reader.next(codec, item);
        h = h * 31 + (item.isNull ? 0 : elements.hash(item));
      }
      return mix(h);
    }
  }
}
