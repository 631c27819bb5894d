package io.gauss.compute.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.type.DateTimeLexer.Field;
import io.gauss.compute.type.DateTimeLexer.Kind;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Parses interval input: PostgreSQL's own form, the SQL form and ISO 8601 with designators. One
 * instance per text.
 */
final class IntervalParser {
  private final String text;
  private long months;
  private long days;
  private long micros;
  private final Set<String> used = new HashSet<>();

  IntervalParser(String text) {
    this.text = text;
  }

  long months() {
    return months;
  }

  long days() {
    return days;
  }

  long micros() {
    return micros;
  }

  private GaussException bad() {
    return new GaussException(
        SqlState.INVALID_DATETIME_FORMAT,
        "invalid input syntax for type interval: \"" + text + "\"");
  }

  private GaussException overflow() {
    return new GaussException(
        SqlState.INTERVAL_FIELD_OVERFLOW, "interval field value out of range: \"" + text + "\"");
  }

  void parse() {
    String stripped = text.strip();
    try {
      if (stripped.startsWith("P") || stripped.startsWith("p")) {
        parseIso(stripped.toUpperCase(Locale.ROOT));
      } else {
        parseFields();
      }
    } catch (ArithmeticException e) {
      throw overflow();
    }
    if ((int) months != months || (int) days != days) {
      throw new GaussException(SqlState.DATETIME_FIELD_OVERFLOW, "interval out of range");
    }
  }

  /** Parses from the last field to the first, since a unit follows its number. */
  private void parseFields() {
    List<Field> fields = DateTimeLexer.fields(text);
    if (fields == null || fields.isEmpty()) {
      throw bad();
    }
    String unit = null;
    boolean ago = false;
    boolean any = false;
    boolean unitUsed = true;
    for (int i = fields.size() - 1; i >= 0; i--) {
      Field field = fields.get(i);
      String word = field.text();
      if (field.kind() == Kind.STRING || field.kind() == Kind.SPECIAL) {
        if (word.equals("ago")) {
          if (i != fields.size() - 1) {
            throw bad();
          }
          ago = true;
          continue;
        }
        String named = DateTimeWords.unit(word);
        if (named == null || !unitUsed) {
          throw bad();
        }
        unit = named;
        unitUsed = false;
        continue;
      }
      any = true;
      unitUsed = true;
      boolean time =
          field.kind() == Kind.TIME || (field.kind() == Kind.ZONE && word.indexOf(':') >= 0);
      if (time) {
        addTime(word);
        unit = "day";
      } else {
        addNumber(word, unit == null ? "second" : unit);
        // A bare number to the left of another one has no unit.
        unit = word.indexOf('-', 1) > 0 ? "month" : unit == null ? "second" : unit;
      }
    }
    if (!any || !unitUsed) {
      throw bad();
    }
    if (ago) {
      months = Math.negateExact(months);
      days = Math.negateExact(days);
      micros = Math.negateExact(micros);
    }
  }

  private void addTime(String field) {
    use("hour");
    use("minute");
    use("second");
    boolean negative = field.charAt(0) == '-';
    String plain = negative || field.charAt(0) == '+' ? field.substring(1) : field;
    String[] parts = plain.split(":", -1);
    if (parts.length > 3) {
      throw bad();
    }
    String last = parts[parts.length - 1];
    int point = last.indexOf('.');
    double fraction = point < 0 ? 0 : fraction(last.substring(point));
    long lastValue = whole(point < 0 ? last : last.substring(0, point));
    long first = whole(parts[0]);
    long total;
    if (parts.length == 3) {
      long middle = whole(parts[1]);
      if (middle > 59 || lastValue > 60) {
        throw overflow();
      }
      total =
          Math.addExact(
              Math.multiplyExact(first, DateTimes.USECS_PER_HOUR),
              middle * DateTimes.USECS_PER_MINUTE + lastValue * DateTimes.USECS_PER_SECOND);
    } else if (point >= 0) {
      total =
          Math.multiplyExact(first, DateTimes.USECS_PER_MINUTE)
              + lastValue * DateTimes.USECS_PER_SECOND;
    } else {
      if (lastValue > 59) {
        throw overflow();
      }
      total =
          Math.addExact(
              Math.multiplyExact(first, DateTimes.USECS_PER_HOUR),
              lastValue * DateTimes.USECS_PER_MINUTE);
    }
    total = Math.addExact(total, (long) Math.rint(fraction * DateTimes.USECS_PER_SECOND));
    micros = Math.addExact(micros, negative ? -total : total);
  }

  private long whole(String digits) {
    if (digits.isEmpty()) {
      return 0;
    }
    try {
      return Long.parseLong(digits);
    } catch (NumberFormatException e) {
      throw isNumber(digits) ? overflow() : bad();
    }
  }

