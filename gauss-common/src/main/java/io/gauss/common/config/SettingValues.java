package io.gauss.common.config;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * Settings of a process as text, and what they mean. They come, the later winning, from the
 * defaults, {@code gauss.properties} in the data directory, the environment ({@code
 * GAUSS_POOL_SIZE} for {@code pool.size}), and the command line. Unknown names are errors. For one
 * thread.
 */
public final class SettingValues {
  private static final String FILE = "gauss.properties";
  private static final String ENVIRONMENT_PREFIX = "GAUSS_";

  private final Map<String, String> values;

  private SettingValues(Map<String, String> values) {
    this.values = values;
  }

  /**
   * @param defaults every setting that is known, with its default
   * @param overrides from the command line
   * @throws GaussException 42704 for an unknown name, 58030 when the file cannot be read
   */
  public static SettingValues load(
      Path data, Map<String, String> defaults, Map<String, String> overrides) {
    SettingValues settings = new SettingValues(new TreeMap<>(defaults));
    settings.readFile(data.resolve(FILE));
    settings.readEnvironment();
    overrides.forEach((name, value) -> settings.put(name, value, "the command line"));
    return settings;
  }

  private void readFile(Path file) {
    if (!Files.exists(file)) {
      return;
    }
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    } catch (IOException e) {
      throw new GaussException(SqlState.IO_ERROR, "cannot read " + file + ": " + e, e);
    }
    for (String name : properties.stringPropertyNames()) {
      put(name, properties.getProperty(name), file.toString());
    }
  }

  private void readEnvironment() {
    for (Map.Entry<String, String> setting : values.entrySet()) {
      String value = System.getenv(variable(setting.getKey()));
      if (value != null) {
        setting.setValue(value);
      }
    }
  }

  /** The environment's variable for a setting. */
  public static String variable(String name) {
    return ENVIRONMENT_PREFIX + name.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
  }

  private void put(String name, String value, String where) {
    if (!values.containsKey(name)) {
      throw new GaussException(
          SqlState.UNDEFINED_OBJECT,
          "unknown setting \"%s\" in %s; known are %s".formatted(name, where, values.keySet()));
    }
    values.put(name, value);
  }

  /** The text without blanks around it. */
  public String text(String name) {
    return values.get(name).strip();
  }

  /** As {@link #text}; where nothing is written, the text given here. */
  public String textOr(String name, String otherwise) {
    String text = text(name);
    return text.isEmpty() ? otherwise : text;
  }

  /** A number of bytes, as {@code 64MB}. */
  public long bytes(String name) {
    String text = text(name).toUpperCase(Locale.ROOT);
    int digits = 0;
    while (digits < text.length() && Character.isDigit(text.charAt(digits))) {
      digits++;
    }
    try {
      long amount = Long.parseLong(text.substring(0, digits));
      return switch (text.substring(digits).strip()) {
        case "", "B" -> amount;
        case "K", "KB" -> Math.multiplyExact(amount, 1L << 10);
        case "M", "MB" -> Math.multiplyExact(amount, 1L << 20);
        case "G", "GB" -> Math.multiplyExact(amount, 1L << 30);
        default -> throw invalid(name, "a number of bytes, KB, MB or GB");
      };
    } catch (NumberFormatException | ArithmeticException e) {
      throw invalid(name, "a number of bytes, KB, MB or GB");
    }
  }

  /**
   * As {@link #bytes(String)}, of at least so many.
   *
   * @param smallest how the least amount is told
   */
  public long bytes(String name, long least, String smallest) {
    long bytes = bytes(name);
    if (bytes < least) {
      throw invalid(name, "at least " + smallest);
    }
    return bytes;
  }

  public int number(String name, int min, int max) {
    try {
      int number = Integer.parseInt(text(name));
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Told below, with the range.
    }
    throw invalid(name, "a number from " + min + " to " + max);
  }

  /** One of some words, in lower case. */
  public String oneOf(String name, String... allowed) {
    String value = text(name).toLowerCase(Locale.ROOT);
    for (String candidate : allowed) {
      if (candidate.equals(value)) {
        return value;
      }
    }
    throw invalid(name, "one of " + String.join(", ", allowed));
  }

  /** The error for a value that makes no sense: 22023. */
  public GaussException invalid(String name, String wanted) {
    return new GaussException(
        SqlState.INVALID_PARAMETER_VALUE,
        "setting %s = \"%s\": %s is wanted".formatted(name, values.get(name), wanted));
  }
}
