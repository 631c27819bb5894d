package io.gauss.compute.expr.text;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Texts;
import io.gauss.compute.expr.call.Define;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.TypeContext;
import io.gauss.compute.type.TypeErrors;
import io.gauss.compute.type.Utf8;
import io.gauss.compute.type.Value;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;

/** Functions on bytea, digests, and uuid generation. */
final class BinaryFunctions {
  private static final int LINE = 76;

  void register(Define define) {
    for (String type : new String[] {"text", "bytea"}) {
      define.fn(
          "md5(" + type + ") text",
          (ctx, a, out) -> Texts.set(ctx, HexFormat.of().formatHex(digest("MD5", a)), out));
    }
    for (String bits : new String[] {"224", "256", "384", "512"}) {
      define.fn(
          "sha" + bits + "(bytea) bytea",
          (ctx, a, out) -> {
            byte[] hash = digest("SHA-" + bits, a);
            out.setBytes(hash, 0, hash.length);
          });
    }
    define.fn("encode(bytea, text) text", BinaryFunctions::encode);
    define.fn("decode(text, text) bytea", BinaryFunctions::decode);
    define.fn(
        "convert_from(bytea, name) text stable",
        (ctx, a, b, out) -> {
          checkUtf8(b);
          Utf8.check(a.bytes, a.off, a.len);
          out.set(a);
        });
    define.fn(
        "convert_to(text, name) bytea stable",
        (ctx, a, b, out) -> {
          checkUtf8(b);
          out.set(a);
        });
    define.fn(
        "get_byte(bytea, int4) int4",
        (ctx, a, b, out) -> out.setLong(a.bytes[a.off + checkIndex(b.l, a.len)] & 0xFF));
    define.fn(
        "set_byte(bytea, int4, int4) bytea",
        (ctx, a, b, c, out) -> {
          int index = checkIndex(b.l, a.len);
          ctx.copyTo(a.bytes, a.off, a.len, out);
          out.bytes[out.off + index] = (byte) c.l;
        });
    define.fn(
        "get_bit(bytea, int8) int4",
        (ctx, a, b, out) -> {
          long bit = checkBit(b.l, a.len);
          out.setLong(a.bytes[a.off + (int) (bit / 8)] >> bit % 8 & 1);
        });
    define.fn(
        "set_bit(bytea, int8, int4) bytea",
        (ctx, a, b, c, out) -> {
          long bit = checkBit(b.l, a.len);
          if (c.l != 0 && c.l != 1) {
            throw new GaussException(SqlState.INVALID_PARAMETER_VALUE, "new bit must be 0 or 1");
          }
          ctx.copyTo(a.bytes, a.off, a.len, out);
          int at = out.off + (int) (bit / 8);
          int mask = 1 << bit % 8;
          out.bytes[at] = (byte) (c.l == 1 ? out.bytes[at] | mask : out.bytes[at] & ~mask);
        });
    define.fn(
        "bit_count(bytea) int8",
        (ctx, a, out) -> {
          long bits = 0;
          for (int i = 0; i < a.len; i++) {
            bits += Integer.bitCount(a.bytes[a.off + i] & 0xFF);
          }
          out.setLong(bits);
        });
    define.fn(
        "overlay(bytea, bytea, int4) bytea",
        (ctx, a, b, c, out) -> overlay(ctx, a, b, c.l, b.len, out));
    define.fnN(
        "overlay(bytea, bytea, int4, int4) bytea",
        (ctx, v, out) -> overlay(ctx, v[0], v[1], v[2].l, v[3].l, out));
    define.fn("gen_random_uuid() uuid volatile", BinaryFunctions::randomUuid);
  }

  private static long checkBit(long index, int length) {
    if (index < 0 || index >= length * 8L) {
      throw new GaussException(
          SqlState.ARRAY_SUBSCRIPT_ERROR,
          "index " + index + " out of valid range, 0.." + (length * 8L - 1));
    }
    return index;
  }

  /** The bytes with a part replaced that begins at byte {@code start}, counted from 1. */
  private static void overlay(
      EvalContext ctx, Value a, Value with, long start, long length, Value out) {
    if (start <= 0) {
      throw new GaussException(SqlState.SUBSTRING_ERROR, "negative substring length not allowed");
    }
    if (start + length > Integer.MAX_VALUE) {
      throw TypeErrors.outOfRange(PgType.INT4);
    }
    int head = (int) Math.min(start - 1, a.len);
    int tail = (int) Math.max(0, Math.min(start - 1 + length, a.len));
    ByteSink sink = new ByteSink(a.len + with.len);
    sink.putBytes(a.bytes, a.off, head);
    sink.putBytes(with.bytes, with.off, with.len);
    sink.putBytes(a.bytes, a.off + tail, a.len - tail);
    ctx.copyTo(sink, out);
  }

