package io.gauss.compute.session.setting;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.type.DateTimeWords;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Locale;

/** Checks of settings whose values are more than a number or a word of a list. */
public final class SettingChecks {
  private SettingChecks() {}

  /** Returns the value to store. */
  static String check(SettingDefinition setting, String value) {
    return switch (setting.name()) {
      case "application_name" -> printable(value);
      case "client_encoding" -> encoding(setting, value);
      case SearchPath.SETTING -> {
        SearchPath.read(value);
        yield value;
      }
      case "DateStyle" -> dateStyle(setting, value);
      case "TimeZone" -> {
        zone(value);
        yield value;
      }
      case "default_transaction_isolation", "transaction_isolation" -> {
        if (value.equals("serializable")) {
          throw GaussException.notSupported("isolation level SERIALIZABLE")
              .hint("Use REPEATABLE READ, which is snapshot isolation.");
        }
        yield value;
      }
      case "extra_float_digits" -> {
        if (Long.parseLong(value) < 1) {
          throw GaussException.notSupported("extra_float_digits below 1");
        }
        yield value;
      }
      default -> value;
    };
  }

  /** As in PostgreSQL: it is shown in views and logs, whose lines it must not be able to forge. */
  private static String printable(String value) {
    return value.replaceAll("[^ -~]", "?");
  }

  /** PostgreSQL compares letters and digits only, and knows UTF8 by an older name, too. */
  private static String encoding(SettingDefinition setting, String value) {
    return switch (value.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "")) {
      case "utf8", "unicode" -> "UTF8";
      default -> throw setting.invalid(value);
    };
  }

  private static String dateStyle(SettingDefinition setting, String value) {
    String order = "MDY";
    for (String part : value.split(",")) {
      switch (part.strip().toUpperCase(Locale.ROOT)) {
        case "ISO", "DEFAULT", "" -> {}
        case "MDY", "US", "NONEURO", "NONEUROPEAN" -> order = "MDY";
        case "DMY", "YMD", "EURO", "EUROPEAN" ->
            throw GaussException.notSupported("DateStyle with field order other than MDY");
        case "SQL", "POSTGRES", "GERMAN" ->
            throw GaussException.notSupported("DateStyle other than ISO");
        default -> throw setting.invalid(value);
      }
    }
    return "ISO, " + order;
  }

  /**
   * Reads a time zone name or offset as PostgreSQL does: names, abbreviations that Java knows,
   * hours east of UTC as a number; POSIX's {@code UTC+2}, which lies west of it.
   *
   * @throws GaussException 22023 when there is no such zone
   */
  public static ZoneId zone(String value) {
    String text = value.strip();
    try {
      if (text.matches("[+-]?\\d{1,2}(\\.\\d+)?")) {
        return ZoneOffset.ofTotalSeconds((int) (Double.parseDouble(text) * 3600));
      }
      if (text.equalsIgnoreCase("local") || text.equalsIgnoreCase("default")) {
        return ZoneOffset.UTC;
      }
      for (String id : new String[] {text, text.toUpperCase(Locale.ROOT)}) {
        if (ZoneId.getAvailableZoneIds().contains(id)) {
          return ZoneId.of(id);
        }
      }
      for (String id : ZoneId.getAvailableZoneIds()) {
        if (id.equalsIgnoreCase(text)) {
          return ZoneId.of(id);
        }
      }
      ZoneId posix = DateTimeWords.posixZone(text);
      return posix != null ? posix : ZoneId.of(text, ZoneId.SHORT_IDS);
    } catch (DateTimeException e) {
      throw new GaussException(
          SqlState.INVALID_PARAMETER_VALUE,
          "invalid value for parameter \"TimeZone\": \"%s\"".formatted(value),
          e);
    }
  }
}
