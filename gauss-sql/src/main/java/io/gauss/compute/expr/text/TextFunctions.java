package io.gauss.compute.expr.text;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Texts;
import io.gauss.compute.type.Ascii;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.Utf8;
import io.gauss.compute.type.Value;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Bodies of string functions on UTF-8 bytes. Results are ranges of an argument where that is
 * possible.
 */
final class TextFunctions {
  private static final int DELETED = -1;
  private static final int COMPARED_BETWEEN_CHECKS = 1 << 22;

  private TextFunctions() {}

  static void concat(EvalContext ctx, Value a, Value b, Value out) {
    EvalContext.checkLength((long) a.len + b.len);
    int start = ctx.allocate(a.len + b.len);
    byte[] bytes = ctx.scratch();
    System.arraycopy(a.bytes, a.off, bytes, start, a.len);
    System.arraycopy(b.bytes, b.off, bytes, start + a.len, b.len);
    out.setBytes(bytes, start, a.len + b.len);
  }

  static void changeCase(EvalContext ctx, Value a, boolean upper, Value out) {
    if (Utf8.isAscii(a.bytes, a.off, a.len)) {
      int start = ctx.allocate(a.len);
      byte[] to = ctx.scratch();
      int low = upper ? 'a' : 'A';
      for (int i = 0; i < a.len; i++) {
        byte c = a.bytes[a.off + i];
        to[start + i] = c >= low && c < low + 26 ? (byte) (c ^ 0x20) : c;
      }
      out.setBytes(to, start, a.len);
      return;
    }
    ByteSink sink = ctx.textSink();
    for (int p = a.off; p < a.off + a.len; p += Utf8.sequenceLength(a.bytes[p])) {
      int c = Utf8.codePoint(a.bytes, p);
      Utf8.putCodePoint(upper ? Character.toUpperCase(c) : Character.toLowerCase(c), sink);
    }
    ctx.copyTo(sink, out);
  }

  static void initcap(EvalContext ctx, Value a, Value out) {
    ByteSink sink = ctx.textSink();
    boolean inWord = false;
    for (int p = a.off; p < a.off + a.len; p += Utf8.sequenceLength(a.bytes[p])) {
      int c = Utf8.codePoint(a.bytes, p);
      Utf8.putCodePoint(inWord ? Character.toLowerCase(c) : Character.toUpperCase(c), sink);
      inWord = Character.isLetterOrDigit(c);
    }
    ctx.copyTo(sink, out);
  }

  /** Character position of b in a from 1, 0 when there is none. */
  static long position(EvalContext ctx, Value a, Value b) {
    int at = Texts.find(ctx, a, b, 0);
    return at < 0 ? 0 : Utf8.characters(a.bytes, a.off, at) + 1;
  }

  static boolean startsWith(Value a, Value b) {
    return a.len >= b.len
        && Arrays.equals(a.bytes, a.off, a.off + b.len, b.bytes, b.off, b.off + b.len);
  }

  static void replace(EvalContext ctx, Value a, Value from, Value to, Value out) {
    int at = from.len == 0 ? -1 : Texts.find(ctx, a, from, 0);
    if (at < 0) {
      out.set(a);
      return;
    }
    ByteSink sink = ctx.textSink();
    int done = 0;
    while (at >= 0) {
      sink.putBytes(a.bytes, a.off + done, at - done);
      sink.putBytes(to.bytes, to.off, to.len);
      EvalContext.checkLength(sink.length);
      done = at + from.len;
      at = Texts.find(ctx, a, from, done);
    }
    sink.putBytes(a.bytes, a.off + done, a.len - done);
    ctx.copyTo(sink, out);
  }

  static void translate(EvalContext ctx, Value a, Value from, Value to, Value out) {
    int[] source = Texts.get(from).codePoints().toArray();
    int[] target = Texts.get(to).codePoints().toArray();
    Map<Integer, Integer> becomes = HashMap.newHashMap(source.length);
    for (int i = 0; i < source.length; i++) {
      becomes.putIfAbsent(source[i], i < target.length ? target[i] : DELETED);
    }
    ByteSink sink = ctx.textSink();
    for (int p = a.off; p < a.off + a.len; p += Utf8.sequenceLength(a.bytes[p])) {
      int c = Utf8.codePoint(a.bytes, p);
      int other = becomes.getOrDefault(c, c);
      if (other != DELETED) {
        Utf8.putCodePoint(other, sink);
      }
    }
    ctx.copyTo(sink, out);
  }

