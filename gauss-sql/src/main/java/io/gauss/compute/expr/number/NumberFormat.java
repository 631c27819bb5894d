package io.gauss.compute.expr.number;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.call.CastBodies;
import io.gauss.compute.type.Numerics;
import io.gauss.compute.type.TypeErrors;
import io.gauss.compute.type.Value;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A template of to_char and to_number for numbers; follows NUM_processor of formatting.c in the C
 * locale.
 */
public final class NumberFormat {
  private static final String[] KEYS = {
    "EEEE", "FM", "MI", "PL", "PR", "RN", "SG", "SP", "TH", "9", "0", "B", ",", ".", "D", "G", "L",
    "S", "V"
  };

  /** A pattern, or a literal character when {@code literal}. */
  private record Node(String key, boolean literal) {}

  private final List<Node> nodes = new ArrayList<>();
  private int before;
  private int after;
  private int multiplier;
  private int zeroStart = -1;

  /** Number of the last digit that is a 0 in the template, from 1; FM keeps it. */
  private int zeroEnd;

  private boolean fillMode;
  private boolean decimal;
  private boolean scientific;
  private boolean roman;
  private boolean lowerRoman;

  /** 0 none, 1 before the digits, 2 behind. */
  private int signPlace;

  private boolean bracket;
  private boolean ownSign;

  public NumberFormat(String template) {
    EvalContext.checkTemplate(template);
    int p = 0;
    boolean quoted = false;
    boolean shifted = false;
    while (p < template.length()) {
      char c = template.charAt(p);
      if (c == '"') {
        quoted = !quoted;
        p++;
        continue;
      }
      boolean escape = c == '\\' && p + 1 < template.length();
      if (escape && (quoted || template.charAt(p + 1) == '"')) {
        nodes.add(new Node(template.substring(p + 1, p + 2), true));
        p += 2;
        continue;
      }
      String key = quoted ? null : keyAt(template, p);
      if (key == null) {
        nodes.add(new Node(String.valueOf(c), true));
        p++;
        continue;
      }
      String written = template.substring(p, p + key.length());
      p += key.length();
      switch (key) {
        case "9", "0" -> {
          if (shifted) {
            multiplier++;
          } else if (decimal) {
            after++;
          } else {
            if (key.equals("0") && zeroStart < 0) {
              zeroStart = before;
            }
            before++;
          }
          zeroEnd = key.equals("0") && !shifted ? before + after : zeroEnd;
        }
        case ".", "D" -> {
          if (decimal) {
            throw syntax("multiple decimal points");
          }
          decimal = true;
        }
        case "V" -> {
          if (decimal) {
            throw syntax("cannot use \"V\" and decimal point together");
          }
          shifted = true;
        }
        case "FM" -> fillMode = true;
        case "S" -> {
          if (signPlace != 0) {
            throw syntax("cannot use \"S\" twice");
          }
          signPlace = before + after > 0 ? 2 : 1;
        }
        case "PR" -> bracket = true;
        case "MI", "SG" -> ownSign = true;
        case "EEEE" -> scientific = true;
        case "RN" -> {
          roman = true;
          lowerRoman = written.equals("rn");
        }
        default -> {}
      }
      nodes.add(new Node(key.equals("TH") ? written : key, false));
    }
  }

  private static GaussException syntax(String message) {
    return new GaussException(SqlState.SYNTAX_ERROR, message);
  }

  private static String keyAt(String template, int p) {
    for (String key : KEYS) {
      if (template.regionMatches(true, p, key, 0, key.length())) {
        return key;
      }
    }
    return null;
  }

  /**
   * @param special "NaN" or "Infinity" instead of a number, else null
   * @param rounding how digits after the template's last one are rounded
   * @param significant most digits to show; digits before the point are always shown
   */
  public String format(
      BigDecimal value,
      String special,
      boolean negativeSpecial,
      RoundingMode rounding,
      int significant) {
    if (roman) {
      return roman(special == null ? value : null);
    }
    if (scientific) {
      return scientific(special == null ? value : null);
    }
    boolean negative = negativeSpecial;
    String whole = "0";
    int digitsWanted = before;
    digitsWanted += multiplier;
    int shown = after;
    if (special == null) {
      BigDecimal shifted = shifted(value);
      int wholeDigits = shifted.setScale(0, rounding).abs().toPlainString().length();
      shown = Math.max(0, Math.min(after, significant - wholeDigits));
    } else if (significant != Integer.MAX_VALUE) {
      shown = Math.max(0, Math.min(after, significant - special.length()));
    }
    String fraction = "0".repeat(shown);
    if (special == null) {
      int rest = Math.max(0, shown - Numerics.MAX_SCALE);
      BigDecimal rounded = shifted(value).setScale(shown - rest, rounding);
      negative = rounded.signum() < 0;
      String digits = rounded.abs().toPlainString();
      int point = digits.indexOf('.');
      whole = point < 0 ? digits : digits.substring(0, point);
      fraction = point < 0 ? "" : digits.substring(point + 1) + "0".repeat(rest);
    }
    if (special != null && special.length() <= digitsWanted) {
      whole = special;
      fraction = "";
    } else if (special != null || whole.length() > digitsWanted) {
      // A number that does not fit is shown as #.
      whole = "#".repeat(digitsWanted);
      fraction = "#".repeat(shown);
    }
    return new Writer(whole, fraction, negative, digitsWanted).write();
  }

