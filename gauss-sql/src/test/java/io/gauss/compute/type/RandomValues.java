package io.gauss.compute.type;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;

/** Random values of every type, with a liking for edges; for fuzz tests. */
public final class RandomValues {
  public static final List<PgType> TYPES =
      List.of(
          PgType.BOOL,
          PgType.INT2,
          PgType.INT4,
          PgType.INT8,
          PgType.OID,
          PgType.FLOAT4,
          PgType.FLOAT8,
          PgType.NUMERIC,
          PgType.numeric(4, 2),
          PgType.numeric(12, 2),
          PgType.numeric(18, 0),
          PgType.numeric(30, 10),
          PgType.TEXT,
          PgType.varchar(20),
          PgType.bpchar(5),
          PgType.BYTEA,
          PgType.DATE,
          PgType.TIME,
          PgType.TIMESTAMP,
          PgType.TIMESTAMPTZ,
          PgType.UUID,
          PgType.INTERVAL,
          PgType.JSONB,
          PgType.INT4_ARRAY);

  private RandomValues() {}

  public static Value next(PgType type, Random random, boolean nullable) {
    Value value = new Value();
    if (nullable && random.nextInt(8) == 0) {
      return value;
    }
    switch (type.kind()) {
      case LONG -> value.setLong(nextLong(type, random));
      case DOUBLE -> value.setDouble(nextDouble(type, random));
      case NUMERIC -> nextNumeric(type, random, value);
      case BYTES -> {
        byte[] bytes = nextBytes(type, random);
        value.setBytes(bytes, 0, bytes.length);
      }
    }
    return value;
  }

  private static long nextLong(PgType type, Random random) {
    long any =
        switch (random.nextInt(4)) {
          case 0 -> random.nextLong();
          case 1 -> random.nextInt(5) - 2L;
          case 2 -> random.nextInt(1000) - 500L;
          default -> random.nextBoolean() ? Long.MIN_VALUE : Long.MAX_VALUE;
        };
    return switch (type.oid()) {
      case 16 -> any & 1;
      case 21 -> (short) any;
      case 23 -> (int) any;
      case 26 -> any & 0xFFFF_FFFFL;
      case 1082 -> Math.floorMod(any, 4_000_000L) - 2_000_000L;
      case 1083 -> Math.floorMod(any, DateTimes.USECS_PER_DAY);
      case 1114, 1184 -> any % 200_000_000_000_000_000L;
      default -> any;
    };
  }

  private static double nextDouble(PgType type, Random random) {
    double any =
        switch (random.nextInt(5)) {
          case 0 -> Double.longBitsToDouble(random.nextLong());
          case 1 -> random.nextInt(10) - 5;
          case 2 -> random.nextGaussian() * 1e6;
          case 3 -> random.nextInt(2000) / 100.0;
          default -> {
            double[] edges = {
              0.0, -0.0, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 5e-324
            };
            yield edges[random.nextInt(edges.length)];
          }
        };
    return type.is(PgType.FLOAT4) ? (float) any : any;
  }

  private static void nextNumeric(PgType type, Random random, Value out) {
    if (random.nextInt(20) == 0) {
      boolean bounded = type.typmod() >= 0;
      Numerics.setSpecial(out, bounded ? Numerics.NAN : 1 + random.nextInt(3));
      return;
    }
    if (type.typmod() >= 0) {
      int digits = 1 + random.nextInt(type.precision());
      BigInteger unscaled = new BigInteger(digits * 3, random).mod(BigInteger.TEN.pow(digits));
      BigDecimal value = new BigDecimal(unscaled, type.scale());
      out.setNumeric(random.nextBoolean() ? value : value.negate());
      return;
    }
    BigDecimal value =
        switch (random.nextInt(4)) {
          case 0 -> BigDecimal.valueOf(random.nextInt(2000) - 1000, random.nextInt(4));
          case 1 -> BigDecimal.valueOf(random.nextLong(), random.nextInt(20));
          case 2 -> new BigDecimal(new BigInteger(random.nextInt(200), random), random.nextInt(60));
          default -> BigDecimal.valueOf(random.nextInt(20) - 10).setScale(random.nextInt(6));
        };
    out.setNumeric(random.nextBoolean() ? value : value.negate());
  }

