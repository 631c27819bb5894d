package io.gauss.common.config;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * The settings of one node. Their sources, of which later ones take precedence, are the defaults,
 * {@code gauss.properties} in the data directory, the environment ({@code GAUSS_POOL_SIZE} for
 * {@code pool.size}), and the command line. Unknown names and values out of range are errors.
 * Immutable.
 */
public final class SettingValues {
  /** File in a data directory with the node's settings. */
  public static final String FILE = "gauss.properties";

  private static final String COMMAND_LINE = "the command line";

  /**
   * What Kubernetes, and Docker for linked containers, tell every container of a service whose name
   * begins with "gauss". Nobody who runs a node has written these, so that they do not keep it from
   * starting.
   */
  private static final Pattern SERVICE_LINK =
      Pattern.compile(
          "GAUSS_([A-Z0-9_]+_)?"
              + "(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_\\d+_(TCP|UDP|SCTP)(_[A-Z]+)?)");

  /** Of such a service {@code GAUSS_..._PORT} is a URL, also where that is a setting's variable. */
  private static final Pattern SERVICE_URL = Pattern.compile("(tcp|udp|sctp)://.*");

  /**
   * @param origin where the text was found, for error messages
   */
  private record Given(String text, String origin) {}

  private final NodeKind kind;
  private final Path data;
  private final Map<String, Given> given;
  private final Map<String, Object> values = new HashMap<>();

  private SettingValues(NodeKind kind, Path data, Map<String, Given> given) {
    this.kind = kind;
    this.data = data;
    this.given = given;
  }

  /**
   * Reads all settings of a node and checks them.
   *
   * @param data the node's data directory
   * @param overrides from the command line
   * @throws GaussException 42704 for an unknown name, 22023 for a value that a setting cannot have,
   *     58030 when the file cannot be read
   */
  public static SettingValues load(NodeKind kind, Path data, Map<String, String> overrides) {
    return load(kind, data, System.getenv(), overrides);
  }

  static SettingValues load(
      NodeKind kind, Path data, Map<String, String> environment, Map<String, String> overrides) {
    Map<String, Given> given = new TreeMap<>();
    for (NodeSetting<?> row : NodeSettingTable.of(kind)) {
      given.put(row.name(), new Given(row.fallback().text().get(), "its default"));
    }
    Path file = data.resolve(FILE);
    readFile(file)
        .forEach(
            (name, value) ->
                given.put(
                    row(kind, name, file.toString()).name(), new Given(value, file.toString())));
    given.putAll(readEnvironment(kind, environment));
    overrides.forEach(
        (name, value) ->
            given.put(row(kind, name, COMMAND_LINE).name(), new Given(value, COMMAND_LINE)));
    SettingValues settings = new SettingValues(kind, data, given);
    for (NodeSetting<?> row : NodeSettingTable.of(kind)) {
      settings.values.put(row.name(), settings.parse(row, row::parse));
    }
    return settings;
  }

  /**
   * Checks the settings of the command line before a node is started with them.
   *
   * @throws GaussException as {@link #load}
   */
  public static void check(NodeKind kind, Map<String, String> overrides) {
    overrides.forEach(
        (name, value) -> parse(row(kind, name, COMMAND_LINE), new Given(value, COMMAND_LINE)));
  }

  /**
   * Checks that all environment variables with the prefix of Gauss are known.
   *
   * @throws GaussException 42704 for an unknown one
   */
  public static void checkEnvironment() {
    readEnvironment(NodeKind.COMPUTE, System.getenv());
  }

  /** The error for a name that no node has: 42704. */
  public static GaussException unknown(String name) {
    Set<String> all = new TreeSet<>();
    NodeSettingTable.rows().forEach(row -> all.add(row.name()));
    return unknown(name, COMMAND_LINE, all);
  }

  private static GaussException unknown(String name, String origin, Set<String> known) {
    return new GaussException(
        SqlState.UNDEFINED_OBJECT,
        "unknown setting \"%s\" in %s; known are %s".formatted(name, origin, known));
  }

  private static NodeSetting<?> row(NodeKind kind, String name, String origin) {
    Optional<NodeSetting<?>> row = NodeSettingTable.find(kind, name);
    if (row.isPresent()) {
      return row.get();
    }
    Set<NodeKind> others = NodeSettingTable.kindsWith(name);
    if (!others.isEmpty()) {
      throw new GaussException(
          SqlState.UNDEFINED_OBJECT,
          "setting \"%s\" in %s is not one of a %s node; those that have it: %s"
              .formatted(name, origin, kind, others));
    }
    Set<String> known = new TreeSet<>();
    NodeSettingTable.of(kind).forEach(one -> known.add(one.name()));
    throw unknown(name, origin, known);
  }

