package io.gauss.compute.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.type.DateTimeLexer.Field;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;

/**
 * Parses date and time input in all forms that PostgreSQL accepts with DateStyle ISO, MDY; follows
 * its DecodeDateTime. One instance per text. The codecs have a faster path for the common ISO
 * forms.
 */
final class DateTimeParser {
  private static final int YEAR = 1;
  private static final int MONTH = 2;
  private static final int DAY = 4;
  private static final int DATE = YEAR | MONTH | DAY;
  private static final int TIME = 8;
  private static final int ZONE = 16;
  private static final int DAY_OF_YEAR = 32;
  private static final int MAX_ZONE_HOURS = 15;

  private final PgType type;
  private final String text;
  private final TypeContext ctx;

  int year;
  int month;
  int day;
  int hour;
  int minute;
  int second;
  int micros;

  /** The special value that the text names: infinity, -infinity, epoch or now; else null. */
  String special;

  /** Zone given in the text, else null. */
  ZoneId zone;

  private int have;
  private int dayOfYear;
  private boolean textMonth;
  private boolean dayOfWeek;
  private boolean twoDigitYear;
  private boolean bc;
  private boolean julian;
  private String meridiem;
  private String label;

  DateTimeParser(PgType type, String text, TypeContext ctx) {
    this.type = type;
    this.text = text;
    this.ctx = ctx;
  }

  boolean hasDate() {
    return (have & DATE) == DATE;
  }

  boolean hasTime() {
    return (have & TIME) != 0;
  }

  long timeOfDay() {
    return ((hour * 60L + minute) * 60 + second) * DateTimes.USECS_PER_SECOND + micros;
  }

  GaussException bad() {
    return new GaussException(
        SqlState.INVALID_DATETIME_FORMAT,
        "invalid input syntax for type "
            + (type.is(PgType.TIMESTAMPTZ) ? type.displayName() : type.name())
            + ": \""
            + text
            + "\"");
  }

  GaussException fieldOverflow() {
    return new GaussException(
        SqlState.DATETIME_FIELD_OVERFLOW, "date/time field value out of range: \"" + text + "\"");
  }

  private GaussException monthOrDayOverflow() {
    return fieldOverflow().hint("Perhaps you need a different \"datestyle\" setting.");
  }

  /** Parses; afterwards the fields are set and in range. */
  void parse(boolean timeOnly) {
    List<Field> fields = DateTimeLexer.fields(text);
    if (fields == null || fields.isEmpty()) {
      throw bad();
    }
    for (int i = 0; i < fields.size(); i++) {
      Field field = fields.get(i);
      switch (field.kind()) {
        case DATE -> date(field.text(), timeOnly);
        case TIME -> time(field.text());
        case ZONE -> {
          if (!timeOnly && (have & (DATE | TIME)) == 0) {
            throw bad();
          }
          zone(field.text());
        }
        case NUMBER -> number(field.text(), timeOnly);
        case STRING, SPECIAL -> word(field.text());
      }
    }
    if (label != null) {
      throw bad();
    }
    finish(timeOnly);
  }

  private void set(int mask) {
    if ((have & mask) != 0) {
      throw bad();
    }
    have |= mask;
  }

  private void date(String field, boolean timeOnly) {
    if (label == null
        && (have & (MONTH | DAY)) != (MONTH | DAY)
        && !(timeOnly && Ascii.isLetter(field.charAt(0)))) {
      decodeDate(field);
      return;
    }
    if (Ascii.isDigit(field.charAt(0)) || label != null) {
      // Time without delimiters, then a zone: hhmmss-zz.
      int minus = field.indexOf('-');
      if (minus < 0 || (have & TIME) != 0) {
        throw bad();
      }
      label = null;
      zone(field.substring(minus));
      numberField(field.substring(0, minus), have | DATE);
      return;
    }
    namedZone(field);
  }

  private void namedZone(String field) {
    ZoneId named = DateTimeWords.zoneByName(field);
    if (named == null) {
      named = DateTimeWords.posixZone(field);
    }
    if (named == null) {
      throw new GaussException(
          SqlState.INVALID_PARAMETER_VALUE, "time zone \"" + field + "\" not recognized");
    }
    set(ZONE);
    zone = named;
  }