  /**
   * Multiplied as V asks for.
   *
   * @throws GaussException 22003 when that is more than a numeric can hold
   */
  private BigDecimal shifted(BigDecimal value) {
    if (multiplier == 0) {
      return value;
    }
    if (multiplier >= Numerics.MAX_WHOLE_DIGITS) {
      throw TypeErrors.numericOverflow();
    }
    BigDecimal shifted = value.movePointRight(multiplier);
    Numerics.checkRange(shifted);
    return shifted;
  }

  private String scientific(BigDecimal value) {
    if (value == null) {
      return " #." + "#".repeat(after) + "####";
    }
    String text;
    // No value has more digits: what follows them are zeros.
    int shown = Math.min(after, Numerics.MAX_WHOLE_DIGITS + Numerics.MAX_SCALE);
    String rest = "0".repeat(after - shown);
    if (value.signum() == 0) {
      text = (shown == 0 ? "0" : "0." + "0".repeat(shown)) + rest + "e+00";
    } else {
      BigDecimal rounded = value.round(new java.math.MathContext(shown + 1, RoundingMode.HALF_UP));
      int exponent = rounded.precision() - rounded.scale() - 1;
      String mantissa =
          rounded
              .movePointLeft(exponent)
              .abs()
              .setScale(shown, RoundingMode.HALF_UP)
              .toPlainString();
      text =
          mantissa + rest + "e" + (exponent < 0 ? "-" : "+") + "%02d".formatted(Math.abs(exponent));
    }
    return (value.signum() < 0 ? "-" : fillMode ? "" : " ") + text;
  }

  private String roman(BigDecimal value) {
    Value argument = new Value();
    if (value == null) {
      io.gauss.compute.type.Numerics.setSpecial(argument, io.gauss.compute.type.Numerics.NAN);
    } else {
      argument.setNumeric(value);
    }
    int number = (int) CastBodies.fromNumeric(argument, io.gauss.compute.type.PgType.INT4);
    String text = number < 1 || number > 3999 ? "#".repeat(15) : toRoman(number);
    if (lowerRoman) {
      text = text.toLowerCase(Locale.ROOT);
    }
    return fillMode ? text : " ".repeat(Math.max(0, 15 - text.length())) + text;
  }

  private static String toRoman(int number) {
    int[] values = {1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1};
    String[] digits = {"M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"};
    StringBuilder out = new StringBuilder();
    int rest = number;
    for (int i = 0; i < values.length; i++) {
      while (rest >= values[i]) {
        out.append(digits[i]);
        rest -= values[i];
      }
    }
    return out.toString();
  }

  /** Lays the digits out along the template. */
  private final class Writer {
    private final StringBuilder out = new StringBuilder();
    private final String number;
    private final boolean negative;
    private final int blanks;
    private final boolean zeroWhole;
    private final int count;
    private int current;
    private int position;
    private boolean signWritten;
    private boolean inNumber;

    /** Index in {@link #number} of the last character that FM keeps; -1 keeps all. */
    private int lastRelevant = -1;

    Writer(String whole, String fraction, boolean negative, int digitsWanted) {
      number = fraction.isEmpty() ? whole : whole + "." + fraction;
      this.negative = negative;
      blanks = digitsWanted - whole.length();
      zeroWhole = whole.equals("0");
      count = digitsWanted + after - 1;
      if (fillMode && decimal && number.indexOf('.') >= 0) {
        lastRelevant = number.length() - 1;
        while (number.charAt(lastRelevant) == '0') {
          lastRelevant--;
        }
        lastRelevant =
            Math.max(lastRelevant, Math.min(zeroEnd - Math.max(0, blanks), number.length() - 1));
      }
      signWritten = ownSign && signPlace == 0 && !bracket;
    }

    private boolean zeros() {
      return zeroStart >= 0;
    }

    /** ".5" rather than "0.5" when no 0 stands before the point. */
    private boolean dropsZero() {
      return !zeros() && position == 0 && zeroWhole && after > 0;
    }

    String write() {
      for (Node node : nodes) {
        if (node.literal()) {
          out.append(node.key());
          continue;
        }
        switch (node.key()) {
          case "9", "0", ".", "D" -> digit(node.key());
          case ",", "G" -> group();
          case "MI" -> sign(negative ? "-" : " ");
          case "PL" -> sign(negative ? " " : "+");
          case "SG" -> out.append(negative ? '-' : '+');
          case "L" -> out.append(' ');
          case "TH", "th", "Th", "tH" -> {
            if (number.equals("NaN")) {
              throw new GaussException(
                  SqlState.INVALID_TEXT_REPRESENTATION, "\"NaN\" is not a number");
            }
            if (!negative && !decimal && !number.startsWith("#")) {
              out.append(ordinal(Long.parseLong(lastDigits()), node.key().startsWith("T")));
            }
          }
          default -> {}
        }
      }
      return out.toString();
    }