  static void splitPart(EvalContext ctx, Value a, Value separator, long field, Value out) {
    if (field == 0) {
      throw new GaussException(SqlState.INVALID_PARAMETER_VALUE, "field position must not be zero");
    }
    if (a.len == 0) {
      out.setBytes(a.bytes, a.off, 0);
      return;
    }
    if (separator.len == 0) {
      out.setBytes(a.bytes, a.off, field == 1 || field == -1 ? a.len : 0);
      return;
    }
    long wanted = field;
    if (field < 0) {
      long parts = 1;
      for (int at = Texts.find(ctx, a, separator, 0);
          at >= 0;
          at = Texts.find(ctx, a, separator, at + separator.len)) {
        parts++;
      }
      wanted = parts + field + 1;
      if (wanted < 1) {
        out.setBytes(a.bytes, a.off, 0);
        return;
      }
    }
    int start = 0;
    for (long i = 1; i < wanted; i++) {
      int at = Texts.find(ctx, a, separator, start);
      if (at < 0) {
        out.setBytes(a.bytes, a.off, 0);
        return;
      }
      start = at + separator.len;
    }
    int end = Texts.find(ctx, a, separator, start);
    out.setBytes(a.bytes, a.off + start, (end < 0 ? a.len : end) - start);
  }

  static void repeat(EvalContext ctx, Value a, long count, Value out) {
    long times = Math.max(0, count);
    EvalContext.checkLength(times * a.len);
    int length = (int) (times * a.len);
    int start = ctx.allocate(length);
    byte[] bytes = ctx.scratch();
    for (int p = start; p < start + length; p += a.len) {
      System.arraycopy(a.bytes, a.off, bytes, p, a.len);
    }
    out.setBytes(bytes, start, length);
  }

  static void reverse(EvalContext ctx, Value a, Value out) {
    int start = ctx.allocate(a.len);
    byte[] to = ctx.scratch();
    int end = start + a.len;
    for (int p = a.off; p < a.off + a.len; ) {
      int n = Utf8.sequenceLength(a.bytes[p]);
      end -= n;
      System.arraycopy(a.bytes, p, to, end, n);
      p += n;
    }
    out.setBytes(to, start, a.len);
  }

  static void pad(EvalContext ctx, Value a, long width, Value fill, boolean left, Value out) {
    long wanted = Math.max(0, width);
    int have = Utf8.characters(a.bytes, a.off, a.len);
    if (have >= wanted || fill.len == 0) {
      int kept = Utf8.prefixBytes(a.bytes, a.off, a.len, (int) Math.min(wanted, have));
      out.setBytes(a.bytes, a.off, kept);
      return;
    }
    EvalContext.checkLength(wanted);
    ByteSink sink = ctx.textSink();
    if (!left) {
      sink.putBytes(a.bytes, a.off, a.len);
    }
    int p = 0;
    for (long i = have; i < wanted; i++) {
      int n = Utf8.sequenceLength(fill.bytes[fill.off + p]);
      sink.putBytes(fill.bytes, fill.off + p, n);
      p += n;
      if (p == fill.len) {
        p = 0;
      }
    }
    if (left) {
      sink.putBytes(a.bytes, a.off, a.len);
    }
    ctx.copyTo(sink, out);
  }

  static void chr(EvalContext ctx, long code, Value out) {
    if (code < 0) {
      throw new GaussException(
          SqlState.INVALID_PARAMETER_VALUE, "character number must be positive");
    }
    if (code == 0) {
      throw new GaussException(SqlState.PROGRAM_LIMIT_EXCEEDED, "null character not permitted");
    }
    if (code > 0x10FFFF) {
      throw new GaussException(
          SqlState.PROGRAM_LIMIT_EXCEEDED, "requested character too large for encoding: " + code);
    }
    if (code >= 0xD800 && code <= 0xDFFF) {
      throw new GaussException(
          SqlState.PROGRAM_LIMIT_EXCEEDED, "requested character not valid for encoding: " + code);
    }
    ByteSink sink = ctx.textSink();
    Utf8.putCodePoint((int) code, sink);
    ctx.copyTo(sink, out);
  }

  /** Characters [start, start + length), counted from 1; positions before the text also count. */
  static void substring(Value a, long start, long length, Value out) {
    long end = length == Integer.MAX_VALUE ? Long.MAX_VALUE : start + length;
    if (end < start) {
      throw negativeLength();
    }
    long first = Math.max(1, start);
    if (end <= first) {
      out.setBytes(a.bytes, a.off, 0);
      return;
    }
    int skip = Utf8.prefixBytes(a.bytes, a.off, a.len, clamp(first - 1));
    int rest = a.len - skip;
    out.setBytes(
        a.bytes, a.off + skip, Utf8.prefixBytes(a.bytes, a.off + skip, rest, clamp(end - first)));
  }