  /** Splits a date into runs of digits and letters; decodes the name of a month first. */
  private void decodeDate(String field) {
    String[] parts = field.split("[^a-z0-9]+|(?<=[0-9])(?=[a-z])|(?<=[a-z])(?=[0-9])", -1);
    int n = parts.length;
    while (n > 0 && parts[n - 1].isEmpty()) {
      n--;
    }
    if (n == 0 || n > 3) {
      throw bad();
    }
    for (int i = 0; i < n; i++) {
      if (!parts[i].isEmpty() && Ascii.isLetter(parts[i].charAt(0))) {
        int named = DateTimeWords.month(parts[i]);
        if (named == 0) {
          throw bad();
        }
        set(MONTH);
        month = named;
        textMonth = true;
        parts[i] = "";
      }
    }
    for (int i = 0; i < n; i++) {
      if (!parts[i].isEmpty()) {
        decodeNumber(parts[i]);
      }
    }
    // In PostgreSQL, a date in one field must precede a time and the name of a day.
    boolean first = (have & TIME) == 0 && !dayOfWeek;
    if (!first || ((have & DATE) != DATE && (have & DAY_OF_YEAR) == 0)) {
      throw bad();
    }
  }

  private int integer(String digits) {
    try {
      return Integer.parseInt(digits);
    } catch (NumberFormatException e) {
      throw fieldOverflow();
    }
  }

  private void number(String field, boolean timeOnly) {
    int point = field.indexOf('.');
    if (label != null) {
      String before = label;
      label = null;
      if (before.equals("t")) {
        numberField(field, have | DATE);
      } else if (before.equals("j")) {
        set(DATE);
        julian = true;
        long days = integer(point < 0 ? field : field.substring(0, point));
        setDate(days - DateTimes.EPOCH_JULIAN);
        if (point >= 0 && point + 1 < field.length()) {
          set(TIME);
          setTimeOfDay(
              Math.round(
                  Double.parseDouble("0" + field.substring(point)) * DateTimes.USECS_PER_DAY));
        }
      } else {
        labelled(before, integer(field));
      }
      return;
    }
    if (timeOnly) {
      numberField(field, have | DATE);
    } else if (point >= 0 && (have & DATE) == 0) {
      decodeDate(field);
    } else if (point > 2) {
      numberField(field, have);
    } else if (field.length() >= 6 && ((have & DATE) == 0 || (have & TIME) == 0)) {
      numberField(field, have);
    } else {
      decodeNumber(field);
    }
  }

  private void labelled(String unit, int value) {
    switch (unit) {
      case "y" -> {
        set(YEAR);
        year = value;
      }
      case "m" -> {
        if ((have & MONTH) == 0) {
          set(MONTH);
          month = value;
        } else {
          minute = value;
        }
      }
      case "d" -> {
        set(DAY);
        day = value;
      }
      default -> throw bad();
    }
  }

  private void decodeNumber(String field) {
    int length = field.length();
    if (field.indexOf('.') >= 0) {
      throw bad();
    }
    int value = integer(field);
    if (length == 3 && (have & DATE) == YEAR && value >= 1 && value <= 366) {
      have |= DAY_OF_YEAR | MONTH | DAY;
      dayOfYear = value;
      return;
    }
    switch (have & DATE) {
      case 0 -> {
        if (length >= 3) {
          setYear(value, length);
        } else {
          setMonth(value);
        }
      }
      case YEAR -> setMonth(value);
      case MONTH -> {
        if (textMonth && length >= 3) {
          setYear(value, length);
        } else {
          setDay(value);
        }
      }
      case YEAR | MONTH -> {
        if (textMonth && length >= 3 && twoDigitYear) {
          have |= DAY;
          day = year;
          year = value;
          twoDigitYear = false;
        } else {
          setDay(value);
        }
      }
      case DAY -> setMonth(value);
      case MONTH | DAY -> setYear(value, length);
      case DATE -> numberField(field, have);
      default -> throw bad();
    }
  }

  private void setYear(int value, int digits) {
    have |= YEAR;
    year = value;
    twoDigitYear = digits <= 2;
  }

