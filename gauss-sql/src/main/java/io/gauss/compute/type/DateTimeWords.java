package io.gauss.compute.type;

import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Words of date and time input: months, week days, zone abbreviations, units. */
public final class DateTimeWords {
  private static final String[] MONTHS = {
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december"
  };
  private static final Map<String, Integer> MONTH = new HashMap<>();
  private static final Map<String, Integer> DAY_OF_WEEK = new HashMap<>();
  private static final Map<String, Integer> ZONES = new HashMap<>();
  private static final Map<String, String> OTHER = new HashMap<>();
  private static final Map<String, String> ZONE_IDS = new HashMap<>();

  static {
    for (int i = 0; i < 12; i++) {
      MONTH.put(MONTHS[i], i + 1);
      MONTH.put(MONTHS[i].substring(0, 3), i + 1);
    }
    MONTH.put("sept", 9);
    String[] days = {"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"};
    for (int i = 0; i < 7; i++) {
      DAY_OF_WEEK.put(days[i], i);
      DAY_OF_WEEK.put(days[i].substring(0, 3), i);
    }
    DAY_OF_WEEK.put("tues", 2);
    DAY_OF_WEEK.put("weds", 3);
    DAY_OF_WEEK.put("thur", 4);
    DAY_OF_WEEK.put("thurs", 4);
    zone(0, "utc", "ut", "gmt", "z", "zulu", "wet", "uct");
    zone(3600, "cet", "met", "bst", "west");
    zone(7200, "cest", "mest", "eet", "metdst", "sast", "cetdst");
    zone(10800, "eest", "msk", "eetdst");
    zone(14400, "msd");
    zone(28800, "awst");
    zone(32400, "jst", "kst");
    zone(36000, "aest");
    zone(39600, "aedt");
    zone(43200, "nzst");
    zone(46800, "nzdt");
    zone(-10800, "adt", "brt");
    zone(-14400, "edt", "ast");
    zone(-18000, "est", "cdt");
    zone(-21600, "cst", "mdt");
    zone(-25200, "mst", "pdt");
    zone(-28800, "pst", "akdt");
    zone(-32400, "akst");
    zone(-36000, "hst");
    for (String id : ZoneId.getAvailableZoneIds()) {
      ZONE_IDS.put(id.toLowerCase(Locale.ROOT), id);
    }
    for (String word :
        new String[] {
          "am",
          "pm",
          "ad",
          "bc",
          "epoch",
          "infinity",
          "-infinity",
          "+infinity",
          "now",
          "today",
          "tomorrow",
          "yesterday",
          "allballs",
          "t",
          "y",
          "m",
          "d",
          "h",
          "mm",
          "s",
          "j",
          "jd",
          "julian",
          "on",
          "at",
          "dst"
        }) {
      OTHER.put(word, word);
    }
  }

  private static final Pattern POSIX_ZONE =
      Pattern.compile("(?:[A-Za-z]{3,})?([+-]?)(\\d{1,2})(?::(\\d{2})(?::(\\d{2}))?)?");

  private DateTimeWords() {}

  private static void zone(int seconds, String... names) {
    for (String name : names) {
      ZONES.put(name, seconds);
    }
  }

  /** Whether PostgreSQL's core token table has the word, as opposed to the names of time zones. */
  static boolean isCore(String word) {
    return OTHER.containsKey(word) || MONTH.containsKey(word) || DAY_OF_WEEK.containsKey(word);
  }

  static boolean isKeyword(String word) {
    return OTHER.containsKey(word);
  }

  /** 1 to 12, or 0. */
  static int month(String word) {
    return MONTH.getOrDefault(word, 0);
  }

  public static String monthName(int month) {
    return MONTHS[month - 1];
  }

  static boolean isDayOfWeek(String word) {
    return DAY_OF_WEEK.containsKey(word);
  }

  /** Seconds east of UTC of an abbreviation, null when it is not one. */
  public static Integer zoneAbbreviation(String lowerCase) {
    return ZONES.get(lowerCase);
  }

  /** Zone by IANA name in any case, or null. */
  public static ZoneId zoneByName(String name) {
    String id = ZONE_IDS.get(name.toLowerCase(Locale.ROOT));
    if (id == null) {
      return null;
    }
    try {
      return ZoneId.of(id);
    } catch (DateTimeException e) {
      return null;
    }
  }

  /**
   * A zone in POSIX's way, {@code GMT+8} or {@code -02:30}: letters that mean nothing, then hours
   * <em>west</em> of Greenwich. Null when it is not one.
   */
  public static ZoneId posixZone(String name) {
    Matcher posix = POSIX_ZONE.matcher(name);
    if (!posix.matches()) {
      return null;
    }
    int seconds = 0;
    int unit = 3600;
    for (int group = 2; group <= 4; group++) {
      seconds += posix.group(group) == null ? 0 : Integer.parseInt(posix.group(group)) * unit;
      unit /= 60;
    }
    if (seconds > ZoneOffset.MAX.getTotalSeconds()) {
      return null;
    }
    return ZoneOffset.ofTotalSeconds(posix.group(1).equals("-") ? seconds : -seconds);
  }

  /** Unit of an interval or of extract in its canonical plural-less form, or null. */
  public static String unit(String word) {
    return switch (word) {
      case "us",
          "usec",
          "usecs",
          "usecond",
          "useconds",
          "microsecond",
          "microseconds",
          "microsecon" ->
          "microsecond";
      case "ms",
          "msec",
          "msecs",
          "msecond",
          "mseconds",
          "millisecond",
          "milliseconds",
          "millisecon" ->
          "millisecond";
      case "s", "sec", "secs", "second", "seconds" -> "second";
      case "m", "min", "mins", "minute", "minutes" -> "minute";
      case "h", "hr", "hrs", "hour", "hours" -> "hour";
      case "d", "day", "days" -> "day";
      case "w", "week", "weeks" -> "week";
      case "mon", "mons", "month", "months" -> "month";
      case "qtr", "quarter" -> "quarter";
      case "y", "yr", "yrs", "year", "years" -> "year";
      case "dec", "decs", "decade", "decades" -> "decade";
      case "c", "cent", "century", "centuries" -> "century";
      case "mil", "mils", "millennia", "millennium" -> "millennium";
      default -> null;
    };
  }
}
