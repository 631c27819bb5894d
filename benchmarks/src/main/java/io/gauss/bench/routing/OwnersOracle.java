package io.gauss.bench.routing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;

/**
 * Knows the published owners of all page groups: places pages by them, as the cluster does, instead
 * of moving them away from there. Where a key's owner is not known, the unit's node counts.
 * Thread-safe.
 */
final class OwnersOracle implements Oracle, AutoCloseable {
  /** Owners change with each publication, at most every few seconds. */
  private static final long LASTS_NANOS = 5_000_000_000L;

  private record Told(int node, long nanos) {}

  private final Connection connection;
  private final PreparedStatement question;
  private final String[] column;
  private final int[] byUnit;
  private final TreeMap<Long, Told> ranges = new TreeMap<>(); // by their beginnings

  /**
   * @param connection taken over
   * @param column table and column with a point between them
   * @param byUnit node by unit
   */
  OwnersOracle(Connection connection, String column, int[] byUnit) throws SQLException {
    this.connection = connection;
    this.question = connection.prepareStatement("SELECT gauss_key_owners(?, ?, ?)");
    this.column = column.split("\\.");
    this.byUnit = byUnit.clone();
  }

  @Override
  public synchronized int node(int unit, long key) throws SQLException {
    long now = System.nanoTime();
    Map.Entry<Long, Told> found = ranges.floorEntry(key);
    if (found == null || now - found.getValue().nanos > LASTS_NANOS) {
      ask(key, now);
      found = ranges.floorEntry(key);
    }
    return found == null || found.getValue().node == 0 ? byUnit[unit] : found.getValue().node;
  }

  private void ask(long key, long now) throws SQLException {
    question.setString(1, column[0]);
    question.setString(2, column[1]);
    question.setString(3, Long.toString(key));
    String answer = null;
    try (ResultSet row = question.executeQuery()) {
      answer = row.next() ? row.getString(1) : null;
    }
    if (answer == null) {
      ranges.put(key, new Told(0, now));
      return;
    }
    TreeMap<Long, Told> told = new TreeMap<>();
    answer
        .lines()
        .skip(1)
        .forEach(
            line -> {
              int tab = line.indexOf('\t');
              String start = line.substring(0, tab);
              told.put(
                  start.equals("\\N") ? Long.MIN_VALUE : Long.parseLong(start),
                  new Told(Integer.parseInt(line.substring(tab + 1)), now));
            });
    if (!told.isEmpty()) {
      ranges.subMap(told.firstKey(), true, told.lastKey(), true).clear();
      ranges.putAll(told);
    }
    if (told.floorKey(key) == null) {
      ranges.put(key, new Told(0, now)); // nothing is known around it
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
