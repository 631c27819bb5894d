package io.gauss.jdbc;

import io.gauss.jdbc.cluster.NodeConnection;
import io.gauss.jdbc.text.Effect;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The application's settings for its session, so that they can be made on each physical connection
 * before it is used again. The last value of each setting is kept, in the order in which they were
 * given. For one thread at a time.
 */
final class SessionSettings {
  private static final String TEXT = "text ";
  private static final String MODE = "gauss.routing";

  private final Map<String, Entry> entries = new LinkedHashMap<>();
  private long version;
  private boolean autoCommit = true;
  private final Supplier<String> mode;

  /**
   * @param mode the statement that tells servers how nodes are chosen; may give null
   */
  SessionSettings(Supplier<String> mode) {
    this.mode = mode;
  }

  /** Makes a setting on a physical connection outside a transaction. */
  @FunctionalInterface
  interface Setting {
    void on(Connection connection) throws SQLException;
  }

  private record Entry(Setting setting, long version) {}

  boolean isAutoCommit() {
    return autoCommit;
  }

  /** Outside a transaction. */
  void setAutoCommit(boolean on) {
    autoCommit = on;
  }

  /** A setting by JDBC's methods, already made on {@code current}. */
  void set(String name, NodeConnection current, Setting setting) {
    put(name, setting);
    current.settings(version);
  }

  private void put(String key, Setting setting) {
    entries.remove(key); // later ones may depend on the order
    entries.put(key, new Entry(setting, ++version));
  }

  /** A statement such as SET, already executed on {@code current} for good. */
  void execute(Effect.Set statement, NodeConnection current) {
    if (!statement.forgetsOthers()) {
      put(TEXT + statement.name(), on(statement.text()));
      current.settings(version);
      return;
    }
    entries.keySet().removeIf(key -> key.startsWith(TEXT));
    put(TEXT + statement.name(), on(statement.text()));
    current.settings(version);
    String own = mode.get();
    if (own != null) {
      // It has also reset what the driver itself has set, so here as well before the next one.
      put(TEXT + MODE, on(own));
    }
  }

  private static Setting on(String text) {
    return connection -> {
      try (Statement s = connection.createStatement()) {
        s.execute(text);
      }
    };
  }

  boolean areOn(NodeConnection connection) {
    return connection.settings() == version && connection.isAutoCommit() == autoCommit;
  }

  /**
   * Makes the settings that have changed since a connection was last used on it; it must be outside
   * a transaction.
   */
  void bring(NodeConnection to) throws SQLException {
    if (to.settings() != version) {
      to.setAutoCommit(true);
      for (Entry entry : entries.values()) {
        if (entry.version() > to.settings()) {
          entry.setting().on(to.connection());
        }
      }
      to.settings(version);
    }
    to.setAutoCommit(autoCommit);
  }
}