  private static boolean isNumber(String digits) {
    return digits.chars().allMatch(c -> Ascii.isDigit(c) || c == '-');
  }

  private double fraction(String pointAndDigits) {
    if (pointAndDigits.length() == 1) {
      return 0;
    }
    if (!pointAndDigits.substring(1).chars().allMatch(Ascii::isDigit)) {
      throw bad();
    }
    return Double.parseDouble("0" + pointAndDigits);
  }

  /** Records a unit, which may be given only once. */
  private void use(String unit) {
    if (!used.add(unit)) {
      throw bad();
    }
  }

  private void addNumber(String field, String unit) {
    boolean negative = field.charAt(0) == '-';
    String plain = negative || field.charAt(0) == '+' ? field.substring(1) : field;
    int dash = plain.indexOf('-');
    if (dash > 0) {
      // SQL's years-months.
      use("year");
      use("month");
      long years = whole(plain.substring(0, dash));
      if (plain.indexOf('-', dash + 1) > 0) {
        throw bad();
      }
      long more = whole(plain.substring(dash + 1));
      if (more > 11) {
        throw overflow();
      }
      long total = Math.addExact(Math.multiplyExact(years, 12L), more);
      months = Math.addExact(months, negative ? -total : total);
      return;
    }
    int point = plain.indexOf('.');
    long value = whole(point < 0 ? plain : plain.substring(0, point));
    if (value > Integer.MAX_VALUE && !unit.endsWith("second")) {
      throw overflow();
    }
    double rest = point < 0 ? 0 : fraction(plain.substring(point));
    add(unit, negative ? -value : value, negative ? -rest : rest);
  }

  private void add(String unit, long value, double rest) {
    use(unit);
    switch (unit) {
      case "microsecond" ->
          micros = Math.addExact(micros, Math.addExact(value, (long) Math.rint(rest)));
      case "millisecond" -> addMicros(value, rest, 1000);
      case "second" -> addMicros(value, rest, DateTimes.USECS_PER_SECOND);
      case "minute" -> addMicros(value, rest, DateTimes.USECS_PER_MINUTE);
      case "hour" -> addMicros(value, rest, DateTimes.USECS_PER_HOUR);
      case "day" -> {
        days = Math.addExact(days, value);
        addMicros(0, rest, DateTimes.USECS_PER_DAY);
      }
      case "week" -> {
        days = Math.addExact(days, Math.multiplyExact(value, 7L));
        addFractionalDays(rest, 7);
      }
      case "month" -> {
        months = Math.addExact(months, value);
        addFractionalDays(rest, 30);
      }
      case "year" -> addMonths(value, rest, 12);
      case "decade" -> addMonths(value, rest, 120);
      case "century" -> addMonths(value, rest, 1200);
      case "millennium" -> addMonths(value, rest, 12000);
      default -> throw bad();
    }
  }

  private void addMicros(long value, double rest, long unit) {
    long total = Math.multiplyExact(value, unit);
    micros = Math.addExact(micros, Math.addExact(total, (long) Math.rint(rest * unit)));
  }

  private void addFractionalDays(double rest, int scale) {
    double exact = rest * scale;
    long wholeDays = (long) exact;
    days = Math.addExact(days, wholeDays);
    addMicros(0, exact - wholeDays, DateTimes.USECS_PER_DAY);
  }

  private void addMonths(long value, double rest, int scale) {
    long total =
        Math.addExact(Math.multiplyExact(value, (long) scale), (long) Math.rint(rest * scale));
    months = Math.addExact(months, total);
  }

  /** P[nY][nM][nW][nD][T[nH][nM][nS]]. */
  private void parseIso(String iso) {
    boolean inTime = false;
    int p = 1;
    if (p == iso.length()) {
      throw bad();
    }
    while (p < iso.length()) {
      if (iso.charAt(p) == 'T') {
        inTime = true;
        p++;
        continue;
      }
      int start = p;
      while (p < iso.length() && "+-.0123456789".indexOf(iso.charAt(p)) >= 0) {
        p++;
      }
      if (p == start || p == iso.length()) {
        throw bad();
      }
      String number = iso.substring(start, p);
      String unit =
          switch (iso.charAt(p++)) {
            case 'Y' -> inTime ? null : "year";
            case 'M' -> inTime ? "minute" : "month";
            case 'W' -> inTime ? null : "week";
            case 'D' -> inTime ? null : "day";
            case 'H' -> inTime ? "hour" : null;
            case 'S' -> inTime ? "second" : null;
            default -> null;
          };
      if (unit == null || number.indexOf('-', 1) > 0) {
        throw bad();
      }
      addNumber(number, unit);
    }
  }
}
