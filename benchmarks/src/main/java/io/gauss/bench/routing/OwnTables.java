package io.gauss.bench.routing;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A load with tables of its own and one kind of transaction. */
abstract class OwnTables implements RoutedWorkload {
  private final List<FilledTable> tables;
  private final boolean inserts;

  /**
   * @param inserts whether transactions insert more rows
   */
  OwnTables(List<FilledTable> tables, boolean inserts) {
    this.tables = tables;
    this.inserts = inserts;
  }

  /** A terminal's transactions. */
  abstract SimpleTerminal.Transaction transactions(int terminal);

  @Override
  public final List<String> kinds() {
    return List.of("update");
  }

  @Override
  public void createSchema(Connection connection) throws SQLException {
    for (FilledTable table : tables) {
      table.create(connection);
    }
  }

  @Override
  public final int loadParts() {
    return tables.stream().mapToInt(FilledTable::parts).sum();
  }

  @Override
  public final void loadPart(Connection connection, int part, SplittableRandom random)
      throws SQLException {
    int before = 0;
    for (FilledTable table : tables) {
      if (part < before + table.parts()) {
        table.fill(connection, part - before);
        return;
      }
      before += table.parts();
    }
  }

  @Override
  public final void finishLoad(Connection connection) throws SQLException {
    for (FilledTable table : tables) {
      table.finish(connection);
    }
  }

  @Override
  public final boolean isLoaded(Connection connection) {
    try {
      return violations(connection).isEmpty();
    } catch (SQLException e) {
      return false;
    }
  }

  @Override
  public final List<String> violations(Connection connection) throws SQLException {
    List<String> found = new ArrayList<>();
    for (FilledTable table : tables) {
      int count = table.count(connection);
      if (inserts ? count < table.rows() : count != table.rows()) {
        found.add("rows of %s: %d instead of %d".formatted(table.name(), count, table.rows()));
      }
    }
    return found;
  }

  @Override
  public final Terminal newTerminal(
      Connection connection, int id, SplittableRandom random, UnitHint hint) throws SQLException {
    return new SimpleTerminal(connection, random, hint, transactions(id));
  }
}