  private static int checkIndex(long index, int length) {
    if (index < 0 || index >= length) {
      throw new GaussException(
          SqlState.ARRAY_SUBSCRIPT_ERROR,
          "index " + index + " out of valid range, 0.." + (length - 1));
    }
    return (int) index;
  }

  private static void checkUtf8(Value name) {
    if (!TextFunctions.equalsIgnoreCase(name, "utf8")
        && !TextFunctions.equalsIgnoreCase(name, "utf-8")) {
      throw GaussException.notSupported("encoding \"" + Texts.get(name) + "\"");
    }
  }

  private static byte[] digest(String algorithm, Value a) {
    try {
      MessageDigest digest = MessageDigest.getInstance(algorithm);
      digest.update(a.bytes, a.off, a.len);
      return digest.digest();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static GaussException unknownEncoding(Value name) {
    return new GaussException(
        SqlState.INVALID_PARAMETER_VALUE, "unrecognized encoding: \"" + Texts.get(name) + "\"");
  }

  private static void encode(EvalContext ctx, Value a, Value format, Value out) {
    if (TextFunctions.equalsIgnoreCase(format, "hex")) {
      ByteSink sink = ctx.textSink();
      TypeCodec.of(PgType.BYTEA).writeText(a, TypeContext.DEFAULT, sink);
      // Without the leading \x.
      ctx.copyTo(sink.array, 2, sink.length - 2, out);
    } else if (TextFunctions.equalsIgnoreCase(format, "base64")) {
      byte[] bytes = java.util.Arrays.copyOfRange(a.bytes, a.off, a.off + a.len);
      String text =
          new String(
              Base64.getMimeEncoder(LINE, new byte[] {'\n'}).encode(bytes),
              StandardCharsets.US_ASCII);
      Texts.set(ctx, text, out);
    } else if (TextFunctions.equalsIgnoreCase(format, "escape")) {
      ByteSink sink = ctx.textSink();
      for (int i = a.off; i < a.off + a.len; i++) {
        int b = a.bytes[i] & 0xFF;
        if (b == 0 || b >= 0x80) {
          sink.putByte('\\');
          sink.putByte('0' + (b >> 6));
          sink.putByte('0' + (b >> 3 & 7));
          sink.putByte('0' + (b & 7));
        } else {
          if (b == '\\') {
            sink.putByte('\\');
          }
          sink.putByte(b);
        }
      }
      ctx.copyTo(sink, out);
    } else {
      throw unknownEncoding(format);
    }
  }

  private static void decode(EvalContext ctx, Value a, Value format, Value out) {
    if (TextFunctions.equalsIgnoreCase(format, "hex")) {
      ByteSink sink = ctx.textSink();
      sink.putString("\\x");
      sink.putBytes(a.bytes, a.off, a.len);
      TypeCodec.of(PgType.BYTEA).readText(sink.array, 0, sink.length, TypeContext.DEFAULT, out);
    } else if (TextFunctions.equalsIgnoreCase(format, "base64")) {
      byte[] text = Texts.get(a).replaceAll("[ \\t\\n\\r]", "").getBytes(StandardCharsets.UTF_8);
      try {
        byte[] bytes = Base64.getDecoder().decode(text);
        out.setBytes(bytes, 0, bytes.length);
      } catch (IllegalArgumentException e) {
        throw new GaussException(
            SqlState.INVALID_PARAMETER_VALUE, "invalid base64 end sequence", e);
      }
    } else if (TextFunctions.equalsIgnoreCase(format, "escape")) {
      TypeCodec.of(PgType.BYTEA).readText(a.bytes, a.off, a.len, TypeContext.DEFAULT, out);
    } else {
      throw unknownEncoding(format);
    }
  }

  /** Version 4, from the context's randomness. */
  private static void randomUuid(EvalContext ctx, Value out) {
    ByteSink sink = new ByteSink(16);
    sink.putLong((ctx.random.nextLong() & ~0xF000L) | 0x4000L);
    sink.putLong((ctx.random.nextLong() & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L);
    out.setBytes(sink.array, 0, 16);
  }
}