  private static Map<String, String> readFile(Path file) {
    Map<String, String> read = new TreeMap<>();
    if (!Files.exists(file)) {
      return read;
    }
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    } catch (IOException e) {
      throw new GaussException(SqlState.IO_ERROR, "cannot read " + file + ": " + e, e);
    }
    properties.stringPropertyNames().forEach(n -> read.put(n, properties.getProperty(n)));
    return read;
  }

  /** Nodes of all kinds may share an environment: settings of other kinds are ignored. */
  private static Map<String, Given> readEnvironment(
      NodeKind kind, Map<String, String> environment) {
    Map<String, Given> read = new TreeMap<>();
    for (Map.Entry<String, String> variable : new TreeMap<>(environment).entrySet()) {
      String name = variable.getKey();
      if (!name.startsWith(NodeSetting.VARIABLE_PREFIX)
          || ProcessVariables.isKnown(name)
          || isServiceLink(name, variable.getValue())) {
        continue;
      }
      List<NodeSetting<?>> rows =
          NodeSettingTable.rows().stream().filter(row -> row.variable().equals(name)).toList();
      if (rows.isEmpty()) {
        throw new GaussException(
                SqlState.UNDEFINED_OBJECT,
                "the environment variable %s is neither a setting of a node nor one of the launcher"
                    .formatted(name))
            .hint("docs/settings.md lists both. Variables of others must not begin with GAUSS_.");
      }
      for (NodeSetting<?> row : rows) {
        if (row.kinds().contains(kind)) {
          read.put(row.name(), new Given(variable.getValue(), "the variable " + name));
        }
      }
    }
    return read;
  }

  private static boolean isServiceLink(String variable, String value) {
    return SERVICE_LINK.matcher(variable).matches()
        || variable.endsWith("_PORT") && SERVICE_URL.matcher(value).matches();
  }

  /** The node's data directory. */
  public Path data() {
    return data;
  }

  /**
   * The value of a setting.
   *
   * @throws IllegalArgumentException when nodes of this kind do not have it
   */
  @SuppressWarnings("unchecked") // each value was made by the parser of its row
  public <T> T get(NodeSetting<T> row) {
    if (!row.kinds().contains(kind)) {
      throw new IllegalArgumentException(row.name() + " is no setting of a " + kind + " node");
    }
    return (T) values.get(row.name());
  }

  /**
   * The value of a setting in a format that only its reader knows.
   *
   * @param parser throws {@link IllegalArgumentException} for an invalid value
   * @throws GaussException 22023 for an invalid value
   */
  public <T> T get(NodeSetting<String> row, Function<String, T> parser) {
    return parse(row, text -> parser.apply(row.parse(text)));
  }

  /** The text of a setting, or another one when it is empty. */
  public String textOr(NodeSetting<String> row, String fallback) {
    String text = get(row);
    return text.isEmpty() ? fallback : text;
  }

  /** The file that a setting names, by default one in the data directory. */
  public Path file(NodeSetting<Optional<Path>> row, String fallback) {
    return get(row).orElseGet(() -> data.resolve(fallback));
  }

  /**
   * The same settings with another value for one of them, without checks: for tests, which need
   * values that are otherwise too small.
   */
  public <T> SettingValues with(NodeSetting<T> row, T value) {
    SettingValues changed = new SettingValues(kind, data, given);
    changed.values.putAll(values);
    changed.values.put(row.name(), value);
    return changed;
  }

  private <T> T parse(NodeSetting<?> row, Function<String, T> parser) {
    return parse(row, given.get(row.name()), parser);
  }

  private static void parse(NodeSetting<?> row, Given value) {
    parse(row, value, row::parse);
  }

  private static <T> T parse(NodeSetting<?> row, Given value, Function<String, T> parser) {
    try {
      return parser.apply(value.text());
    } catch (IllegalArgumentException e) {
      throw invalid(row, value, row.type().describe());
    }
  }

  /**
   * The error for a value that is inconsistent with others: 22023.
   *
   * @param expected a valid value
   */
  public GaussException invalid(NodeSetting<?> row, String expected) {
    return invalid(row, given.get(row.name()), expected);
  }

  private static GaussException invalid(NodeSetting<?> row, Given value, String expected) {
    return new GaussException(
        SqlState.INVALID_PARAMETER_VALUE,
        "setting %s = \"%s\" in %s is not valid; expected: %s"
            .formatted(row.name(), value.text(), value.origin(), expected.replace("`", "")));
  }
}
