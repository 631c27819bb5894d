package io.gauss.compute.expr.time;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.type.Ascii;
import io.gauss.compute.type.DateTimeWords;
import io.gauss.compute.type.DateTimes;
import java.util.List;

/** to_date and to_timestamp: parses text by a template. One instance per text. */
public final class DateFormatParser {
  private static final int JULIAN_OF_2000 = 2451545;

  private final String text;
  private final DateFormat format;
  private int p;

  private Integer year;
  private int month = 1;
  private int day = 1;
  private int dayOfYear;
  private long julian = Long.MIN_VALUE;
  private boolean bc;
  private int hour;
  private int minute;
  private int second;
  private int micros;
  private boolean twelveHours;
  private Boolean afternoon;
  private Integer offset;

  public DateFormatParser(String text, String template) {
    this.text = text;
    this.format = DateFormat.of(template);
  }

  /** Seconds east of UTC given in the text, or null. */
  public Integer offset() {
    return offset;
  }

  private static GaussException invalid(String message) {
    return new GaussException(SqlState.INVALID_DATETIME_FORMAT, message);
  }

  private GaussException outOfRange() {
    return new GaussException(
        SqlState.DATETIME_FIELD_OVERFLOW, "date/time field value out of range: \"" + text + "\"");
  }

  private int peek() {
    return p < text.length() ? text.charAt(p) : -1;
  }

  private void skipSpaces() {
    while (p < text.length() && Ascii.isSpace(text.charAt(p))) {
      p++;
    }
  }

  private static boolean isSeparator(int c) {
    return c > 32 && c < 127 && !Ascii.isDigit(c) && !Ascii.isLetter(c);
  }

  public void parse() {
    List<DateFormat.Part> parts = format.parts;
    for (int i = 0; i < parts.size() && p < text.length(); i++) {
      DateFormat.Part part = parts.get(i);
      if (part.key() == null) {
        literal(part);
      } else {
        if (!format.exact) {
          skipSpaces();
        }
        boolean digitsFollow = i + 1 < parts.size() && isNumber(parts.get(i + 1));
        field(part, digitsFollow);
        if (part.ordinal() != null) {
          p = Math.min(text.length(), p + 2);
        }
      }
    }
  }

  /**
   * Separators of the template match any separators and spaces; quoted text skips as many
   * characters of the input.
   */
  private void literal(DateFormat.Part part) {
    if (part.quoted() || format.exact) {
      p = Math.min(text.length(), p + part.text().length());
      return;
    }
    for (int i = 0; i < part.text().length(); i++) {
      char c = part.text().charAt(i);
      if (Ascii.isSpace(c) || isSeparator(c)) {
        skipSpaces();
        boolean sign = (peek() == '-' || peek() == '+') && p + 1 < text.length() && c == ' ';
        if (isSeparator(peek()) && !sign) {
          p++;
        }
      } else {
        p = Math.min(text.length(), p + 1);
      }
    }
    skipSpaces();
  }

  private static boolean isNumber(DateFormat.Part part) {
    if (part.key() == null) {
      return !part.text().isEmpty() && Ascii.isDigit(part.text().charAt(0));
    }
    return switch (part.pattern()) {
      case "AM",
          "PM",
          "A.M.",
          "P.M.",
          "AD",
          "BC",
          "A.D.",
          "B.C.",
          "MONTH",
          "MON",
          "DAY",
          "DY",
          "RM",
          "TZ",
          "OF" ->
          false;
      default -> true;
    };
  }

  private int number(DateFormat.Part part, int width, boolean digitsFollow) {
    int start = p;
    if (peek() == '-' || peek() == '+') {
      p++;
    }
    int first = p;
    int limit = digitsFollow && part.fill() ? first + width : Integer.MAX_VALUE;
    if (digitsFollow && !part.fill()) {
      limit = Integer.MAX_VALUE;
    }
    while (p < text.length() && p < limit && Ascii.isDigit(text.charAt(p))) {
      p++;
    }
    if (p == first) {
      String shown = text.substring(start, Math.min(text.length(), start + width));
      throw invalid("invalid value \"" + shown + "\" for \"" + part.key() + "\"")
          .detail("Value must be an integer.");
    }
    try {
      return Integer.parseInt(text.substring(start, p));
    } catch (NumberFormatException e) {
      throw new GaussException(
          SqlState.DATETIME_FIELD_OVERFLOW,
          "value for \"" + part.key() + "\" in source string is out of range",
          e);
    }
  }

