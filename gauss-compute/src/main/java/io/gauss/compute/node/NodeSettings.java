package io.gauss.compute.node;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * Settings of a compute node. They come, the later winning, from the defaults, {@code
 * gauss.properties} in the data directory, the environment ({@code GAUSS_POOL_SIZE} for {@code
 * pool.size}), and the command line. Unknown names are errors.
 *
 * @param data data directory
 * @param port TCP port for clients
 * @param poolBytes size of the buffer pool
 * @param maxConnections most clients at a time
 * @param eventLoops threads that serve connections
 * @param checkpointBytes log bytes between checkpoints
 * @param checkpointSeconds time between checkpoints
 * @param redoMemoryBytes memory for redo that waits in the page store
 * @param pageWriteBytesPerSecond most that flushes and compactions of the page store write
 * @param metricsAddress address that metrics are served on
 * @param metricsPort port that metrics are served on; 0 = they are not
 * @param listenAddress address that clients are listened for on
 * @param trustLoopback whether clients of this machine need no password
 * @param authenticationTimeoutSeconds a connection that has not started a session by then is closed
 * @param tls certificate and key for encryption; null = none
 * @param slowStatementMillis statements that take as long are logged; -1 = none
 */
public record NodeSettings(
    Path data,
    int port,
    long poolBytes,
    int maxConnections,
    int eventLoops,
    long checkpointBytes,
    int checkpointSeconds,
    long redoMemoryBytes,
    long pageWriteBytesPerSecond,
    String metricsAddress,
    int metricsPort,
    int slowStatementMillis,
    String listenAddress,
    boolean trustLoopback,
    int authenticationTimeoutSeconds,
    TlsFiles tls) {

  /**
   * @param generate whether they are made when they are not there
   */
  public record TlsFiles(Path certificate, Path key, boolean generate) {}

  private static final String FILE = "gauss.properties";
  private static final String ENVIRONMENT_PREFIX = "GAUSS_";
  private static final long SMALLEST_POOL = 8L << 20;
  private static final long SMALLEST_WRITE_RATE = 1L << 20;
  private static final long LARGEST_DEFAULT_POOL = 2L << 30;
  private static final long SMALLEST_REDO_MEMORY = 16L << 20;
  private static final long LARGEST_DEFAULT_REDO_MEMORY = 1L << 30;

  /**
   * @param overrides from the command line
   * @throws GaussException 22023 for a value that makes no sense, 42704 for an unknown name
   */
  public static NodeSettings load(Path data, int port, Map<String, String> overrides) {
    Map<String, String> values = new TreeMap<>();
    values.put("pool.size", Long.toString(defaultPoolBytes()));
    values.put("connections.max", "10000");
    values.put(
        "threads.event-loops",
        Integer.toString(Math.max(1, Runtime.getRuntime().availableProcessors())));
    values.put("checkpoint.bytes", "1GB");
    values.put("checkpoint.seconds", "300");
    values.put("pages.redo-memory", Long.toString(defaultRedoMemoryBytes()));
    values.put("pages.write-rate", "256MB");
    values.put("metrics.address", "127.0.0.1");
    values.put("metrics.port", "0");
    values.put("log.min-duration-statement", "-1");
    values.put("listen.address", "127.0.0.1");
    values.put("auth.loopback", "trust");
    values.put("auth.timeout", "60");
    values.put("tls", "off");
    values.put("tls.certificate", "");
    values.put("tls.key", "");
    readFile(data.resolve(FILE), values);
    for (String name : values.keySet().toArray(new String[0])) {
      String fromEnvironment =
          System.getenv(
              ENVIRONMENT_PREFIX
                  + name.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_'));
      if (fromEnvironment != null) {
        values.put(name, fromEnvironment);
      }
    }
    overrides.forEach((name, value) -> put(values, name, value, "the command line"));
    long pool = bytes("pool.size", values);
    if (pool < SMALLEST_POOL) {
      throw invalid("pool.size", values.get("pool.size"), "at least 8MB");
    }
    long redoMemory = bytes("pages.redo-memory", values);
    if (redoMemory < SMALLEST_REDO_MEMORY) {
      throw invalid("pages.redo-memory", values.get("pages.redo-memory"), "at least 16MB");
    }
    long writeRate = bytes("pages.write-rate", values);
    if (writeRate < SMALLEST_WRITE_RATE) {
      throw invalid("pages.write-rate", values.get("pages.write-rate"), "at least 1MB");
    }
    return new NodeSettings(
        data,
        port,
        pool,
        number("connections.max", values, 1, 1_000_000),
        number("threads.event-loops", values, 1, 1024),
        bytes("checkpoint.bytes", values),
        number("checkpoint.seconds", values, 1, 86_400),
        redoMemory,
        writeRate,
        values.get("metrics.address").strip(),
        number("metrics.port", values, 0, 65_535),
        number("log.min-duration-statement", values, -1, Integer.MAX_VALUE),
        values.get("listen.address").strip(),
        oneOf("auth.loopback", values, "trust", "scram").equals("trust"),
        number("auth.timeout", values, 1, 600),
        tls(data, values));
  }

  private static TlsFiles tls(Path data, Map<String, String> values) {
    String certificate = values.get("tls.certificate").strip();
    String key = values.get("tls.key").strip();
    if (certificate.isEmpty() != key.isEmpty()) {
      throw invalid("tls.key", key, "certificate and key together");
    }
    return switch (oneOf("tls", values, "off", "on", "generate")) {
      case "generate" -> {
        if (!key.isEmpty()) {
          throw invalid("tls", "generate", "\"on\" with a certificate that is there");
        }
        Path directory = data.resolve("tls");
        yield new TlsFiles(
            directory.resolve("certificate.pem"), directory.resolve("key.pem"), true);
      }
      case "on" -> {
        if (key.isEmpty()) {
          throw invalid("tls", "on", "tls.certificate and tls.key beside it");
        }
        yield new TlsFiles(Path.of(certificate), Path.of(key), false);
      }
      default -> key.isEmpty() ? null : new TlsFiles(Path.of(certificate), Path.of(key), false);
    };
  }

  private static String oneOf(String name, Map<String, String> values, String... allowed) {
    String value = values.get(name).strip().toLowerCase(Locale.ROOT);
    for (String candidate : allowed) {
      if (candidate.equals(value)) {
        return value;
      }
    }
    throw invalid(name, values.get(name), "one of " + String.join(", ", allowed));
  }

  private static long defaultPoolBytes() {
    return Math.clamp(memoryBytes() / 4, SMALLEST_POOL, LARGEST_DEFAULT_POOL);
  }

  private static long defaultRedoMemoryBytes() {
    return Math.clamp(memoryBytes() / 24, SMALLEST_REDO_MEMORY, LARGEST_DEFAULT_REDO_MEMORY);
  }

  /** The memory that this process may use, which in a container is the container's. */
  private static long memoryBytes() {
    return java.lang.management.ManagementFactory.getPlatformMXBean(
            com.sun.management.OperatingSystemMXBean.class)
        .getTotalMemorySize();
  }

  private static void readFile(Path file, Map<String, String> values) {
    if (!Files.exists(file)) {
      return;
    }
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    for (String name : properties.stringPropertyNames()) {
      put(values, name, properties.getProperty(name), file.toString());
    }
  }

  private static void put(Map<String, String> values, String name, String value, String where) {
    if (!values.containsKey(name)) {
      throw new GaussException(
          SqlState.UNDEFINED_OBJECT,
          "unknown setting \"%s\" in %s; known are %s".formatted(name, where, values.keySet()));
    }
    values.put(name, value);
  }

  private static long bytes(String name, Map<String, String> values) {
    String text = values.get(name).strip().toUpperCase(Locale.ROOT);
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
        default -> throw invalid(name, values.get(name), "a number of bytes, KB, MB or GB");
      };
    } catch (NumberFormatException | ArithmeticException e) {
      throw invalid(name, values.get(name), "a number of bytes, KB, MB or GB");
    }
  }

  private static int number(String name, Map<String, String> values, int min, int max) {
    try {
      int number = Integer.parseInt(values.get(name).strip());
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Told below, with the range.
    }
    throw invalid(name, values.get(name), "a number from " + min + " to " + max);
  }

  private static GaussException invalid(String name, String value, String wanted) {
    return new GaussException(
        SqlState.INVALID_PARAMETER_VALUE,
        "setting %s = \"%s\": %s is wanted".formatted(name, value, wanted));
  }
}
