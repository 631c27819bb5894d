package io.gauss.compute.session.prepared;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.util.HashMap;
import java.util.Map;

/**
 * The prepared statements of a session by name; the unnamed one has the empty name. Those that were
 * prepared on another node are known by their texts, and prepared here when first used. Belongs to
 * the session.
 */
public final class PreparedStatements {
  static final String UNNAMED = "";

  private final Memory memory;

  private final Map<String, PreparedStatement> prepared = new HashMap<>(4);
  private final Map<String, StatementDefinition> elsewhere = new HashMap<>(0);
  private PreparedStatement unnamed;
  private long version;

  /** Takes account of the memory that statements take; see its only implementation. */
  @FunctionalInterface
  public interface Memory {
    /**
     * @throws GaussException 53200 when it takes more, and there is no more
     */
    void resize(long before, long now);
  }

  public PreparedStatements(Memory memory) {
    this.memory = memory;
  }

  /** Incremented with every change of {@link #definitions}. */
  public long version() {
    return version;
  }

  /**
   * @throws GaussException 42P05 when the name is taken
   */
  public void checkFree(String name) {
    if (!name.isEmpty() && (prepared.containsKey(name) || elsewhere.containsKey(name))) {
      throw new GaussException(
          SqlState.DUPLICATE_PREPARED_STATEMENT,
          "prepared statement \"%s\" already exists".formatted(name));
    }
  }

  /**
   * @throws GaussException 42P05 when the name is taken, 53200 when there is no memory for it
   */
  public void store(String name, PreparedStatement statement) {
    checkFree(name);
    keep(name, statement);
    version++;
  }

  /**
   * Stores the statement that is prepared here now, as on the other node.
   *
   * @throws GaussException 53200 when there is no memory for it
   */
  public void keep(String name, PreparedStatement statement) {
    memory.resize(weight(find(name)), statement.weight());
    elsewhere.remove(name);
    if (name.equals(UNNAMED)) {
      unnamed = statement;
    } else {
      prepared.put(name, statement);
    }
  }

  private static long weight(PreparedStatement statement) {
    return statement == null ? 0 : statement.weight();
  }

  /** Null when it is not prepared here. */
  public PreparedStatement find(String name) {
    return name.equals(UNNAMED) ? unnamed : prepared.get(name);
  }

  /** The definition of a statement that is not prepared here; null when there is none. */
  public StatementDefinition findElsewhere(String name) {
    return elsewhere.isEmpty() ? null : elsewhere.get(name);
  }

  public void close(String name) {
    version++;
    elsewhere.remove(name);
    memory.resize(weight(find(name)), 0);
    if (name.isEmpty()) {
      unnamed = null;
    } else {
      prepared.remove(name);
    }
  }

  /** A simple query replaces the unnamed statement. */
  public void closeUnnamed() {
    if (unnamed != null || !elsewhere.isEmpty() && elsewhere.containsKey(UNNAMED)) {
      close(UNNAMED);
    }
  }

  public void closeAll() {
    version++;
    prepared.values().forEach(statement -> memory.resize(weight(statement), 0));
    memory.resize(weight(unnamed), 0);
    prepared.clear();
    elsewhere.clear();
    unnamed = null;
  }

  /** Another node has prepared, or prepared anew, a statement. */
  public void define(String name, StatementDefinition definition) {
    close(name);
    elsewhere.put(name, definition);
  }

  /** All, prepared here or not. */
  public Map<String, StatementDefinition> definitions() {
    Map<String, StatementDefinition> all = new HashMap<>(elsewhere);
    prepared.forEach((name, statement) -> all.put(name, statement.definition()));
    if (unnamed != null) {
      all.put(UNNAMED, unnamed.definition());
    }
    return all;
  }

  /** The definition of one; null when there is none. */
  public StatementDefinition definition(String name) {
    PreparedStatement found = find(name);
    return found != null ? found.definition() : findElsewhere(name);
  }
}