  private void field(DateFormat.Part part, boolean digitsFollow) {
    String key = part.pattern();
    switch (key) {
      case "YYYY", "IYYY" -> year = number(part, 4, digitsFollow);
      case "YYY", "YY", "Y", "IYY", "IY", "I" -> shortYear(part, digitsFollow);
      case "Y,YYY" -> {
        int thousands = number(part, 1, false);
        p++;
        year = thousands * 1000 + number(part, 3, digitsFollow);
      }
      case "MM" -> month = number(part, 2, digitsFollow);
      case "DD" -> day = number(part, 2, digitsFollow);
      case "DDD" -> dayOfYear = number(part, 3, digitsFollow);
      case "J" -> julian = number(part, 9, digitsFollow) - (long) JULIAN_OF_2000;
      case "HH24" -> hour = number(part, 2, digitsFollow);
      case "HH", "HH12" -> {
        hour = number(part, 2, digitsFollow);
        twelveHours = true;
      }
      case "MI" -> minute = number(part, 2, digitsFollow);
      case "SS" -> second = number(part, 2, digitsFollow);
      case "MS", "FF3" -> fraction(part, 3, digitsFollow);
      case "US", "FF6" -> fraction(part, 6, digitsFollow);
      case "FF1" -> fraction(part, 1, digitsFollow);
      case "FF2" -> fraction(part, 2, digitsFollow);
      case "FF4" -> fraction(part, 4, digitsFollow);
      case "FF5" -> fraction(part, 5, digitsFollow);
      case "SSSS", "SSSSS" -> {
        int seconds = number(part, 5, digitsFollow);
        hour = seconds / 3600;
        minute = seconds / 60 % 60;
        second = seconds % 60;
      }
      case "AM", "PM", "A.M.", "P.M." -> {
        String word = word(part, "am", "pm", "a.m.", "p.m.");
        afternoon = word.charAt(0) == 'p';
        twelveHours = true;
      }
      case "AD", "BC", "A.D.", "B.C." ->
          bc = word(part, "ad", "bc", "a.d.", "b.c.").charAt(0) == 'b';
      case "MONTH", "MON" -> monthName(part);
      case "DAY", "DY" -> dayName(part);
      case "RM" -> throw GaussException.notSupported("pattern RM in to_date and to_timestamp");
      case "TZH" -> offset = number(part, 3, false) * 3600;
      case "TZM" -> {
        int minutes = number(part, 2, false) * 60;
        int hours = offset == null ? 0 : offset;
        offset = hours < 0 ? hours - minutes : hours + minutes;
      }
      case "TZ", "OF" ->
          throw new GaussException(
              SqlState.FEATURE_NOT_SUPPORTED,
              "formatting field \"" + part.key() + "\" is only supported in to_char");
      case "D", "ID", "Q" -> number(part, 1, digitsFollow);
      case "CC", "WW", "IW", "W", "IDDD" ->
          throw GaussException.notSupported("pattern " + key + " in to_date and to_timestamp");
      default -> throw new IllegalStateException(key);
    }
  }

  private void fraction(DateFormat.Part part, int width, boolean digitsFollow) {
    int start = p;
    while (p < text.length()
        && Ascii.isDigit(text.charAt(p))
        && (!digitsFollow || p - start < width)) {
      p++;
    }
    if (p == start) {
      p = start;
      number(part, width, digitsFollow);
    }
    double value = Double.parseDouble("0." + text.substring(start, p));
    micros = (int) Math.rint(value * 1_000_000);
  }

  private void shortYear(DateFormat.Part part, boolean digitsFollow) {
    int width = part.key().replaceAll("[iI]", "Y").length();
    int start = p;
    int value = number(part, width, digitsFollow);
    if (p - start < 4) {
      if (value < 70) {
        value += 2000;
      } else if (value < 100) {
        value += 1900;
      } else if (value < 520) {
        value += 2000;
      } else if (value < 1000) {
        value += 1000;
      }
    }
    year = value;
  }

  private String word(DateFormat.Part part, String... words) {
    for (int i = words.length - 1; i >= 0; i--) {
      if (text.regionMatches(true, p, words[i], 0, words[i].length())) {
        p += words[i].length();
        return words[i];
      }
    }
    throw badWord(part);
  }

  private GaussException badWord(DateFormat.Part part) {
    int end = p;
    while (end < text.length() && !Ascii.isSpace(text.charAt(end))) {
      end++;
    }
    return invalid("invalid value \"" + text.substring(p, end) + "\" for \"" + part.key() + "\"")
        .detail("The given value did not match any of the allowed values for this field.");
  }

  private void monthName(DateFormat.Part part) {
    boolean whole = part.pattern().equals("MONTH");
    for (int i = 1; i <= 12; i++) {
      String name = DateTimeWords.monthName(i);
      String wanted = whole ? name : name.substring(0, 3);
      if (text.regionMatches(true, p, wanted, 0, wanted.length())) {
        month = i;
        p += wanted.length();
        return;
      }
    }
    throw badWord(part);
  }

  private void dayName(DateFormat.Part part) {
    boolean whole = part.pattern().equals("DAY");
    String[] names = {"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"};
    for (String name : names) {
      String wanted = whole ? name : name.substring(0, 3);
      if (text.regionMatches(true, p, wanted, 0, wanted.length())) {
        p += wanted.length();
        return;
      }
    }
    throw badWord(part);
  }

  /** The day that was read. */
  public long days() {
    if (julian != Long.MIN_VALUE) {
      return julian;
    }
    int shown = year == null ? 0 : year;
    int y = bc ? (shown > 0 ? 1 - shown : shown) : shown;
    if (shown < 0) {
      y = shown + 1;
    }
    if (year == null || year == 0) {
      // Without a year, PostgreSQL assumes 1 BC.
      y = 0;
    }
    if (dayOfYear != 0) {
      int length = DateTimes.isLeapYear(y) ? 366 : 365;
      if (dayOfYear < 1 || dayOfYear > length) {
        throw outOfRange();
      }
      return DateTimes.days(y, 1, 1) + dayOfYear - 1L;
    }
    if (month < 1 || month > 12 || day < 1 || day > DateTimes.daysOfMonth(y, month)) {
      throw outOfRange();
    }
    return DateTimes.days(y, month, day);
  }

  /** The time of day that was read, µs. */
  public long timeOfDay() {
    int h = hour;
    if (twelveHours) {
      if (h < 1 || h > 12) {
        throw new GaussException(
                SqlState.INVALID_DATETIME_FORMAT,
                "hour \"" + h + "\" is invalid for the 12-hour clock")
            .hint("Use the 24-hour clock, or give an hour between 1 and 12.");
      }
      if (afternoon != null && afternoon && h < 12) {
        h += 12;
      } else if ((afternoon == null || !afternoon) && h == 12 && afternoon != null) {
        h = 0;
      }
    }
    if (h < 0 || h > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) {
      throw outOfRange();
    }
    return ((h * 60L + minute) * 60 + second) * DateTimes.USECS_PER_SECOND + micros;
  }
}
