package io.gauss.jdbc.cluster;

import io.gauss.jdbc.routing.RoutingMode;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;

/**
 * This driver's properties, extracted from the URL and from the properties given with it;
 * everything else is pgjdbc's.
 *
 * @param mode {@code routing.mode}
 * @param discover {@code routing.discover}: look for nodes that the URL does not name
 * @param retries {@code retry.attempts}: how often a statement is repeated, 0 to 100
 * @param rebalanceSeconds {@code routing.rebalanceSeconds}: time in which connections that stay are
 *     spread again; 0 = never
 * @param idleSeconds {@code routing.idleSeconds}: for how long a session keeps a connection to a
 *     node that it does not use; 0 = for ever
 * @param own all of this driver's, as given; routers read theirs
 * @param databaseAndParameters of the URL, without this driver's
 * @param pgjdbc the properties without this driver's
 */
public record ClusterOptions(
    RoutingMode mode,
    boolean discover,
    int retries,
    int rebalanceSeconds,
    int idleSeconds,
    Properties own,
    String databaseAndParameters,
    Properties pgjdbc) {
  static final String MODE = "routing.mode";
  static final String DISCOVER = "routing.discover";
  static final String RETRIES = "retry.attempts";
  static final String REBALANCE = "routing.rebalanceSeconds";
  static final String IDLE = "routing.idleSeconds";
  static final String ENGINE = "routing.engine";
  static final String METRICS = "metrics.micrometer";

  private static final Set<String> KNOWN =
      new TreeSet<>(
          Set.of(
              MODE,
              DISCOVER,
              RETRIES,
              REBALANCE,
              IDLE,
              ENGINE,
              METRICS,
              "routing.maxModelBytes",
              "routing.cacheSize",
              "routing.confidence",
              "routing.owners",
              "routing.without",
              "routing.hysteresis"));
  private static final Set<String> ENGINES = new TreeSet<>(Set.of("auto", "djl", "java"));
  private static final Set<String> METRICS_VALUES = new TreeSet<>(Set.of("off", "global"));
  private static final int MOST_RETRIES = 100;
  private static final int MOST_SECONDS = 86_400;

  /**
   * @throws SQLException 22023 when a property of this driver or its value is not known
   */
  public static ClusterOptions of(GaussUrl url, Properties given) throws SQLException {
    Properties own = new Properties();
    Properties pgjdbc = new Properties();
    for (String name : given.stringPropertyNames()) {
      (isOwn(name) ? own : pgjdbc).setProperty(name, given.getProperty(name));
    }
    String tail = withoutOwn(url.databaseAndParameters(), own);
    for (String name : own.stringPropertyNames()) {
      if (!KNOWN.contains(name)) {
        throw wrong(name + " is not a property of this driver; there are " + list(KNOWN));
      }
    }
    if (!ENGINES.contains(own.getProperty(ENGINE, "auto"))) {
      throw wrong(
          ENGINE + "=" + own.getProperty(ENGINE) + " is not known; there are " + list(ENGINES));
    }
    if (!METRICS_VALUES.contains(own.getProperty(METRICS, "off"))) {
      throw wrong(
          METRICS
              + "="
              + own.getProperty(METRICS)
              + " is not known; there are "
              + list(METRICS_VALUES));
    }
    return new ClusterOptions(
        mode(own.getProperty(MODE, RoutingMode.STICKY.text())),
        bool(DISCOVER, own.getProperty(DISCOVER, "true")),
        number(RETRIES, own.getProperty(RETRIES, "0"), MOST_RETRIES),
        number(REBALANCE, own.getProperty(REBALANCE, "30"), MOST_SECONDS),
        number(IDLE, own.getProperty(IDLE, "60"), MOST_SECONDS),
        own,
        tail,
        pgjdbc);
  }

  private static boolean isOwn(String name) {
    return name.startsWith("routing.") || name.startsWith("retry.") || name.startsWith("metrics.");
  }

  /** Moves this driver's parameters from the URL; the URL wins, as it does in pgjdbc. */
  private static String withoutOwn(String tail, Properties own) {
    int query = tail.indexOf('?');
    if (query < 0) {
      return tail;
    }
    List<String> left = new ArrayList<>();
    for (String parameter : tail.substring(query + 1).split("&")) {
      int equals = parameter.indexOf('=');
      String name = decode(equals < 0 ? parameter : parameter.substring(0, equals));
      if (isOwn(name)) {
        own.setProperty(name, equals < 0 ? "" : decode(parameter.substring(equals + 1)));
      } else {
        left.add(parameter);
      }
    }
    return tail.substring(0, query) + (left.isEmpty() ? "" : "?" + String.join("&", left));
  }

  private static String decode(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return text; // pgjdbc reports the error
    }
  }

  private static RoutingMode mode(String value) throws SQLException {
    try {
      return RoutingMode.of(value);
    } catch (IllegalArgumentException e) {
      throw new SQLException(e.getMessage(), "22023", e);
    }
  }

  private static boolean bool(String name, String value) throws SQLException {
    return switch (value.toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default -> throw wrong(name + "=" + value + " is neither true nor false");
    };
  }

  private static int number(String name, String value, int most) throws SQLException {
    try {
      int number = Integer.parseInt(value);
      if (number >= 0 && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw new SQLException(name + "=" + value + " is not a number", "22023", e);
    }
    throw wrong(name + "=" + value + " is not between 0 and " + most);
  }

  private static String list(Set<String> names) {
    return String.join(", ", names);
  }

  private static SQLException wrong(String text) {
    return new SQLException(text, "22023");
  }

  /** Whether the driver's meters are bound to Micrometer's global registry. */
  public boolean bindsMeters() {
    return own.getProperty(METRICS, "off").equals("global");
  }

  /** Whether sessions begin with {@code gauss.commit_wait = local}, by pgjdbc's options. */
  public boolean commitsLocally() {
    String inUrl = decode(databaseAndParameters).replaceFirst("^.*[?&]options=", "");
    return (pgjdbc.getProperty("options", "") + " " + inUrl)
        .matches("(?s).*gauss[.]commit_wait\\s*=\\s*'?local.*");
  }

  /** For tools that list the properties. */
  public List<DriverPropertyInfo> describe() {
    return List.of(
        info(MODE, mode.text(), "which node a transaction runs on"),
        info(ENGINE, own.getProperty(ENGINE, "auto"), "what computes a model's answer"),
        info(REBALANCE, "" + rebalanceSeconds, "seconds in which connections are spread again"),
        info(IDLE, "" + idleSeconds, "seconds after which unused connections are closed"),
        info(DISCOVER, "" + discover, "use nodes that the URL does not name"),
        info(METRICS, own.getProperty(METRICS, "off"), "bind meters to Micrometer's registry"),
        info(RETRIES, "" + retries, "how often a statement in autocommit is repeated"));
  }

  private static DriverPropertyInfo info(String name, String value, String description) {
    DriverPropertyInfo info = new DriverPropertyInfo(name, value);
    info.description = description;
    return info;
  }
}