  private void setMonth(int value) {
    have |= MONTH;
    month = value;
  }

  private void setDay(int value) {
    have |= DAY;
    day = value;
  }

  /** Run-together fields: [yy]yymmdd, hhmmss[.fff], hhmm. */
  private void numberField(String field, int known) {
    int point = field.indexOf('.');
    String digits = field;
    if (point >= 0) {
      micros = fraction(field.substring(point));
      digits = field.substring(0, point);
    } else if ((known & DATE) != DATE && digits.length() >= 6) {
      int n = digits.length();
      set(DATE);
      day = integer(digits.substring(n - 2));
      month = integer(digits.substring(n - 4, n - 2));
      year = integer(digits.substring(0, n - 4));
      twoDigitYear = n - 4 == 2;
      return;
    }
    if ((have & TIME) == 0 && digits.length() == 6) {
      set(TIME);
      hour = integer(digits.substring(0, 2));
      minute = integer(digits.substring(2, 4));
      second = integer(digits.substring(4));
    } else if ((have & TIME) == 0 && digits.length() == 4) {
      set(TIME);
      hour = integer(digits.substring(0, 2));
      minute = integer(digits.substring(2));
      second = 0;
    } else {
      throw bad();
    }
  }

  /** Microseconds of a text such as ".25"; rounded. */
  private int fraction(String pointAndDigits) {
    if (pointAndDigits.length() == 1) {
      return 0;
    }
    for (int i = 1; i < pointAndDigits.length(); i++) {
      if (!Ascii.isDigit(pointAndDigits.charAt(i))) {
        throw bad();
      }
    }
    return (int) Math.rint(Double.parseDouble("0" + pointAndDigits) * 1_000_000);
  }

  private void time(String field) {
    if (label != null && !label.equals("t")) {
      throw bad();
    }
    label = null;
    set(TIME);
    String[] parts = field.split(":", -1);
    if (parts.length < 2 || parts.length > 3) {
      throw bad();
    }
    hour = integer(parts[0]);
    String last = parts[parts.length - 1];
    int point = last.indexOf('.');
    if (point >= 0) {
      micros = fraction(last.substring(point));
      last = last.substring(0, point);
    }
    int lastValue = last.isEmpty() ? 0 : integer(last);
    if (last.isEmpty() && parts.length == 2) {
      throw bad();
    }
    if (parts.length == 3) {
      minute = parts[1].isEmpty() ? 0 : integer(parts[1]);
      second = lastValue;
    } else if (point >= 0) {
      // mm:ss.fff
      second = lastValue;
      minute = hour;
      hour = 0;
    } else {
      minute = lastValue;
    }
    if (minute > 59 || second > 60) {
      throw fieldOverflow();
    }
  }

  private void zone(String field) {
    set(ZONE);
    boolean negative = field.charAt(0) == '-';
    String[] parts = field.substring(1).split(":", -1);
    int hours;
    int minutes = 0;
    int seconds = 0;
    try {
      hours = Integer.parseInt(parts[0]);
      if (parts.length > 1) {
        minutes = Integer.parseInt(parts[1]);
        seconds = parts.length > 2 ? Integer.parseInt(parts[2]) : 0;
      } else if (parts[0].length() > 2) {
        minutes = hours % 100;
        hours = hours / 100;
      }
    } catch (NumberFormatException e) {
      throw bad();
    }
    if (parts.length > 3) {
      throw bad();
    }
    if (hours > MAX_ZONE_HOURS || minutes > 59 || seconds > 59) {
      throw new GaussException(
          SqlState.INVALID_TIME_ZONE_DISPLACEMENT_VALUE,
          "time zone displacement out of range: \"" + text + "\"");
    }
    int total = (hours * 60 + minutes) * 60 + seconds;
    zone = ZoneOffset.ofTotalSeconds(negative ? -total : total);
  }

