package io.gauss.compute.expr.text;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Texts;
import io.gauss.compute.expr.call.Define;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.FunctionRegistry.Builder;
import io.gauss.compute.type.ArrayBuilder;
import io.gauss.compute.type.Ascii;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.Value;

/** {@code parse_ident}. */
public final class IdentifierLibrary implements FunctionRegistry.Library {
  private static final TypeCodec TEXT = TypeCodec.of(PgType.TEXT);

  @Override
  public void register(Builder to) {
    Define define = new Define(to);
    define.fn("parse_ident(text) text[]", (ctx, a, out) -> identifiers(ctx, a, true, out));
    define.fn(
        "parse_ident(text, bool) text[]", (ctx, a, b, out) -> identifiers(ctx, a, b.l != 0, out));
  }

  private static void add(EvalContext ctx, ArrayBuilder pieces, String piece) {
    Value item = ctx.acquire();
    Texts.set(ctx, piece, item);
    pieces.add(TEXT, item);
    ctx.release();
  }

  /**
   * @param strict rejects characters after the last name
   */
  private static void identifiers(EvalContext ctx, Value text, boolean strict, Value out) {
    String whole = Texts.get(text);
    ArrayBuilder names = new ArrayBuilder(PgType.TEXT);
    int p = skipSpace(whole, 0);
    boolean afterDot = false;
    while (true) {
      int start = p;
      if (p < whole.length() && whole.charAt(p) == '"') {
        int end = p + 1;
        while (true) {
          end = whole.indexOf('"', end);
          if (end < 0) {
            throw invalid(whole).detail("String has unclosed double quotes.");
          }
          if (!whole.startsWith("\"\"", end)) {
            break;
          }
          end += 2;
        }
        String name = whole.substring(p + 1, end).replace("\"\"", "\"");
        if (name.isEmpty()) {
          throw invalid(whole).detail("Quoted identifier must not be empty.");
        }
        add(ctx, names, name);
        p = end + 1;
      } else if (p < whole.length() && startsName(whole.charAt(p))) {
        while (p < whole.length() && continuesName(whole.charAt(p))) {
          p++;
        }
        add(ctx, names, Ascii.toLower(whole.substring(start, p)));
      } else if (p < whole.length() && whole.charAt(p) == '.') {
        throw invalid(whole).detail("No valid identifier before \".\".");
      } else if (afterDot) {
        throw invalid(whole).detail("No valid identifier after \".\".");
      } else {
        throw invalid(whole);
      }
      p = skipSpace(whole, p);
      if (p == whole.length() || whole.charAt(p) != '.') {
        break;
      }
      afterDot = true;
      p = skipSpace(whole, p + 1);
    }
    if (strict && p < whole.length()) {
      throw invalid(whole);
    }
    names.finish(out);
  }

  private static boolean startsName(char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
  }

  private static boolean continuesName(char c) {
    return startsName(c) || (c >= '0' && c <= '9') || c == '$';
  }

  private static int skipSpace(String text, int from) {
    int p = from;
    while (p < text.length() && " \t\n\r\f\013".indexOf(text.charAt(p)) >= 0) {
      p++;
    }
    return p;
  }

  private static GaussException invalid(String text) {
    return new GaussException(
        SqlState.INVALID_PARAMETER_VALUE, "string is not a valid identifier: \"" + text + "\"");
  }
}
