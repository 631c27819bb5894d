package io.gauss.jdbc;

import io.gauss.jdbc.cluster.NodeConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The application's settings for its session, so that they can be made on each physical connection
 * before it is used again. The last value of each setting is kept, in the order in which they were
 * given. Settings of an open transaction count when it is committed, as they do on the server. For
 * one thread at a time.
 */
final class SessionSettings {
  private static final String TEXT = "text ";

  private final Map<String, Entry> entries = new LinkedHashMap<>();
  private final List<Pending> pending = new ArrayList<>();
  private long version;
  private boolean autoCommit = true;

  /** Makes a setting on a physical connection outside a transaction. */
  @FunctionalInterface
  interface Setting {
    void on(Connection connection) throws SQLException;
  }

  private record Entry(Setting setting, long version) {}

  private record Pending(String name, String text, boolean forgetsOthers) {}

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

  /**
   * A statement such as SET, already executed on {@code current}.
   *
   * @param name of the setting
   * @param forgetsOthers it resets everything that statements have set
   * @param inTransaction it is undone when the transaction is rolled back
   */
  void execute(
      String name,
      String text,
      boolean forgetsOthers,
      boolean inTransaction,
      NodeConnection current) {
    if (inTransaction) {
      pending.add(new Pending(name, text, forgetsOthers));
    } else {
      execute(new Pending(name, text, forgetsOthers));
      current.settings(version);
    }
  }

  private void execute(Pending statement) {
    if (statement.forgetsOthers()) {
      entries.keySet().removeIf(key -> key.startsWith(TEXT));
    }
    put(
        TEXT + statement.name(),
        connection -> {
          try (Statement s = connection.createStatement()) {
            s.execute(statement.text());
          }
        });
  }

  /** How many settings the open transaction has made; for {@link #forgetPendingAfter}. */
  int pending() {
    return pending.size();
  }

  /** The transaction was rolled back to the point where it had made this number of settings. */
  void forgetPendingAfter(int count) {
    pending.subList(Math.min(count, pending.size()), pending.size()).clear();
  }

  /** The transaction on {@code current} is over. */
  void transactionEnded(boolean committed, NodeConnection current) {
    if (pending.isEmpty()) {
      return;
    }
    if (committed) {
      pending.forEach(this::execute);
      current.settings(version);
    }
    pending.clear();
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
