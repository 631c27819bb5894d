package io.gauss.common.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.stream.Collectors;

/**
 * The valid values of a setting, and their text form.
 *
 * @param unit the unit of a number or the kind of a text, such as {@code seconds}; empty when
 *     {@code range} is sufficient
 * @param range the valid values, in words; empty when all are valid
 * @param parser converts a text without surrounding blanks to a value; throws {@link
 *     IllegalArgumentException} for an invalid text
 */
record SettingType<T>(String unit, String range, Function<String, T> parser) {
  private static final int MOST_PORTS = 65_535;

  /** Unit and range, for documentation and error messages. */
  String describe() {
    return unit.isEmpty() || range.isEmpty() ? unit + range : unit + ", " + range;
  }

  static SettingType<Integer> number(int min, int max) {
    return number("number", min, max);
  }

  /**
   * @param unit what is counted
   */
  static SettingType<Integer> number(String unit, int min, int max) {
    return new SettingType<>(
        unit, range(min, max), text -> (int) inRange(Long.parseLong(text), min, max));
  }

  /** Whole seconds. */
  static SettingType<Duration> seconds(int min, int max) {
    return duration("seconds", Duration::ofSeconds, min, max);
  }

  /** Whole milliseconds. */
  static SettingType<Duration> millis(int min, int max) {
    return duration("ms", Duration::ofMillis, min, max);
  }

  private static SettingType<Duration> duration(
      String unit, LongFunction<Duration> of, int min, int max) {
    return new SettingType<>(
        unit, range(min, max), text -> of.apply(inRange(Long.parseLong(text), min, max)));
  }

  /** A TCP port; each setting defines the meaning of 0. */
  static SettingType<Integer> port() {
    return new SettingType<>(
        "port", range(0, MOST_PORTS), text -> (int) inRange(Long.parseLong(text), 0, MOST_PORTS));
  }

  /** Bytes, as {@code 64MB} or as a plain number, with a minimum. */
  static SettingType<Long> bytes(String least) {
    return bytes("bytes", least);
  }

  static SettingType<Long> bytes(String unit, String least) {
    long min = parseBytes(least);
    return new SettingType<>(
        unit,
        min == 0 ? "" : "from " + least,
        text -> inRange(parseBytes(text), min, Long.MAX_VALUE));
  }

  /** One of an enum's constants, in lower case and with {@code -} for {@code _}. */
  static <E extends Enum<E>> SettingType<E> oneOf(Class<E> words) {
    String all =
        Arrays.stream(words.getEnumConstants())
            .map(constant -> "`" + word(constant) + "`")
            .collect(Collectors.joining(", "));
    return new SettingType<>("", all, text -> constant(words, text));
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static <E extends Enum<E>> E constant(Class<E> words, String text) {
    for (E constant : words.getEnumConstants()) {
      if (word(constant).equalsIgnoreCase(text)) {
        return constant;
      }
    }
    throw new IllegalArgumentException(text);
  }

  static SettingType<Boolean> onOff() {
    return new SettingType<>(
        "",
        "`on`, `off`",
        text ->
            switch (text.toLowerCase(Locale.ROOT)) {
              case "on" -> true;
              case "off" -> false;
              default -> throw new IllegalArgumentException(text);
            });
  }

  /**
   * Any text, which may be empty.
   *
   * @param unit the kind of text
   */
  static SettingType<String> text(String unit) {
    return new SettingType<>(unit, "", Function.identity());
  }

  /** A text that must not be empty, such as an address. */
  static SettingType<String> name(String unit) {
    return new SettingType<>(
        unit,
        "",
        text -> {
          if (text.isEmpty()) {
            throw new IllegalArgumentException("empty");
          }
          return text;
        });
  }

  /** A file, or none when the text is empty. */
  static SettingType<Optional<Path>> file() {
    return new SettingType<>(
        "file", "", text -> text.isEmpty() ? Optional.empty() : Optional.of(Path.of(text)));
  }

  private static long inRange(long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(value + " is not from " + min + " to " + max);
    }
    return value;
  }

  private static String range(int min, int max) {
    return max == Integer.MAX_VALUE ? "from " + grouped(min) : grouped(min) + " to " + grouped(max);
  }

  private static String grouped(int number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  private static long parseBytes(String text) {
    int digits = 0;
    while (digits < text.length() && Character.isDigit(text.charAt(digits))) {
      digits++;
    }
    long amount = Long.parseLong(text.substring(0, digits));
    long unit =
        switch (text.substring(digits).strip().toUpperCase(Locale.ROOT)) {
          case "", "B" -> 1;
          case "K", "KB" -> 1L << 10;
          case "M", "MB" -> 1L << 20;
          case "G", "GB" -> 1L << 30;
          default -> throw new IllegalArgumentException(text);
        };
    try {
      return Math.multiplyExact(amount, unit);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(text, e);
    }
  }
}
