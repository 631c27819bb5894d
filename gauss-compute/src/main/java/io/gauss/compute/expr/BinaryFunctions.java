package io.gauss.compute.expr;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.TypeContext;
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
    define.fn("gen_random_uuid() uuid volatile", BinaryFunctions::randomUuid);
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