    private String lastDigits() {
      return number.substring(Math.max(0, number.length() - 2));
    }

    private void sign(String text) {
      if (!text.equals(" ")) {
        out.append(text);
      } else if (!fillMode) {
        out.append(' ');
      }
    }

    private void group() {
      if (inNumber) {
        out.append(',');
      } else if (!fillMode) {
        out.append(' ');
      }
    }

    private void leadingSign() {
      boolean starts = current >= blanks || (zeros() && zeroStart == current);
      boolean pointKept = lastRelevant >= 0 && number.charAt(lastRelevant) == '.';
      if (signWritten || !starts || (dropsZero() && !pointKept)) {
        return;
      }
      if (signPlace != 0) {
        if (signPlace == 1) {
          out.append(negative ? '-' : '+');
        }
        signWritten = true;
      } else if (bracket) {
        if (negative) {
          out.append('<');
        } else if (!fillMode) {
          out.append(' ');
        }
        signWritten = true;
      } else if (!negative) {
        if (!fillMode) {
          out.append(' ');
        }
        signWritten = true;
      } else {
        out.append('-');
        signWritten = true;
      }
    }

    private void digit(String key) {
      leadingSign();
      boolean point = key.equals(".") || key.equals("D");
      if (current < blanks && (!zeros() || zeroStart > current)) {
        if (!fillMode) {
          out.append(' ');
        }
      } else if (zeros() && current < blanks && zeroStart <= current) {
        out.append('0');
        inNumber = true;
      } else if (point && number.indexOf('.') < 0 && !number.startsWith("#")) {
        // Without digits after it, the point is not shown.
        inNumber = true;
      } else if (point) {
        boolean atEnd = lastRelevant >= 0 && number.charAt(lastRelevant) == '.';
        if (!atEnd || fillMode) {
          out.append('.');
        }
        if (position < number.length() && number.charAt(position) == '.') {
          position++;
        }
      } else {
        number(key);
      }
      if (!point) {
        current++;
      }
      if (current == count + 1 && !point) {
        trailer();
      }
    }

    private void number(String key) {
      if (position < number.length() && number.charAt(position) == '.') {
        position++;
      }
      boolean beyond = position >= number.length();
      if (lastRelevant >= 0 && position > lastRelevant && !key.equals("0")) {
        // FM drops trailing zeros.
        position++;
        return;
      }
      if (dropsZero()) {
        boolean pointKept = lastRelevant >= 0 && number.charAt(lastRelevant) == '.';
        if (!fillMode) {
          out.append(' ');
        } else if (pointKept) {
          out.append('0');
        }
        position++;
        return;
      }
      if (!beyond) {
        out.append(number.charAt(position));
        inNumber = true;
      }
      position++;
    }

    private void trailer() {
      if (bracket && signWritten) {
        if (negative) {
          out.append('>');
        } else if (!fillMode) {
          out.append(' ');
        }
      } else if (signPlace == 2) {
        out.append(negative ? '-' : '+');
      }
    }
  }

  /** to_number: reads the digits, sign and point that the template provides for. */
  public BigDecimal parse(String text) {
    StringBuilder digits = new StringBuilder();
    boolean negative = false;
    boolean point = false;
    int seenBefore = 0;
    for (int p = 0; p < text.length(); p++) {
      char c = text.charAt(p);
      if (c >= '0' && c <= '9') {
        if (!point && seenBefore == before) {
          break;
        }
        seenBefore += point ? 0 : 1;
        digits.append(c);
      } else if (c == '.' && decimal && !point) {
        point = true;
        digits.append('.');
      } else if (c == '-' || c == '<') {
        negative = true;
      } else if (c == '.' && !decimal) {
        break;
      }
    }
    String plain = digits.toString();
    if (plain.isEmpty() || plain.equals(".")) {
      throw new GaussException(
          SqlState.INVALID_TEXT_REPRESENTATION, "invalid input syntax for type numeric: \" \"");
    }
    BigDecimal value = Numerics.parse(plain);
    int shown = Math.min(after, Math.max(0, value.scale()));
    value = value.setScale(shown, RoundingMode.DOWN);
    if (multiplier > 0) {
      Value a = new Value();
      Value b = new Value();
      Value quotient = new Value();
      a.setNumeric(value);
      b.setNumeric(shifted(BigDecimal.ONE));
      NumericMath.divide(a, b, quotient);
      value = Numerics.toBig(quotient);
    }
    return negative ? value.negate() : value;
  }

  /** The ending of an ordinal number in English: st, nd, rd or th. */
  public static String ordinal(long value, boolean upper) {
    long last = Math.abs(value) % 10;
    String suffix =
        Math.abs(value) / 10 % 10 == 1 || last > 3 || last == 0
            ? "TH"
            : last == 1 ? "ST" : last == 2 ? "ND" : "RD";
    return upper ? suffix : suffix.toLowerCase(Locale.ROOT);
  }
}
