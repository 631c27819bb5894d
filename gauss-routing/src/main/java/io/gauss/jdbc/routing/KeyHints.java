package io.gauss.jdbc.routing;

import io.gauss.jdbc.routing.Decision.Cause;
import io.gauss.jdbc.routing.statement.ReadStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Decisions by the owners of keys, for keys that were not learned. Nothing is known, and nothing is
 * asked, with {@code routing.owners=off}. Thread-safe.
 */
public final class KeyHints {
  private final OwnedKeys keys;
  private final boolean isOn;
  private final LongAdder owned = new LongAdder();

  KeyHints(RouterSettings settings) {
    this(settings.owners(), System::nanoTime);
  }

  /**
   * @param isOn whether anything is asked
   * @param nanos monotonic clock
   */
  public KeyHints(boolean isOn, LongSupplier nanos) {
    this.isOn = isOn;
    this.keys = new OwnedKeys(nanos);
  }

  /**
   * The number of the node that has the rows of a statement's key; 0 when it is not known. Takes no
   * memory unless there is a question.
   *
   * @param values of the statement's predicates
   */
  public int node(ReadStatement read, Object[] values) {
    return isOn ? keys.node(read, values) : 0;
  }

  /** Whether {@link #node} may know something if it is given a statement's values. */
  public boolean mayTell(ReadStatement read) {
    return isOn && keys.mayTell(read);
  }

  /**
   * @param wake makes a thread call {@link #ask} soon; does not wait
   */
  public void onQuestions(Runnable wake) {
    keys.onWanted(wake);
  }

  /** The node that has the rows of the statement's key; null when that is not known. */
  ClusterNode node(ReadStatement read, Object[] values, Topology topology) {
    ClusterNode node = topology.byNumber(node(read, values));
    return node == null || !node.isUsable() ? null : node;
  }

  /**
   * The decision for such a node.
   *
   * @param router its name
   */
  Decision decide(String router, ClusterNode node) {
    owned.increment();
    return Decision.on(node, Cause.OWNER, router + ": has the rows of the key");
  }

  /**
   * Adds lines for people.
   *
   * @param learned node that was learned for the statement; null = none
   * @param ownerFirst whether the owner of the key is better than what was learned
   * @return whether the owner of the key decides
   */
  boolean explain(
      ReadStatement read,
      Object[] values,
      Topology topology,
      ClusterNode learned,
      boolean ownerFirst,
      List<String> lines) {
    if (!isOn || learned != null && !ownerFirst) {
      return false;
    }
    ClusterNode node = node(read, values, topology);
    lines.add("Owner of the key: " + (node == null ? "not known" : node));
    if (node != null) {
      lines.add("Decision: " + node + ", which has the rows of the key");
    }
    return node != null;
  }

  /** Asks by the connection what decisions have missed. */
  void ask(Connection connection) throws SQLException {
    try (PreparedStatement question =
        connection.prepareStatement("SELECT gauss_key_owners(?, ?, ?)")) {
      keys.fill((table, column, value) -> answer(question, table, column, value));
    }
  }

  private static String answer(
      PreparedStatement question, String table, String column, String value) throws SQLException {
    question.setString(1, table);
    question.setString(2, column);
    question.setString(3, value);
    try (ResultSet row = question.executeQuery()) {
      return row.next() ? row.getString(1) : null;
    }
  }

  /**
   * Asks what decisions have missed.
   *
   * @throws SQLException when the server does not answer
   */
  public void ask(KeyOwnerSource server) throws SQLException {
    keys.fill(server);
  }

  /** Something else is published. */
  public void published() {
    keys.outdate();
  }

  void forget() {
    keys.clear();
  }

  long owned() {
    return owned.sum();
  }
}
