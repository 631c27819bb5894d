package io.gauss.compute.expr.text;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Texts;
import io.gauss.compute.expr.WatchedText;
import io.gauss.compute.type.ArrayBuilder;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The matches of a regular expression in a text, one after the other, as the regexp functions see
 * them. Positions count UTF-16 units; those of SQL count characters. One thread.
 */
public final class RegexpMatches {
  private static final TypeCodec TEXT = TypeCodec.of(PgType.TEXT);

  /** Of all matches of a text, which are in memory together. */
  private static final int LARGEST_RESULT = 1 << 28;

  /** Roughly, besides its text, of which there may be a copy of twice the length. */
  private static final int BYTES_OF_MATCH = 200;

  private final String text;
  private final Matcher matcher;
  private final int start;
  private boolean begun;

  private RegexpMatches(EvalContext ctx, String text, Pattern pattern, int start) {
    this.text = text;
    this.matcher = pattern.matcher(new WatchedText(text, ctx.longWork));
    this.start = start;
  }

  /**
   * @param options PostgreSQL's letters without g
   * @throws GaussException 2201B, 22023 for an unknown option
   */
  static RegexpMatches of(EvalContext ctx, Value text, Value pattern, String options) {
    return new RegexpMatches(ctx, Texts.get(text), ctx.regex(Texts.get(pattern), options), 0);
  }

  /**
   * Matches from a character on.
   *
   * @param first number of the first character to search, from 1
   * @throws GaussException 22023 when it is below 1
   */
  static RegexpMatches from(
      EvalContext ctx, Value text, Value pattern, long first, String options) {
    atLeast("start", first, 1);
    String whole = Texts.get(text);
    boolean inside = first - 1 <= whole.codePointCount(0, whole.length());
    int begin = inside ? whole.offsetByCodePoints(0, (int) first - 1) : whole.length() + 1;
    return new RegexpMatches(ctx, whole, ctx.regex(Texts.get(pattern), options), begin);
  }

  static void atLeast(String parameter, long value, long least) {
    if (value < least) {
      throw invalid(parameter, value);
    }
  }

  static GaussException invalid(String parameter, long value) {
    return new GaussException(
        SqlState.INVALID_PARAMETER_VALUE,
        "invalid value for parameter \"" + parameter + "\": " + value);
  }

  String text() {
    return text;
  }

  /** The match that {@link #next} found. */
  Matcher match() {
    return matcher;
  }

  /** Finds the next match; an empty one inside a surrogate pair does not count. */
  boolean next() {
    boolean found = begun ? matcher.find() : start <= text.length() && matcher.find(start);
    begun = true;
    while (found && splitsCharacter(matcher.start())) {
      found = matcher.find();
    }
    return found;
  }

  /** Moves to the n-th match from here; false when there is none. */
  boolean next(long n) {
    boolean found = true;
    for (long i = 0; i < n && found; i++) {
      found = next();
    }
    return found;
  }

  private boolean splitsCharacter(int at) {
    return at > 0
        && at < text.length()
        && Character.isSurrogatePair(text.charAt(at - 1), text.charAt(at));
  }

  /** Number of the character at a position, from 1. */
  int character(int at) {
    return text.codePointCount(0, at) + 1;
  }

  /** The match's groups as an array of text, or the whole match when there are none. */
  private void groups(EvalContext ctx, Value out) {
    ArrayBuilder builder = new ArrayBuilder(PgType.TEXT);
    Value item = ctx.acquire();
    int groups = matcher.groupCount();
    for (int i = Math.min(groups, 1); i <= groups; i++) {
      String group = matcher.group(i);
      if (group == null) {
        item.setNull();
      } else {
        Texts.set(ctx, group, item);
      }
      builder.add(TEXT, item);
    }
    ctx.release();
    builder.finish(out);
  }

  /** {@code regexp_match}: the first match's groups, NULL when there is none. */
  static void first(EvalContext ctx, RegexpMatches matches, Value out) {
    if (matches.next()) {
      matches.groups(ctx, out);
    } else {
      out.setNull();
    }
  }

  /**
   * {@code regexp_matches}: an array of text for each match, or only for the first one without the
   * option g. The caller may keep the values.
   */
  public static List<Value> all(EvalContext ctx, Value text, Value pattern, String options) {
    RegexpMatches matches = of(ctx, text, pattern, options.replace("g", ""));
    boolean every = options.indexOf('g') >= 0;
    List<Value> result = new ArrayList<>();
    long bytes = 0;
    while ((every || result.isEmpty()) && matches.next()) {
      Value groups = new Value();
      matches.groups(ctx, groups);
      result.add(groups);
      bytes += BYTES_OF_MATCH + 2L * groups.len;
      if (bytes > LARGEST_RESULT) {
        throw new GaussException(
            SqlState.PROGRAM_LIMIT_EXCEEDED, "too many regular expression matches");
      }
    }
    return result;
  }

  /**
   * {@code regexp_split_to_array}: the parts between the matches. Empty matches at the text's ends
   * and directly after another match are ignored.
   */
  static void split(EvalContext ctx, RegexpMatches matches, Value out) {
    ArrayBuilder builder = new ArrayBuilder(PgType.TEXT);
    Value item = ctx.acquire();
    String text = matches.text;
    int previous = 0;
    int piece = 0;
    while (matches.next()) {
      Matcher match = matches.match();
      if (match.start() < text.length() && match.end() > previous) {
        Texts.set(ctx, text.substring(piece, match.start()), item);
        builder.add(TEXT, item);
        piece = match.end();
      }
      previous = match.end();
    }
    Texts.set(ctx, text.substring(piece), item);
    builder.add(TEXT, item);
    ctx.release();
    builder.finish(out);
  }
}
