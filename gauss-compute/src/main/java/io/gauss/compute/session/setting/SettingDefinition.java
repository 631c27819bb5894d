package io.gauss.compute.session.setting;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.util.List;
import java.util.Locale;

/**
 * One run-time setting: its name as PostgreSQL shows it, its type, unit and default, and the values
 * that it accepts.
 *
 * @param name as shown by SHOW
 * @param kind decides how values are read and normalised
 * @param defaultValue in normal form
 * @param unit of a number: "ms", "kB" or ""
 * @param min lowest number
 * @param max highest number
 * @param allowed for {@link Kind#ENUM}: accepted values, in normal form
 * @param description for SHOW ALL
 */
public record SettingDefinition(
    String name,
    Kind kind,
    String defaultValue,
    String unit,
    long min,
    long max,
    List<String> allowed,
    String description) {

  public enum Kind {
    /** Can only be set at start, or never. */
    READ_ONLY,
    BOOLEAN,
    INTEGER,
    ENUM,
    STRING
  }

  static SettingDefinition readOnly(String name, String value, String description) {
    return new SettingDefinition(name, Kind.READ_ONLY, value, "", 0, 0, List.of(), description);
  }

  static SettingDefinition bool(String name, boolean value, String description) {
    return new SettingDefinition(
        name, Kind.BOOLEAN, value ? "on" : "off", "", 0, 0, List.of(), description);
  }

  static SettingDefinition number(
      String name, long value, String unit, long min, long max, String description) {
    return new SettingDefinition(
        name, Kind.INTEGER, Long.toString(value), unit, min, max, List.of(), description);
  }

  static SettingDefinition oneOf(
      String name, String value, List<String> allowed, String description) {
    return new SettingDefinition(name, Kind.ENUM, value, "", 0, 0, allowed, description);
  }

  static SettingDefinition text(String name, String value, String description) {
    return new SettingDefinition(name, Kind.STRING, value, "", 0, 0, List.of(), description);
  }

  /**
   * Converts a value to normal form: numbers in the setting's unit, booleans as on/off.
   *
   * @throws GaussException 22023 when the value is not valid for this setting, 55P02 when it cannot
   *     be changed
   */
  String normalise(String value) {
    return switch (kind) {
      case READ_ONLY ->
          throw new GaussException(
              SqlState.CANT_CHANGE_RUNTIME_PARAM,
              "parameter \"%s\" cannot be changed".formatted(name));
      case BOOLEAN -> booleanValue(value) ? "on" : "off";
      case INTEGER -> Long.toString(number(value));
      case ENUM -> {
        for (String candidate : allowed) {
          if (candidate.equalsIgnoreCase(value)) {
            yield candidate;
          }
        }
        throw invalid(value).hint("Available values: " + String.join(", ", allowed) + ".");
      }
      case STRING -> value;
    };
  }

  private boolean booleanValue(String value) {
    return switch (value.toLowerCase(Locale.ROOT)) {
      case "on", "true", "yes", "1", "t", "y" -> true;
      case "off", "false", "no", "0", "f", "n" -> false;
      default ->
          throw new GaussException(
              SqlState.INVALID_PARAMETER_VALUE,
              "parameter \"%s\" requires a Boolean value".formatted(name));
    };
  }

  private long number(String value) {
    String text = value.strip();
    int digits = 0;
    while (digits < text.length()
        && (Character.isDigit(text.charAt(digits)) || (digits == 0 && text.charAt(0) == '-'))) {
      digits++;
    }
    long amount;
    try {
      amount = Long.parseLong(text.substring(0, digits));
      amount = Math.multiplyExact(amount, factor(text.substring(digits).strip(), value));
    } catch (NumberFormatException | ArithmeticException e) {
      throw invalid(value);
    }
    if (unit.equals("ms") && text.endsWith("us")) {
      amount /= 1000;
    }
    if (amount < min || amount > max) {
      throw new GaussException(
          SqlState.INVALID_PARAMETER_VALUE,
          "%d%s is outside the valid range for parameter \"%s\" (%d .. %d)"
              .formatted(amount, unit.isEmpty() ? "" : " " + unit, name, min, max));
    }
    return amount;
  }

  private long factor(String suffix, String value) {
    if (suffix.isEmpty()) {
      return 1;
    }
    return switch (unit) {
      case "ms" ->
          switch (suffix) {
            case "us", "ms" -> 1;
            case "s" -> 1_000;
            case "min" -> 60_000;
            case "h" -> 3_600_000;
            case "d" -> 86_400_000;
            default ->
                throw invalid(value)
                    .hint(
                        "Valid units for this parameter are \"us\", \"ms\", \"s\", \"min\", \"h\","
                            + " and \"d\".");
          };
      case "kB" ->
          switch (suffix) {
            case "kB" -> 1;
            case "MB" -> 1_024;
            case "GB" -> 1_048_576;
            default ->
                throw invalid(value)
                    .hint("Valid units for this parameter are \"kB\", \"MB\", and \"GB\".");
          };
      default -> throw invalid(value);
    };
  }

  GaussException invalid(String value) {
    return new GaussException(
        SqlState.INVALID_PARAMETER_VALUE,
        "invalid value for parameter \"%s\": \"%s\"".formatted(name, value));
  }

  /** The value as SHOW prints it: with the largest unit that keeps it whole. */
  String display(String value) {
    if (kind != Kind.INTEGER || unit.isEmpty() || value.equals("0") || value.startsWith("-")) {
      return value;
    }
    long amount = Long.parseLong(value);
    if (unit.equals("ms")) {
      if (amount % 86_400_000 == 0) {
        return amount / 86_400_000 + "d";
      }
      if (amount % 3_600_000 == 0) {
        return amount / 3_600_000 + "h";
      }
      if (amount % 60_000 == 0) {
        return amount / 60_000 + "min";
      }
      return amount % 1_000 == 0 ? amount / 1_000 + "s" : amount + "ms";
    }
    if (amount % 1_048_576 == 0) {
      return amount / 1_048_576 + "GB";
    }
    return amount % 1_024 == 0 ? amount / 1_024 + "MB" : amount + "kB";
  }
}