  private void word(String word) {
    if (label != null && !(label.equals("j"))) {
      throw bad();
    }
    int named = DateTimeWords.month(word);
    if (named != 0) {
      if ((have & MONTH) != 0 && !textMonth && (have & DAY) == 0 && month >= 1 && month <= 31) {
        // The number taken for a month was the day.
        day = month;
        have |= DAY;
        have &= ~MONTH;
      }
      set(MONTH);
      month = named;
      textMonth = true;
      return;
    }
    if (DateTimeWords.isDayOfWeek(word)) {
      dayOfWeek = true;
      return;
    }
    if (DateTimeWords.isKeyword(word)) {
      keyword(word);
      return;
    }
    Integer seconds = DateTimeWords.zoneAbbreviation(word);
    if (seconds != null) {
      set(ZONE);
      zone = ZoneOffset.ofTotalSeconds(seconds);
      return;
    }
    ZoneId byName = DateTimeWords.zoneByName(word);
    if (byName == null) {
      throw bad();
    }
    set(ZONE);
    zone = byName;
  }

  private void keyword(String word) {
    switch (word) {
      case "infinity", "+infinity", "-infinity", "epoch" -> {
        set(DATE | TIME);
        special = word.equals("+infinity") ? "infinity" : word;
      }
      case "now" -> {
        set(DATE | TIME);
        special = word;
      }
      case "today" -> relativeDay(0);
      case "tomorrow" -> relativeDay(1);
      case "yesterday" -> relativeDay(-1);
      case "allballs" -> {
        set(TIME | ZONE);
        zone = ZoneOffset.UTC;
      }
      case "am", "pm" -> meridiem = word;
      case "ad" -> bc = false;
      case "bc" -> bc = true;
      case "on", "at", "dst" -> {}
      case "t" -> {
        if ((have & DATE) == 0 && !type.is(PgType.TIME)) {
          throw bad();
        }
        label = "t";
      }
      case "j", "jd", "julian" -> label = "j";
      default -> label = word;
    }
  }

  private void relativeDay(long difference) {
    set(DATE);
    long local = DateTimes.toLocal(ctx.timeZone(), ctx.now());
    setDate(DateTimes.daysOf(local) + difference);
    julian = true;
  }

  void setDate(long days) {
    long date = DateTimes.date(days);
    year = DateTimes.year(date);
    month = DateTimes.month(date);
    day = DateTimes.day(date);
  }

  private void setTimeOfDay(long value) {
    hour = (int) (value / DateTimes.USECS_PER_HOUR);
    minute = (int) (value / DateTimes.USECS_PER_MINUTE % 60);
    second = (int) (value / DateTimes.USECS_PER_SECOND % 60);
    micros = (int) (value % DateTimes.USECS_PER_SECOND);
  }

  private void finish(boolean timeOnly) {
    if (special != null) {
      return;
    }
    if ((have & YEAR) != 0 && !julian) {
      finishYear();
    }
    if ((have & DAY_OF_YEAR) != 0) {
      setDate(DateTimes.days(year, 1, 1) + dayOfYear - 1L);
    }
    if ((have & MONTH) != 0 && (month < 1 || month > 12)) {
      throw monthOrDayOverflow();
    }
    if ((have & DAY) != 0 && (day < 1 || day > 31)) {
      throw monthOrDayOverflow();
    }
    if ((have & DATE) == DATE && day > DateTimes.daysOfMonth(year, month)) {
      throw fieldOverflow();
    }
    if (meridiem != null) {
      if (hour > 12) {
        throw fieldOverflow();
      }
      if (meridiem.equals("am") && hour == 12) {
        hour = 0;
      } else if (meridiem.equals("pm") && hour != 12) {
        hour += 12;
      }
    }
    if (hour > 24
        || minute > 59
        || second > 60
        || (hour == 24 && (minute > 0 || second > 0 || micros > 0))) {
      throw fieldOverflow();
    }
    if (timeOnly ? (have & TIME) == 0 : (have & DATE) != DATE) {
      throw bad();
    }
  }

  private void finishYear() {
    if (bc) {
      if (year <= 0) {
        throw fieldOverflow();
      }
      year = -(year - 1);
    } else if (twoDigitYear) {
      if (year < 70) {
        year += 2000;
      } else if (year < 100) {
        year += 1900;
      }
    } else if (year <= 0) {
      throw fieldOverflow();
    }
  }
}