  private static byte[] nextBytes(PgType type, Random random) {
    switch (type.oid()) {
      case 17 -> {
        byte[] bytes = new byte[random.nextInt(8)];
        random.nextBytes(bytes);
        for (int i = 0; i < bytes.length; i++) {
          bytes[i] = random.nextInt(3) == 0 ? (byte) -random.nextInt(2) : bytes[i];
        }
        return bytes;
      }
      case 2950 -> {
        byte[] bytes = new byte[16];
        random.nextBytes(bytes);
        return bytes;
      }
      case 1186 -> {
        Value value = new Value();
        Interval.set(
            value,
            random.nextInt(30) - 15,
            random.nextInt(200) - 100,
            random.nextLong() % (DateTimes.USECS_PER_DAY * 40));
        return value.bytes;
      }
      case 3802 -> {
        // Read twice: the fields of the first one stand in the order in which they were written.
        Value value = new Value();
        TypeCodec codec = TypeCodec.of(type);
        codec.fromText(nextJson(random, 3), TypeContext.DEFAULT, value);
        codec.fromText(codec.toText(value, TypeContext.DEFAULT), TypeContext.DEFAULT, value);
        return java.util.Arrays.copyOfRange(value.bytes, value.off, value.off + value.len);
      }
      case 1007 -> {
        ArrayBuilder builder = new ArrayBuilder(PgType.INT4);
        TypeCodec codec = TypeCodec.of(PgType.INT4);
        int n = random.nextInt(4);
        for (int i = 0; i < n; i++) {
          builder.add(codec, next(PgType.INT4, random, true));
        }
        Value value = new Value();
        builder.finish(value);
        return java.util.Arrays.copyOf(value.bytes, value.len);
      }
      default -> {
        return nextText(type, random).getBytes(StandardCharsets.UTF_8);
      }
    }
  }

  /** A JSON text with arrays and objects up to a number of levels. */
  public static String nextJson(Random random, int levels) {
    return switch (random.nextInt(levels > 0 ? 9 : 6)) {
      case 0 -> "null";
      case 1 -> "true";
      case 2 -> "false";
      case 3, 4 -> nextJsonNumber(random);
      case 5 -> nextJsonString(random);
      case 6, 7 -> {
        StringBuilder object = new StringBuilder("{");
        for (int i = random.nextInt(5); i > 0; i--) {
          object
              .append(nextJsonString(random))
              .append(':')
              .append(nextJson(random, levels - 1))
              .append(i > 1 ? ", " : "");
        }
        yield object.append('}').toString();
      }
      default -> {
        StringBuilder array = new StringBuilder("[");
        for (int i = random.nextInt(4); i > 0; i--) {
          array.append(nextJson(random, levels - 1)).append(i > 1 ? "," : "");
        }
        yield array.append(']').toString();
      }
    };
  }

  private static String nextJsonNumber(Random random) {
    BigDecimal number =
        switch (random.nextInt(4)) {
          case 0 -> BigDecimal.valueOf(random.nextInt(10) - 5);
          case 1 -> BigDecimal.valueOf(random.nextInt(2000) - 1000, random.nextInt(3));
          case 2 -> BigDecimal.valueOf(random.nextLong(), random.nextInt(20));
          default ->
              new BigDecimal(new BigInteger(random.nextInt(200), random), random.nextInt(60));
        };
    return random.nextBoolean() ? number.toPlainString() : number.toString();
  }

  private static String nextJsonString(Random random) {
    String[] parts = {"a", "b", "ab", "\\n", "\\u0041", "\\\"", "\u00e9", "\ud83d\ude00", ""};
    StringBuilder text = new StringBuilder("\"");
    for (int i = random.nextInt(3); i > 0; i--) {
      text.append(parts[random.nextInt(parts.length)]);
    }
    return text.append('"').toString();
  }

  private static String nextText(PgType type, Random random) {
    int characters = type.is(PgType.BPCHAR) ? type.length() : random.nextInt(12);
    StringBuilder text = new StringBuilder();
    String alphabet = "aab  \u0001zZ\u00e9\u20ac\ud83d\ude00";
    for (int i = 0; i < characters; i++) {
      int at = random.nextInt(alphabet.codePointCount(0, alphabet.length()));
      text.appendCodePoint(alphabet.codePointAt(alphabet.offsetByCodePoints(0, at)));
    }
    return text.toString();
  }

  /** The seed of a run: given by the system property gauss.seed, or new; printed either way. */
  public static long seed(String test) {
    long seed = Long.getLong("gauss.seed", System.nanoTime());
    System.out.println(test + ": -Dgauss.seed=" + seed);
    return seed;
  }

  /** Whether two values of a type are the same in every respect, scale included. */
  public static boolean identical(PgType type, Value a, Value b) {
    if (a.isNull || b.isNull) {
      return a.isNull == b.isNull;
    }
    return switch (type.kind()) {
      case LONG -> a.l == b.l;
      case DOUBLE -> Double.doubleToLongBits(a.d) == Double.doubleToLongBits(b.d);
      case NUMERIC ->
          a.special == b.special
              && (a.special != 0 || (a.scale == b.scale && Numerics.compare(a, b) == 0));
      case BYTES ->
          java.util.Arrays.equals(a.bytes, a.off, a.off + a.len, b.bytes, b.off, b.off + b.len);
    };
  }
}