  private static int clamp(long value) {
    return (int) Math.min(value, Integer.MAX_VALUE);
  }

  private static GaussException negativeLength() {
    return new GaussException(SqlState.SUBSTRING_ERROR, "negative substring length not allowed");
  }

  static void subBytes(Value a, long start, long length, Value out) {
    long end = length == Integer.MAX_VALUE ? Long.MAX_VALUE : start + length;
    if (end < start) {
      throw negativeLength();
    }
    long first = Math.min(Math.max(1, start), a.len + 1L);
    long last = Math.max(first, Math.min(end, a.len + 1L));
    out.setBytes(a.bytes, a.off + (int) first - 1, (int) (last - first));
  }

  /** The first n characters; all but the last -n when negative. */
  static void left(Value a, long n, Value out) {
    long count = n >= 0 ? n : Math.max(0, Utf8.characters(a.bytes, a.off, a.len) + n);
    out.setBytes(a.bytes, a.off, Utf8.prefixBytes(a.bytes, a.off, a.len, clamp(count)));
  }

  /** The last n characters; all but the first -n when negative. */
  static void right(Value a, long n, Value out) {
    long skip = n < 0 ? -n : Math.max(0, Utf8.characters(a.bytes, a.off, a.len) - n);
    int bytes = Utf8.prefixBytes(a.bytes, a.off, a.len, clamp(skip));
    out.setBytes(a.bytes, a.off + bytes, a.len - bytes);
  }

  static void trim(EvalContext ctx, Value a, Value set, boolean start, boolean end, Value out) {
    int from = a.off;
    int to = a.off + a.len;
    long compared = 0;
    while (start && from < to && containsCharacter(set, a.bytes, from)) {
      from += Utf8.sequenceLength(a.bytes[from]);
      compared = compared(ctx, compared, set.len);
    }
    while (end && to > from) {
      int p = to - 1;
      while ((a.bytes[p] & 0xC0) == 0x80) {
        p--;
      }
      if (!containsCharacter(set, a.bytes, p)) {
        break;
      }
      to = p;
      compared = compared(ctx, compared, set.len);
    }
    out.setBytes(a.bytes, from, to - from);
  }

  /** Adds to what has been compared since the last look whether the session may continue. */
  private static long compared(EvalContext ctx, long before, int more) {
    long now = before + more;
    if (now < COMPARED_BETWEEN_CHECKS) {
      return now;
    }
    ctx.longWork.run();
    return 0;
  }

  private static boolean containsCharacter(Value set, byte[] bytes, int at) {
    int n = Utf8.sequenceLength(bytes[at]);
    for (int p = set.off; p < set.off + set.len; p += Utf8.sequenceLength(set.bytes[p])) {
      if (Arrays.equals(set.bytes, p, p + Utf8.sequenceLength(set.bytes[p]), bytes, at, at + n)) {
        return true;
      }
    }
    return false;
  }

  static void trimBytes(Value a, Value set, boolean start, boolean end, Value out) {
    BitSet trimmed = new BitSet(256);
    for (int p = set.off; p < set.off + set.len; p++) {
      trimmed.set(set.bytes[p] & 0xFF);
    }
    int from = a.off;
    int to = a.off + a.len;
    while (start && from < to && trimmed.get(a.bytes[from] & 0xFF)) {
      from++;
    }
    while (end && to > from && trimmed.get(a.bytes[to - 1] & 0xFF)) {
      to--;
    }
    out.setBytes(a.bytes, from, to - from);
  }

  static void overlay(EvalContext ctx, Value a, Value with, long start, long length, Value out) {
    if (start <= 0) {
      throw negativeLength();
    }
    Value head = ctx.acquire();
    Value tail = ctx.acquire();
    substring(a, 1, start - 1, head);
    substring(a, start + length, Integer.MAX_VALUE, tail);
    ByteSink sink = ctx.textSink();
    sink.putBytes(head.bytes, head.off, head.len);
    sink.putBytes(with.bytes, with.off, with.len);
    sink.putBytes(tail.bytes, tail.off, tail.len);
    ctx.copyTo(sink, out);
    ctx.release(2);
  }

  /** Case-insensitive comparison of ASCII, for option names. */
  static boolean equalsIgnoreCase(Value a, String word) {
    if (a.len != word.length()) {
      return false;
    }
    for (int i = 0; i < a.len; i++) {
      if (Ascii.toLower(a.bytes[a.off + i]) != word.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
