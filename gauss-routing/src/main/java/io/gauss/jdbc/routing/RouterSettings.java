package io.gauss.jdbc.routing;

import io.gauss.jdbc.routing.model.NodeScores;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;

/**
 * Properties of a connection that belong to the routers {@code model} and {@code table}.
 *
 * @param engine {@code routing.engine}: the engine that computes the model
 * @param maxBytes {@code routing.maxModelBytes}: larger publications are refused; also the
 *     approximate limit for their content in memory
 * @param cacheSize {@code routing.cacheSize}: decisions kept; 0 for none
 * @param confidence {@code routing.confidence}: by how much the best node's score must exceed the
 *     mean of the others for the model to know anything, 0 to 1
 * @param hysteresis {@code routing.hysteresis}: by how much another node's score must exceed that
 *     of the node chosen before, 0 to 1
 * @param owners {@code routing.owners}: ask which nodes have the rows of keys that were not learned
 * @param without {@code routing.without}: what does not count of that which is published
 */
record RouterSettings(
    EngineChoice engine,
    int maxBytes,
    int cacheSize,
    double confidence,
    double hysteresis,
    boolean owners,
    Set<Part> without) {
  /** Parts of what was learned, for measuring what each of them is worth. */
  enum Part {
    /** The network's answers. */
    NETWORK,
    /** Values that are looked up instead. */
    KEYS,
    /** Ranges of the table, for templates of which these are the better answer. */
    RANGES
  }

  /** Values of {@code routing.engine}. */
  enum EngineChoice {
    /** DJL when it is available and faster than plain Java on this model, else plain Java. */
    AUTO,
    /** DJL with PyTorch; without it connecting fails. */
    DJL,
    /** Plain Java. */
    JAVA
  }

  static final int DEFAULT_MAX_BYTES = 4 << 20;

  /**
   * @throws IllegalArgumentException when a value is invalid; the text is for developers
   */
  static RouterSettings of(Properties properties) {
    return new RouterSettings(
        engine(properties.getProperty("routing.engine", "auto")),
        (int) number(properties, "routing.maxModelBytes", DEFAULT_MAX_BYTES, 1024, 64 << 20),
        (int) number(properties, "routing.cacheSize", 16_384, 0, 1 << 24),
        number(properties, "routing.confidence", NodeScores.CONFIDENCE, 0, 1),
        number(properties, "routing.hysteresis", 0.05, 0, 1),
        owners(properties.getProperty("routing.owners", "on")),
        without(properties.getProperty("routing.without", "")));
  }

  private static Set<Part> without(String names) {
    Set<Part> parts = EnumSet.noneOf(Part.class);
    for (String name : names.isEmpty() ? new String[0] : names.split(",", -1)) {
      try {
        parts.add(Part.valueOf(name.toUpperCase(Locale.ROOT)));
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            "routing.without=" + names + ": network, keys and ranges, with commas between them", e);
      }
    }
    return parts;
  }

  private static boolean owners(String value) {
    return switch (value) {
      case "on" -> true;
      case "off" -> false;
      default -> throw new IllegalArgumentException("routing.owners=" + value + ": on or off");
    };
  }

  private static EngineChoice engine(String name) {
    for (EngineChoice choice : EngineChoice.values()) {
      if (choice.name().toLowerCase(Locale.ROOT).equals(name)) {
        return choice;
      }
    }
    throw new IllegalArgumentException(
        "routing.engine=" + name + " is not known; there are auto, djl and java");
  }

  private static double number(
      Properties properties, String name, double otherwise, double least, double most) {
    String text = properties.getProperty(name);
    if (text == null) {
      return otherwise;
    }
    double value;
    try {
      value = Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + "=" + text + " is not a number", e);
    }
    if (!(value >= least && value <= most)) {
      throw new IllegalArgumentException(
          name + "=" + text + " is not between " + least + " and " + most);
    }
    return value;
  }
}
